// Describe a step as an event: what everybody at the table sees of it.

import { cardNames, cardsOf, without } from "../casino/src/game/cards.js";
import { use } from "../casino/src/kernels/kernels.js";
import { borrowing } from "../casino/src/kernels/memory.js";
import { Look, SORTING } from "../words/look.js";
import { describeTurn } from "../words/moves.js";
import { factFrom, touched } from "./moves.js";
import { sheetOf } from "./sheet.js";

/** @import { Game } from "../casino/src/game/game.js" */
/** @import { Names } from "../words/names.js" */
/** @import { Event } from "./shapes.js" */

/** A number that identifies the turn within the match. @param {Game} game */
export const turnOf = (game) => 1000 * game.record.get(0, "deals") + game.record.get(0, "turns");

/** @param {Game} before @param {Game} after @param {number[]} actions @param {Names} names @returns {Event} */
export function eventOf(before, after, actions, names) {
  const look = new Look(before.record), then = new Look(after.record), { rules } = before,
    over = then.num("deals") !== look.num("deals");
  const fact = factFrom(before.record, rules, actions), secret = look.mode === SORTING && look.actor !== names.you;
  return {
    seat: before.seat,
    words: describeTurn([fact], names),
    turn: look.num("turns"),
    deal: look.num("deals"),
    played: played(before, actions),
    cards: over || look.mode === SORTING ? [] : cardNames([...touched(look, then, actions)].sort((a, b) => a - b)),
    fact: secret ? { ...fact, cards: [] } : fact,
    ended: over ? sheetOf(before.record, actions, after.record, rules, names) : null,
  };
}

/** The cards that leave the hand; found action by action, so that cards drawn at the end of a turn do not confuse it.
 * @param {Game} game @param {number[]} actions */
function played(game, actions) {
  const ahead = game.clone(), { seat } = game, gone = [];
  for (const action of actions) {
    const held = ahead.record.get(0, "hands", seat), turn = turnOf(ahead);
    ahead.apply(action);
    if (turnOf(ahead) === turn) gone.push(...cardNames(cardsOf(without(held, ahead.record.get(0, "hands", seat)))));
  }
  return gone;
}

// --- actions and what they reveal ------------------------------------------------------------------------------------

/** The actions from one state to a later one, forced ones included. @param {Game} before @param {Game} after */
export function doneSince(before, after) {
  return after.log.slice(before.log.length).map(([, action]) => action);
}

/** Whether a seat has learnt something by its own actions, such as which card lay under the one that it took: whether
 * its view afterwards would differ if hidden cards lay otherwise. The actions must include forced ones, as other hidden
 * cards may force other actions. @param {Game} before @param {number[]} actions @param {number} seat */
export function hasLearnt({ record, rules }, actions, seat) {
  return borrowing((memory) => {
    const on = [memory.copies(record), memory.copies(rules.record)], done = memory.numbers("i16", actions);
    const work = memory.records("GAME", use().constant("knowledge.determinizations", "WORK"));
    return Boolean(use().entry("knowledge.determinizations.learns")(...on, seat, done, work));
  });
}
