/** Works out functions that the facts have as data: Python's own expressions, in the words of its syntax trees. */

import { use } from "../kernels/kernels.js";

/** @typedef {[string, ...any[]]} Expression what it is, and its parts */
/** @typedef {Record<string, any>} Names */

/** @type {Record<string, (one: any, two: any) => any>} */
const OPERATIONS = {
  Add: (one, two) => one + two,
  Sub: (one, two) => one - two,
  Mult: (one, two) => one * two,
  Mod: (one, two) => one % two,
  Eq: (one, two) => one === two,
  NotEq: (one, two) => one !== two,
  Lt: (one, two) => one < two,
  Gt: (one, two) => one > two,
  LtE: (one, two) => one <= two,
  GtE: (one, two) => one >= two,
  In: (one, two) => two.includes(one),
  NotIn: (one, two) => !two.includes(one),
  Not: (one) => !one,
  Subscript: (one, two) => one[two],
};
/** @type {Record<string, (value: any, other: any) => any>} */
const CALLS = { bool: Boolean, len: (value) => value.length, max: (one, two) => Math.max(one, two) };

/**
 * What a function of the facts says of a record.
 * @param {string} name
 * @param {Names} record its fields
 * @param {Names} names what the function names beside its own
 * @returns {any}
 */
export function workOut(name, record, names) {
  const written = use().facts.functions[name];
  const known = { ...names };
  for (const [target, value] of written.names) known[target] = valueOf(value, record, known);
  return valueOf(written.answer, record, known);
}

/** @param {Expression} expression @param {Names} record @param {Names} names @returns {any} */
function valueOf([kind, ...parts], record, names) {
  const value = (/** @type {Expression} */ part) => valueOf(part, record, names);
  switch (kind) {
    case "Constant":
      return parts[0];
    case "Name":
      return names[parts[0]];
    case "Attribute":
      return record[parts[0]];
    case "And":
      return parts.reduce((found, part) => found && value(part), true);
    case "Or":
      return parts.reduce((found, part) => found || value(part), false);
    case "IfExp":
      return value(parts[0]) ? value(parts[1]) : value(parts[2]);
    case "List":
    case "Tuple":
      return parts.map(value);
    case "JoinedStr":
      return parts.map(value).join("");
    case "Call": {
      const [[, name], ...rest] = parts;
      return CALLS[name] ? CALLS[name](value(rest[0]), rest[1] && value(rest[1])) : workOut(name, record, names);
    }
    default:
      return OPERATIONS[kind](value(parts[0]), parts[1] && value(parts[1]));
  }
}
