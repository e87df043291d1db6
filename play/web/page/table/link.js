// A game as a link: the deal, who sits there, what has been done so far. It holds the seed, and so all cards: whoever
// takes it apart can read them.

import { use } from "../casino/src/kernels/kernels.js";
import { say } from "../words/message.js";
import { FRIEND, PEOPLE, PERSON } from "../words/names.js";
import { bytesOf, hashOf, lettersOf, packed, unpacked } from "./code.js";
import { levelsOf, OTHERS, STEADY } from "./house.js";
import { inWords, makeSetup, setupRules, TableError } from "./setup.js";
import { Table } from "./table.js";

/** @import { Message } from "../words/message.js" */
/** @import { Setup } from "./shapes.js" */

/**
 * @typedef {object} Link
 * @property {string} id of the game, the same wherever it is opened
 * @property {Setup} setup as whoever sent it had it
 * @property {number[]} actions
 * @property {number[] | null} points by side, of whoever sent a deal to be played here
 */

const VERSION = 2;
const LONGEST = 8192; // letters: some thousand actions

/** @param {Table} table @param {string} id @param {{ deal?: boolean }} [how] deal: to be played by somebody else,
 * beside what it came to here */
export function linkOf(table, id, { deal = false } = {}) {
  const { variant, seats, seed, rules, match, position } = table.setup;
  const head = [VERSION, use().constant("rules", "RULES_VERSION"), id, variant, seats, seed, rules, Number(match)];
  if (position) head.push(position);
  const done = deal && !table.over ? [] : table.game.log.map(([, action]) => action),
    text = `${packed(head)}.${lettersOf(done)}`, link = `${text}.${sealOf(text)}`;
  if (link.length > LONGEST) throw new TableError("error.link.long");
  return link;
}

/** What a link says; fails for what is none. deal: it is to be played here, and what it came to elsewhere is counted
 * from how it was played there. @param {string} text @param {{ deal?: boolean }} [how] @returns {Link} */
export function readLink(text, { deal = false } = {}) {
  const [letters, played = "", seal = ""] = text.split(".");
  if (text.length > LONGEST || seal !== sealOf(`${letters}.${played}`)) throw new TableError("error.link");
  const head = inWords("error.link.bad", () => unpacked(letters)),
    [version, rulesVersion, id, variant, seats, seed, rules, match, position = null] = Array.isArray(head) ? head : [];
  if (version !== VERSION || rulesVersion !== use().constant("rules", "RULES_VERSION") || !/^[\w-]{1,40}$/.test(id))
    throw new TableError("error.link");
  const setup = makeSetup({ variant, seats, seed, rules, match: match === 1, position }),
    actions = inWords("error.link.bad", () => bytesOf(played));
  if (!maySit(setup)) throw new TableError("error.link");
  return deal ? { id, setup, actions: [], points: pointsOf(setup, actions) } : { id, setup, actions, points: null };
}

/** People, and whom this page seats by itself: no link asks a device for more. @param {Setup} setup */
export function maySit(setup) {
  const levels = levelsOf(setupRules(setup)).map(({ spec }) => spec),
    all = [...PEOPLE, STEADY, ...OTHERS, ...levels];
  return setup.seats.every((spec) => all.includes(spec));
}

/** By side, if it has been played to the end. @param {Setup} setup @param {number[]} actions */
function pointsOf(setup, actions) {
  const { sheet } = played(setup, actions).seen();
  return sheet && (sheet.match?.after ?? sheet.points);
}

/** @param {Setup} setup @param {number[]} actions */
function played(setup, actions) {
  const table = new Table(setup, { settled: false });
  inWords("error.link.bad", () => table.redo(actions));
  return table;
}

/** Finds what was lost or changed on the way; nothing that was made to deceive. @param {string} text */
const sealOf = (text) => lettersOf(new Uint8Array(new Uint32Array([hashOf(new TextEncoder().encode(text))]).buffer));

/** How many actions a link is ahead of a table; null where it is no continuation of it: another deal, other rules,
 * other seats, or a history that differs.
 * @param {Table} table @param {Link} link @returns {number | null} */
export function ahead(table, link) {
  const here = table.game.log.length, there = link.actions.length, both = shared(table, link);
  return both === Math.min(here, there) ? there - here : null;
}

/** So many first actions are the same; -1: so is not even the deal. @param {Table} table @param {Link} link */
function shared({ setup, game }, link) {
  if (dealOf(setup) !== dealOf(link.setup)) return -1;
  const other = game.log.findIndex(([, action], at) => action !== link.actions[at]);
  return other < 0 ? game.log.length : other;
}

/** In what a link differs from a table that it does not continue. @param {Table} table @param {Link} link
 * @returns {Message} */
export function forkOf(table, link) {
  const same = shared(table, link), begun = table.game.log.slice(0, same + 1).filter(([, , begins]) => begins);
  return same < 0 ? say("link.fork.deal") : say("link.fork.moves", { turn: begun.length });
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
  const isPerson = (/** @type {number} */ at) => [PERSON, FRIEND].includes(setup.seats[at]),
    table = played(setup, actions);
  const mine = seat ?? (!table.over && isPerson(table.game.seat) ? table.game.seat : table.person);
  const seats = setup.seats.map((spec, at) => (at === mine ? PERSON : isPerson(at) ? FRIEND : spec));
  const own = new Table({ ...setup, seats }, { settled: false });
  own.redo(actions);
  return own;
}
