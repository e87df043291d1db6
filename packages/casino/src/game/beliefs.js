/** Whether a seat has learnt something by its own actions, such as which card lay under the one that it took. */

import { use } from "../kernels/kernels.js";

/** @import { Game } from "./game.js" */

/** The actions that made the one game of the other, those that it played by itself too. @param {Game} before
 * @param {Game} after */
export function doneSince(before, after) {
  return after.log.slice(before.log.length).map(([, action]) => action);
}

/** Would the seat see something else after these actions, if what it could not see before were otherwise? Among them
 * are those that the game plays by itself: in another world it may be another that is without alternative.
 * @param {Game} before @param {number[]} actions @param {number} seat */
export function hasLearnt({ record, rules }, actions, seat) {
  const kernels = use(), game = kernels.records("GAME", 1), row = kernels.records("RULES", 1);
  const work = kernels.records("GAME", kernels.constant("knowledge.determinizations", "WORK")),
    done = kernels.array("i16", actions.length);
  [game.copy(record), row.copy(rules.record), done.data.set(actions)];
  const learns = kernels.entry("knowledge.determinizations.learns")(game, row, seat, done, work);
  [game, row, work, done].forEach((part) => part.free());
  return Boolean(learns);
}
