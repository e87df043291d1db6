// An exercise: the person plays a turn from a position, and a judge compares it with the best one.

import { doneSince, turnOf } from "./events.js";
import { setupFromPosition } from "./setup.js";
import { Table } from "./table.js";
import { adviceOn, afterTurn, judgedBy, lineFrom, nextBest } from "./review.js";

/** @import { Judge } from "./review.js" */
/** @import { Tried } from "./shapes.js" */
/** @import { Options } from "../casino/src/agents/analyse.js" */

/** The table of an exercise. @param {any} position Position JSON @param {string[]} specs of all seats, the person's
 * included @param {boolean} [open] show all hands */
export const exerciseTable = (position, specs, open = false) => new Table(setupFromPosition(position, specs), { open });

/** Whether the person has played the turn or answer that the position asks for. @param {Table} table */
export const isAnswered = ({ start, game, mine }) => !mine || turnOf(game) !== turnOf(start);

/** Judge the turn that was played, with the best continuation as the reason. @param {Table} table @param {Judge} judge
 * @param {Options} [how] @returns {Promise<Tried>} */
export async function answer({ start, game, names }, judge, how = {}) {
  const turn = doneSince(start, game), advice = await adviceOn(start, turn, judge, how),
    judged = judgedBy(advice, start, turn, names),
    then = await lineFrom(game, names, judge, how);
  if (judged.kind !== "mistake") return { ...judged, then, instead: [], behind: nextBest(advice, start, names) };
  return { ...judged, then, instead: await lineFrom(afterTurn(start, judged.answer), names, judge, how), behind: null };
}
