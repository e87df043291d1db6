// Actions tried on copies of a record: what they lead to.

import { act } from "../casino/src/kernels/engine.js";
import { withoutLeftovers } from "../casino/src/game/rules.js";

/** @import { Values } from "../casino/src/kernels/kernels.js" */
/** @import { Rules } from "../casino/src/game/rules.js" */

/** The record after these actions, which must be legal. @param {Values} record @param {Rules} rules @param {number[]} actions
 * @param {{ [field: string]: number }} [fields] of the record that are set beforehand @returns {Values} */
export function after(record, rules, actions, fields = {}) {
  const out = record.clone();
  for (const [name, value] of Object.entries(fields)) out.set(0, name, value);
  for (const action of actions) act(out, rules, action);
  return out;
}

/** The table after actions as it is before anything is swept off it or dealt anew. @param {Values} record @param {Rules} rules
 * @param {number[]} actions */
export function unswept(record, rules, actions) {
  return after(record, withoutLeftovers(rules), actions, { match: 0 });
}
