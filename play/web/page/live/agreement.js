// A fair deal by commitment: the host commits to a random number (the seal), the guest names another, the host reveals
// its number (the opening); the seed follows from both. After the game each page checks the other's log.

import { bytesOf, lettersOf } from "../table/code.js";
import { FRIEND, PERSON, Table, makeSetup } from "../table/index.js";

/** @import { Setup } from "../table/shapes.js" */
/** @import { Agents } from "../table/table.js" */

/** The terms that both accept before the deal; seats as on the host's page.
 * @typedef {{ id: string, variant: string, seats: string[], rules: { [field: string]: any }, match: boolean }} Terms */

/** seal: hash of the host's number, in the invitation; number: the guest's, in the answer; opening: the host's number.
 * @typedef {{ terms: Terms, seal: string, number: string, opening: string }} Deal */

/** The log of a finished game, for the comparison. @typedef {Deal & { actions: string, points: number[] }} Log */

const BYTES = 32;
const FORMAT = "casino-live 1";

export const newNumber = () => lettersOf(crypto.getRandomValues(new Uint8Array(BYTES)));

/** Whether letters have the form of a number or a seal. @param {unknown} letters @returns {letters is string} */
export const isNumber = (letters) => typeof letters === "string" && /^[\w-]{43}$/.test(letters)
  && lettersOf(bytesOf(letters)) === letters;

/** @param {...string} parts */
async function digest(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(parts))));
}

/** Hash a number as a commitment: it hides the number and fixes it. @param {string} number */
export const sealOf = async (number) => lettersOf(await digest("casino seal", number));

/** @param {Deal} deal @returns {Promise<string | null>} null: the opening does not match the seal */
export async function seedOf({ terms, seal, number, opening }) {
  if (![seal, number, opening].every(isNumber) || await sealOf(opening) !== seal) return null;
  const bytes = await digest("casino deal", inOrder(terms), seal, number, opening);
  return `${new DataView(bytes.buffer).getBigUint64(0)}`;
}

/** @param {Terms} terms */
const inOrder = ({ id, variant, seats, rules, match }) =>
  JSON.stringify([id, variant, seats, Object.entries(rules).sort(), match]);

/** The setup on the host's or guest's page. @param {Terms} terms @param {string} seed @param {"host" | "guest"} role
 * @returns {Setup} */
export function setupOf({ variant, seats, rules, match }, seed, role) {
  const other = (/** @type {string} */ spec) => (spec === PERSON ? FRIEND : spec === FRIEND ? PERSON : spec);
  const mine = role === "host" ? seats : seats.map(other);
  return makeSetup({ variant, seats: mine, seed, rules, match });
}

/** The further actions of a game as the other page reports them, up to the person's next decision, which only they may
 * make. Null if the report contradicts this game. @param {import("../casino/src/game/game.js").Game} game
 * @param {number} person @param {number[]} theirs */
export function restOf(game, person, theirs) {
  const ahead = game.clone(), rest = [];
  if (game.log.some(([, action], at) => at < theirs.length && action !== theirs[at])) return null;
  try {
    for (const action of theirs.slice(game.log.length)) {
      if (ahead.over || ahead.seat === person) break;
      ahead.apply(action);
      rest.push(action);
    }
    return rest;
  } catch { // an illegal action
    return null;
  }
}

// --- the logs --------------------------------------------------------------------------------------------------------

/** @param {Deal} deal @param {Table} table of a finished game @returns {Log} */
export function logOf({ terms, seal, number, opening }, table) {
  const sheet = /** @type {import("../table/shapes.js").Sheet} */ (table.seen().sheet);
  return { terms, seal, number, opening, points: sheet.match?.after ?? sheet.points,
    actions: lettersOf(table.game.log.map(([, action]) => action)) };
}

/** @param {Log} log */
export const textOfLog = ({ terms, seal, number, opening, actions, points }) =>
  JSON.stringify([FORMAT, inOrder(terms), seal, number, opening, actions, points]);

/** What is wrong with a log. at: the number of the first wrong turn.
 * @typedef {{ part: "unread" | "deal" | "turns" | "points" | "agents", at?: number }} Fault */

/** Compare the other's log with one's own: find a wrong deal, illegal or different turns, and wrong points.
 * @param {Log} own @param {string} text @returns {Promise<Fault | null>} */
export async function faultOf(own, text) {
  const log = readLog(own.terms, text);
  if (!log) return { part: "unread" };
  const seed = await seedOf(log);
  if (seed === null || ["terms", "seal", "number", "opening"].some((part) =>
    JSON.stringify(log[part]) !== JSON.stringify(/** @type {any} */ (own)[part]))) return { part: "deal" };
  if (log.actions !== own.actions) return { part: "turns", at: firstOther(own, log, seed) };
  const table = replayed(log, seed);
  if (!table?.over) return { part: "turns" };
  return `${logOf(log, table).points}` === `${log.points}` ? null : { part: "points" };
}

/** @param {Terms} terms @param {string} text @returns {Log & { [part: string]: any } | null} */
function readLog(terms, text) {
  try {
    const parts = JSON.parse(text), [format, agreed, seal, number, opening, actions, points] = parts;
    if (format !== FORMAT || parts.length !== 7 || JSON.stringify(parts) !== text || !Array.isArray(points)
      || lettersOf(bytesOf(actions)) !== actions) return null;
    const same = agreed === inOrder(terms);
    return { terms: same ? terms : { ...terms, id: "" }, seal, number, opening, actions, points };
  } catch {
    return null;
  }
}

/** The number of the first turn that differs, counted from 1. @param {Log} own @param {Log} log @param {string} seed */
function firstOther(own, log, seed) {
  const mine = bytesOf(own.actions), theirs = bytesOf(log.actions);
  const at = mine.findIndex((action, index) => theirs[index] !== action);
  return replayed({ ...own, actions: lettersOf(at < 0 ? mine : mine.slice(0, at + 1)) }, seed)?.seen().log.length ?? 0;
}

/** Replay a log; null if it has an illegal action. @param {Log} log @param {string} seed */
function replayed(log, seed) {
  const table = new Table(setupOf(log.terms, seed, "host"), { settled: false });
  try {
    table.redo(bytesOf(log.actions));
    return table;
  } catch {
    return null;
  }
}

/** Check the agents' moves by asking the agents again, with the same cards and seeds. @param {Log} log
 * @param {Agents} agents @returns {Promise<Fault | null>} */
export async function agentsFault(log, agents) {
  const table = new Table(setupOf(log.terms, await seedOf(log) ?? "0", "host")), actions = bytesOf(log.actions);
  while (!table.over) {
    const done = table.game.log.length;
    if (table.decider) await table.advance(agents);
    else table.redo(untilAgent(table, actions.slice(done)));
    if (table.game.log.slice(done).some(([, action], index) => action !== actions[done + index]))
      return { part: "agents", at: table.seen().log.length };
  }
  return null;
}

/** The actions of people until an agent decides. @param {Table} table @param {number[]} actions */
function untilAgent({ game, setup }, actions) {
  const ahead = game.clone();
  let done = 0;
  while (!ahead.over && [PERSON, FRIEND].includes(setup.seats[ahead.seat])) ahead.apply(actions[done++]);
  return actions.slice(0, done);
}
