// The scene: the table as a seat sees it, made from its view so that hidden cards cannot be drawn.

import { both, cardNames, cardsOf, countOf, hasCard } from "../casino/src/game/cards.js";
import { breakdown, flatten, scoresOf } from "../casino/src/kernels/engine.js";
import { use } from "../casino/src/kernels/kernels.js";
import { observe } from "../casino/src/game/observed.js";
import { Look, OVER } from "../words/look.js";
import { say } from "../words/message.js";
import { gameTitle } from "../words/about.js";

/** @import { Game } from "../casino/src/game/game.js" */
/** @import { Names } from "../words/names.js" */
/** @import { Message } from "../words/message.js" */
/** @import { Pile, Scene, Seat } from "./shapes.js" */

/** @param {Game} game @param {number | null} seat null: show all hands @param {Names} names
 * @param {(Message | null)[]} [kinds] of agents, by seat @returns {Scene} */
export function sceneOf(game, seat, names, kinds = []) {
  const { rules } = game, look = new Look(seat === null ? game.record : observe(game, seat).view);
  const points = scoresOf(breakdown(look.record, rules), rules);
  const { lists, builds } = flatten(look.record, rules), { LAYOUT, PILES, STOCK } = use().constants("engine.flat_form");
  const yours = (/** @type {number} */ owner) => names.you >= 0 && rules.side(owner) === rules.side(names.you);
  return {
    title: titleOf(game),
    seats: Array.from({ length: rules.players }, (_, number) =>
      seatOf(number, look, seat, game, names, points, kinds[number] ?? null, lists[PILES + number].reverse())),
    builds: builds.map(({ value, owner, sets }) =>
      ({ token: `b${value}`, value, owner, yours: yours(owner), sets: sets.map(cardNames) })),
    loose: cardNames(lists[LAYOUT]),
    stock: look.num("hidden_stock") + lists[STOCK].length,
  };
}

/** @param {number} number @param {Look} look @param {number | null} viewer @param {Game} game @param {Names} names
 * @param {number[]} points @param {Message | null} kind @param {number[]} pile from the top down @returns {Seat} */
function seatOf(number, look, viewer, { rules }, names, points, kind, pile) {
  const held = look.num("hands", number), open = openHand(number, look, viewer);
  return {
    number,
    kind,
    name: names.called[number],
    you: number === names.you,
    hand: cardNames(cardsOf(open)),
    hidden: look.num("hidden_hand", number) + countOf(held) - countOf(open),
    pile: pileOf(number, look, rules, pile),
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
  return both(held, shown);
}

/** @param {number} number @param {Look} look @param {any} rules @param {number[]} pile @returns {Pile} */
function pileOf(number, look, rules, pile) {
  const cards = rules.stacking === "face_down" ? [] : pile, shuffled = look.num("shuffled");
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

/** The name of the game, and the numbers of the deal and the hand. @param {Game} game */
export function titleOf(game) {
  const { rules } = game, look = new Look(game.record), parts = [gameTitle(rules.name)];
  if (look.num("match")) parts.push(say("title.deal", { number: look.num("deals") + (game.over ? 0 : 1) }));
  if (rules.rounds > 1 && !rules.draw_hand)
    parts.push(say("title.hand", { number: look.num("round"), of: rules.rounds }));
  return say("title.parts", { parts });
}
