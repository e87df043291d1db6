// Names and descriptions of games and of their switches.

import { en } from "../languages/en.js";
import { say } from "./message.js";

/** @import { Message } from "./message.js" */

/** @param {string} name @returns {Message} */
export const gameTitle = (name) => (`game.${name}` in en ? say(`game.${name}`) : say("game.other", { name }));

/** @param {string} name @returns {Message} */
export const gameLine = (name) => (`game.${name}.line` in en ? say(`game.${name}.line`) : say("game.other.line"));

/** The question of a switch. @param {string} field @returns {Message} */
export const switchTitle = (field) =>
  (`switch.${field}` in en ? say(`switch.${field}`) : say("switch.other", { name: field }));

/** The meaning of a switch's value. @param {string} field @param {any} value @returns {Message} */
export function switchValue(field, value) {
  const key = `switch.${field}.${value}`;
  if (key in en) return say(key);
  if (typeof value === "boolean") return say(value ? "switch.yes" : "switch.no");
  return typeof value === "number" ? say(`switch.${field}.n` in en ? `switch.${field}.n` : "switch.n", { n: value })
    : say("switch.text", { value });
}

// The engine's refusals with texts of their own: those that say more than that some switches clash.
/** @type {[RegExp, string][]} */
const REFUSALS = [
  [/partners need 4 players/, "partners"],
  [/leaves nothing to deal/, "table"],
  [/rounds must be 1/, "rounds"],
  [/need more cards than the pack has/, "hands"],
  [/cannot be drawn evenly/, "drawn"],
  [/cannot be dealt evenly/, "dealt"],
  [/needs the 52-card pack/, "pack"],
  [/might never end/, "recut"],
  [/bundles needs single players/, "bundles"],
  [/one deal may score/, "points"],
  [/its document rules it out/, "fixed"],
];

// Other words by which a refusal may name a switch.
/** @type {{ [field: string]: string }} */
const MEANT = { partners: "single players", shared_pile: "separate piles", stacking: "face-up piles" };

/** Explain why rules are not playable. @param {unknown} error of the engine @param {{ [field: string]: any }} values of
 * the wanted rules @param {string[]} fields names of switches @param {string} [field] the switch to be changed
 * @returns {Message} */
export function refusal(error, values, fields, field = "") {
  const text = error instanceof Error ? error.message : String(error),
    found = REFUSALS.find(([pattern]) => pattern.test(text));
  if (found) return say(`refused.${found[1]}`);
  const named = fields.filter((name) => name in values && new RegExp(`\\b(${name}|${MEANT[name] ?? name})\\b`)
    .test(text)),
    others = named.filter((name) => name !== field);
  const pairs = (/** @type {string[]} */ names) =>
    names.map((name) => say("switch.pair", { question: switchTitle(name), value: switchValue(name, values[name]) }));
  if (field && others.length) return say("refused.with", { others: pairs(others) });
  if (named.length > 1) return say("refused.together", { others: pairs(named) });
  return /needs points/.test(text) ? say("refused.nothing")
    : say("refused.other", { why: text.replace(/^rules( of [^:]*)?: /, "") });
}
