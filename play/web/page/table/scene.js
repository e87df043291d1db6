// The scene: the table as a seat sees it, made from its view so that hidden cards cannot be drawn.

import { cardNames, cardsOf, countOf, hasCard, without } from "../casino/src/game/cards.js";
import { breakdown, scoresOf } from "../casino/src/kernels/engine.js";
import { observe } from "../casino/src/game/observed.js";
import { Look, OVER } from "../words/look.js";
import { say } from "../words/message.js";
import { gameTitle } from "../words/about.js";

/** @import { Game } from "../casino/src/game/game.js" */
/** @import { Names } from "../words/names.js" */
/** @import { Message } from "../words/message.js" */
/** @import { Build, Pile, Scene, Seat } from "./shapes.js" */

/** @param {Game} game @param {number | null} seat null: show all hands @param {Names} names
 * @param {(Message | null)[]} [kinds] of agents, by seat @returns {Scene} */
export function sceneOf(game, seat, names, kinds = []) {
  const { rules } = game, look = new Look(seat === null ? game.record : observe(game, seat).view);
  const points = scoresOf(breakdown(look.record, rules), rules), picked = cardsOf(look.num("picked")),
    hand = look.num("hand_card");
  return {
    title: titleOf(game),
    seats: Array.from({ length: rules.players },
      (_, number) => seatOf(number, look, seat, game, names, points, kinds[number] ?? null)),
    builds: buildsOf(look, rules, names),
    loose: cardNames(look.byTime(look.num("layout"))),
    picked: cardNames([...new Set(hand >= 0 ? [...picked, hand] : picked)].sort((a, b) => a - b)),
    stock: look.num("hidden_stock") + look.chain(look.num("stock_top")).length,
  };
}

/** @param {number} number @param {Look} look @param {number | null} viewer @param {Game} game @param {Names} names
 * @param {number[]} points @param {Message | null} kind @returns {Seat} */
function seatOf(number, look, viewer, { rules }, names, points, kind) {
  const held = look.num("hands", number), open = openHand(number, look, viewer);
  return {
    number,
    kind,
    name: names.called[number],
    you: number === names.you,
    hand: cardNames(cardsOf(open)),
    hidden: look.num("hidden_hand", number) + countOf(held) - countOf(open),
    pile: pileOf(number, look, rules),
    points: points[number],
    decides: look.actor === number && look.mode !== OVER,
    partner: rules.partners ? (number + 2) % 4 : null,
    note: noteOf(number, look, rules, names),
  };
}

/** The cards of a hand to show. Of others only cards that they have shown: deducing the rest is up to the player.
 * @param {number} number @param {Look} look @param {number | null} viewer */
function openHand(number, look, viewer) {
  const held = look.num("hands", number);
  if (viewer === null || viewer === number) return held;
  const card = look.num("hand_card"), declared = look.num("picked"), shown = card >= 0 && !hasCard(declared, card)
    ? declared + 2 ** card : declared;
  return without(held, without(held, shown));
}

/** @param {number} number @param {Look} look @param {any} rules @returns {Pile} */
function pileOf(number, look, rules) {
  const cards = rules.stacking === "face_down" ? [] : look.chain(look.num("pile_top", number)),
    shuffled = look.num("shuffled");
  return {
    count: countOf(look.num("piles", number)),
    top: cardNames(cards.slice(0, 1))[0] ?? null,
    cards: cardNames(cards),
    unsure: cardNames(cards.filter((card) => hasCard(shuffled, card))),
    at: rules.shared_pile ? number % 2 : number,
  };
}

/** @param {number} number @param {Look} look @param {any} rules @param {Names} names */
function noteOf(number, look, rules, names) {
  const told = rules.leftovers === "last_capture" && look.mode !== OVER && look.num("last_capture") === number;
  return told ? say("note.last", { who: names.of(number) }) : null;
}

/** @param {Look} look @param {any} rules @param {Names} names @returns {Build[]} */
function buildsOf(look, rules, names) {
  const out = [];
  for (let value = 1; value <= 14; value++) {
    const owner = look.owner(value, rules.players);
    if (owner < 0) continue;
    const yours = names.you >= 0 && rules.side(owner) === rules.side(names.you);
    out.push({ token: `b${value}`, value, owner, yours, sets: look.sets(value).map(cardNames) });
  }
  return out;
}

/** The name of the game, and the numbers of the deal and the hand. @param {Game} game */
export function titleOf(game) {
  const { rules } = game, look = new Look(game.record), parts = [gameTitle(rules.name)];
  if (look.num("match")) parts.push(say("title.deal", { number: look.num("deals") + (game.over ? 0 : 1) }));
  if (rules.rounds > 1 && !rules.draw_hand)
    parts.push(say("title.hand", { number: look.num("round"), of: rules.rounds }));
  return say("title.parts", { parts });
}
