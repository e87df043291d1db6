// The offer while cards are being chosen: possible moves, choosable tokens, and the prompt.

import { say } from "../words/message.js";

/** @import { Move, Offer, Seen, Token } from "./shapes.js" */

const PLAIN = ["end", "yes", "no", "count out"]; // moves without cards
const FEW = 4; // at most so many moves are all offered before a card is chosen
const MOST = 24;

/** The moves that contain the chosen tokens: exact matches first, then the largest.
 * @param {Move[]} moves @param {Token[]} chosen @returns {Move[]} */
export function candidates(moves, chosen) {
  const fits = moves.filter((move) => !PLAIN.includes(move.do) && chosen.every((token) => move.tokens.includes(token)));
  const exact = (/** @type {Move} */ move) => chosen.length > 1 && move.tokens.length === chosen.length;
  return [...fits.filter(exact), ...fits.filter((move) => !exact(move))];
}

/** @param {Seen} seen @param {Iterable<Token>} [tokens] @returns {Offer} */
export function offer(seen, tokens = []) {
  const chosen = [...tokens], shown = onTable(seen), fits = candidates(seen.moves, chosen);
  // always offer moves that cannot be pointed at, such as laying a captured card on the pile
  const list = chosen.length || seen.moves.length <= FEW ? fits
    : fits.filter((move) => !move.tokens.some((token) => shown.has(token)));
  const plain = seen.moves.filter((move) => PLAIN.includes(move.do)), [only] = chosen;
  const mine = seen.mine && chosen.length === 1 && seen.scene.seats[seen.person].hand.includes(only);
  return {
    prompt: prompt(seen, chosen),
    moves: list.slice(0, MOST),
    more: Math.max(0, list.length - MOST),
    plain,
    main: chosen.length ? mainOf(list)
      : (plain.find((move) => move.do === "end" || move.do === "yes") ?? (list.length === 1 ? list[0] : null)),
    lit: [...new Set(fits.flatMap((move) => move.tokens))].filter((token) => shown.has(token)),
    whyDiscard: mine && !list.some((move) => move.do === "discard"),
    whyEnd: seen.mine && seen.begun && plain.length === 0,
  };
}

/** The move to emphasize; a discard only if the card has no other use. @param {Move[]} list */
const mainOf = (list) => (list.length && (list[0].do !== "discard" || list.length === 1) ? list[0] : null);

/** The tokens that can be pointed at. @param {Seen} seen @returns {Set<Token>} */
function onTable({ scene, person }) {
  const tops = scene.seats.flatMap(({ pile }) => (pile.top === null ? [] : [pile.top]));
  return new Set([...scene.seats[person].hand, ...scene.loose, ...tops, ...scene.builds.map(({ token }) => token)]);
}

/** @param {Seen} seen @param {Token[]} chosen */
function prompt(seen, chosen) {
  if (seen.over) return say("now.over");
  if (!seen.mine)
    return say("now.thinking", { who: { seat: seen.decides, as: "they", name: seen.names[seen.decides] } });
  if (seen.question) return seen.question;
  if (seen.endsItself) return say(seen.undo ? "now.played" : "now.played.seen");
  if (chosen.length) return say("now.become");
  if (seen.played) return say(seen.moves.some((move) => move.do === "end") ? "now.add" : "now.owed");
  if (seen.begun) return say("now.table");
  return say(seen.log.some(({ seat }) => seat === seen.person) ? "now.choose" : "now.first");
}
