// A turn to be found: the person plays one from a position, and a judge tells what it is worth beside the best.

import { doneSince, turnOf } from "./events.js";
import { setupFromPosition } from "./setup.js";
import { Table } from "./table.js";
import { adviceOn, afterTurn, judgedBy, lineFrom, nextBest } from "./review.js";

/** @import { Judge } from "./review.js" */
/** @import { Tried } from "./shapes.js" */
/** @import { Options } from "../casino/src/agents/analyse.js" */

/** The table of an exercise: whoever decides in the position is the person. @param {any} position Position JSON
 * @param {string[]} specs of those who sit there, the person's among them @param {boolean} [open] all hands are seen */
export const exerciseTable = (position, specs, open = false) => new Table(setupFromPosition(position, specs), { open });

/** The person has played the turn, or the answer, that the position asks for. @param {Table} table */
export const isAnswered = ({ start, game, mine }) => !mine || turnOf(game) !== turnOf(start);

/** What the turn that was played is worth, and why: what whoever comes next makes of it. @param {Table} table
 * @param {Judge} judge @param {Options} [how] @returns {Promise<Tried>} */
export async function answer({ start, game, names }, judge, how = {}) {
  const turn = doneSince(start, game), advice = await adviceOn(start, turn, judge, how),
    judged = judgedBy(advice, start, turn, names),
    then = await lineFrom(game, names, judge, how);
  if (judged.kind !== "mistake") return { ...judged, then, instead: [], behind: nextBest(advice, start, names) };
  return { ...judged, then, instead: await lineFrom(afterTurn(start, judged.answer), names, judge, how), behind: null };
}
