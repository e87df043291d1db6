// Actions tried on copies of a record: what they lead to.

import { act } from "../engine.js";
import { use } from "../kernels.js";
import { rulesOf } from "../rules.js";

/** @typedef {import("../kernels.js").Values} Values */
/** @typedef {import("../rules.js").Rules} Rules */

/**
 * The rules with some switches changed; fails for what cannot be played.
 * @param {Rules} rules
 * @param {{ [field: string]: any }} changes
 */
export function changedRules(rules, changes) {
  const fields = use()
    .facts.switches.map(({ name }) => name)
    .filter((name) => name !== "name" && name !== "players");
  return rulesOf(rules.name, rules.players, {
    own: true,
    ...Object.fromEntries(fields.map((name) => [name, rules[name]])),
    ...changes,
  });
}

/**
 * The record after these actions, which must be legal.
 * @param {Values} record
 * @param {Rules} rules
 * @param {number[]} actions
 * @param {{ [field: string]: number }} [fields] of the record that are set beforehand @returns {Values} */
export function after(record, rules, actions, fields = {}) {
  const out = record.clone();
  for (const [name, value] of Object.entries(fields)) out.set(0, name, value);
  for (const action of actions) act(out, rules, action);
  return out;
}

/** @type {WeakMap<Rules, Rules>} */
const still = new WeakMap();

/**
 * The table after actions as it is before anything is swept off it or dealt anew.
 * @param {Values} record
 * @param {Rules} rules
 * @param {number[]} actions
 */
export function unswept(record, rules, actions) {
  const kept = still.get(rules) ?? changedRules(rules, { leftovers: "nobody" });
  still.set(rules, kept);
  return after(record, kept, actions, { match: 0 });
}
