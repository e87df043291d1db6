/** Whether a seat has learnt something by its own actions, such as which card lay under the one that it took. */

import { act, actionsOf, legal, writeView } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { NoDeterminizationError, observe, sampleDeterminizations } from "./observed.js";
import { without } from "./cards.js";

/** @typedef {import("../kernels/kernels.js").Values} Values */
/** @typedef {import("./game.js").Game} Game */

/** The actions that made the one game of the other, those that it played by itself too. @param {Game} before @param {Game} after */
export function doneSince(before, after) {
  return after.log.slice(before.log.length).map(([, action]) => action);
}

/**
 * Would the seat see something else after these actions, if what it could not see before were otherwise? Among them are
 * those that the game plays by itself: in another world it may be another that is without alternative.
 * @param {Game} before
 * @param {number[]} actions
 * @param {number} seat
 */
export function hasLearnt(before, actions, seat) {
  if (!takesFromPile(before, actions)) return false; // nothing else comes to light within a turn
  const seen = observe(before, seat);
  let games;
  try {
    games = sampleDeterminizations(seen, use().constant("beliefs", "_DRAWN"), seedOf(seen.view));
  } catch (error) {
    if (error instanceof NoDeterminizationError) return true; // nothing to compare with
    throw error;
  }
  const found = seenAfter(before.record, before, actions, seat);
  return games.some((record) => seenAfter(record, before, actions, seat) !== found);
}

/** @param {Game} before @param {number[]} actions */
function takesFromPile(before, actions) {
  const after = before.record.clone();
  for (const action of actions) act(after, before.rules, action);
  const now = after.list(0, "piles");
  return before.record.list(0, "piles").some((had, pile) => without(had, now[pile]) !== 0);
}

/** The view of the seat once the actions are done; nothing where one of them is not allowed. */
/** @param {Values} record @param {Game} game @param {number[]} actions @param {number} seat */
function seenAfter(record, game, actions, seat) {
  const after = record.clone();
  for (const action of actions) {
    if (!actionsOf(legal(after, game.rules)).includes(action)) return "";
    act(after, game.rules, action);
  }
  return String.fromCharCode(...writeView(after, game.rules, seat, use().constant("knowledge.view", "PERFECT")).bytes(0));
}

/** A number that follows from a record (FNV-1a). @param {Values} record */
function seedOf(record) {
  return record.bytes(0).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
}
