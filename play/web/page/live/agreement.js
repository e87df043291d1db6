// A deal that nobody chooses: one side seals a number, the other names one, the first opens the seal; the seed follows
// from both. After the game each page checks the log of the other: the deal, every turn, the points.

import { bytesOf, lettersOf } from "../table/code.js";
import { FRIEND, PERSON, Table, makeSetup } from "../table/index.js";

/** @import { Setup } from "../table/shapes.js" */
/** @import { Agents } from "../table/table.js" */

/** What both agree on before there is a deal; seats as the host has them.
 * @typedef {{ id: string, variant: string, seats: string[], rules: { [field: string]: any }, match: boolean }} Terms */

/** Seal: of the host's number, in the invitation. Number: the guest's, in the answer. Opening: the host's number.
 * @typedef {{ terms: Terms, seal: string, number: string, opening: string }} Deal */

/** What both pages hold when a game is over. @typedef {Deal & { actions: string, points: number[] }} Log */

const BYTES = 32;
const FORMAT = "casino-live 1";

export const newNumber = () => lettersOf(crypto.getRandomValues(new Uint8Array(BYTES)));

/** Whether these letters are a number or a seal. @param {unknown} letters @returns {letters is string} */
export const isNumber = (letters) => typeof letters === "string" && /^[\w-]{43}$/.test(letters)
  && lettersOf(bytesOf(letters)) === letters;

/** @param {...string} parts */
async function digest(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(parts))));
}

/** Nobody who sees it can tell the number, and whoever made it cannot change the number. @param {string} number */
export const sealOf = async (number) => lettersOf(await digest("casino seal", number));

/** @param {Deal} deal @returns {Promise<string | null>} null: the opening is not what was sealed */
export async function seedOf({ terms, seal, number, opening }) {
  if (![seal, number, opening].every(isNumber) || await sealOf(opening) !== seal) return null;
  const bytes = await digest("casino deal", inOrder(terms), seal, number, opening);
  return `${new DataView(bytes.buffer).getBigUint64(0)}`;
}

/** @param {Terms} terms */
const inOrder = ({ id, variant, seats, rules, match }) =>
  JSON.stringify([id, variant, seats, Object.entries(rules).sort(), match]);

/** The game as one of the two has it. @param {Terms} terms @param {string} seed @param {"host" | "guest"} role
 * @returns {Setup} */
export function setupOf({ variant, seats, rules, match }, seed, role) {
  const other = (/** @type {string} */ spec) => (spec === PERSON ? FRIEND : spec === FRIEND ? PERSON : spec);
  const mine = role === "host" ? seats : seats.map(other);
  return makeSetup({ variant, seats: mine, seed, rules, match });
}

/** How a game goes on by what the other page says has been played, up to where the person decides: nobody plays for
 * them. Null for what does not go on from here. @param {import("../casino/src/game/game.js").Game} game
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
  } catch { // against the rules
    return null;
  }
}

// --- the logs --------------------------------------------------------------------------------------------------------

/** @param {Deal} deal @param {Table} table a game that is over @returns {Log} */
export function logOf({ terms, seal, number, opening }, table) {
  const sheet = /** @type {import("../table/shapes.js").Sheet} */ (table.seen().sheet);
  return { terms, seal, number, opening, points: sheet.match?.after ?? sheet.points,
    actions: lettersOf(table.game.log.map(([, action]) => action)) };
}

/** @param {Log} log */
export const textOfLog = ({ terms, seal, number, opening, actions, points }) =>
  JSON.stringify([FORMAT, inOrder(terms), seal, number, opening, actions, points]);

/** What is wrong with somebody's log. part: unread, deal, turns, points, agents; at: the first turn that is not as it
 * was. @typedef {{ part: "unread" | "deal" | "turns" | "points" | "agents", at?: number }} Fault */

/** Another's log beside one's own. What does not follow from the two numbers, what the rules forbid and what was played
 * otherwise is found alike. @param {Log} own @param {string} text @returns {Promise<Fault | null>} */
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

/** The number of the first turn that is another one, counted from 1. @param {Log} own @param {Log} log
 * @param {string} seed */
function firstOther(own, log, seed) {
  const mine = bytesOf(own.actions), theirs = bytesOf(log.actions);
  const at = mine.findIndex((action, index) => theirs[index] !== action);
  return replayed({ ...own, actions: lettersOf(at < 0 ? mine : mine.slice(0, at + 1)) }, seed)?.seen().log.length ?? 0;
}

/** By the kernels, which refuse what is no move. @param {Log} log @param {string} seed */
function replayed(log, seed) {
  const table = new Table(setupOf(log.terms, seed, "host"), { settled: false });
  try {
    table.redo(bytesOf(log.actions));
    return table;
  } catch {
    return null;
  }
}

/** Whether the agents have played what they play: asked again, with the same cards and the same draws.
 * @param {Log} log @param {Agents} agents @returns {Promise<Fault | null>} */
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

/** What people do before an agent decides. @param {Table} table @param {number[]} actions */
function untilAgent({ game, setup }, actions) {
  const ahead = game.clone();
  let done = 0;
  while (!ahead.over && [PERSON, FRIEND].includes(setup.seats[ahead.seat])) ahead.apply(actions[done++]);
  return actions.slice(0, done);
}
