// A game as a link: the deal, who sits there, what has been done so far. It holds the seed, and so all cards: whoever
// takes it apart can read them.

import { use } from "../casino/src/kernels/kernels.js";
import { bytesOf, lettersOf, packed, unpacked } from "./code.js";
import { FRIEND, inWords, makeSetup, PERSON, TableError } from "./setup.js";
import { Table } from "./table.js";

/** @import { Setup } from "./shapes.js" */

/**
 * @typedef {object} Link
 * @property {string} id of the game, the same wherever it is opened
 * @property {Setup} setup as whoever sent it had it
 * @property {number[]} actions
 * @property {number[] | null} points by side, of whoever sent a deal to be played by somebody else
 */

const VERSION = 1;
const LONGEST = 8192; // letters: some thousand actions
const MOST_POINTS = 10_000; // of a match; a deal has some dozens

/** @param {Table} table @param {string} id @param {{ deal?: boolean }} [how] deal: to be played by somebody else,
 * beside what it came to here */
export function linkOf(table, id, { deal = false } = {}) {
  const { setup, game } = table;
  const { variant, seats, seed, rules, match, position } = setup, { sheet } = table.seen(),
    points = deal && sheet ? (sheet.match?.after ?? sheet.points) : null;
  const head = [VERSION, use().constant("rules", "RULES_VERSION"), id, variant, seats, seed, rules, Number(match),
    points];
  if (position) head.push(position);
  const text = `${packed(head)}.${deal ? "" : lettersOf(game.log.map(([, action]) => action))}`;
  if (text.length > LONGEST) throw new TableError("error.link.long");
  return text;
}

/** What a link says; fails for what is none. @param {string} text @returns {Link} */
export function readLink(text) {
  const [letters, played = ""] = text.split(".");
  if (text.length > LONGEST) throw new TableError("error.link");
  const head = inWords("error.link.bad", () => unpacked(letters)),
    [version, rulesVersion, id, variant, seats, seed, rules, match, points = null, position = null] =
      Array.isArray(head) ? head : [];
  if (version !== VERSION || rulesVersion !== use().constant("rules", "RULES_VERSION"))
    throw new TableError("error.link");
  if (!/^[\w-]{1,40}$/.test(id) || (points !== null && !isPoints(points))) throw new TableError("error.link");
  const setup = makeSetup({ variant, seats, seed, rules, match: match === 1, position });
  return { id, setup, actions: inWords("error.link.bad", () => bytesOf(played)), points };
}

/** Of a deal or a match: a number for each side, none beyond what any game pays. @param {unknown} points */
const isPoints = (points) => Array.isArray(points) && points.length <= 6
  && points.every((each) => typeof each === "number" && Number.isInteger(2 * each) && Math.abs(each) <= MOST_POINTS);

/** How many actions a link is ahead of a table; null where it is no continuation of it: another deal, other rules,
 * other seats, or a history that differs.
 * @param {Table} table @param {Link} link @returns {number | null} */
export function ahead({ setup, game }, link) {
  const here = game.log.map(([, action]) => action), there = link.actions;
  if (dealOf(setup) !== dealOf(link.setup)) return null;
  const both = Math.min(here.length, there.length);
  return here.slice(0, both).every((action, at) => action === there[at]) ? there.length - here.length : null;
}

/** What is the same wherever a game is opened; who of the people is "you" is not. @param {Setup} setup */
function dealOf({ variant, seats, seed, rules, match, position }) {
  const agents = seats.map((spec) => ([PERSON, FRIEND].includes(spec) ? PERSON : spec));
  return JSON.stringify([variant, agents, `${seed}`, Object.entries(rules).sort(), match, position]);
}

/** Whether the person of a table has decided anything in it. @param {Table} table */
export const hasDecided = ({ game, person }) => game.log.some(([seat]) => seat === person);

/** The table of a link, for whoever opens it: on the seat that decides, or on the one where they sit already.
 * @param {Link} link @param {number | null} [seat] */
export function tableOfLink({ setup, actions }, seat = null) {
  const table = new Table(setup, { settled: false });
  inWords("error.link.bad", () => table.redo(actions));
  const isPerson = (/** @type {number} */ at) => [PERSON, FRIEND].includes(setup.seats[at]),
    mine = seat ?? (!table.over && isPerson(table.game.seat) ? table.game.seat : table.person);
  const seats = setup.seats.map((spec, at) => (at === mine ? PERSON : isPerson(at) ? FRIEND : spec));
  const own = new Table({ ...setup, seats }, { settled: false });
  own.redo(actions);
  return own;
}
