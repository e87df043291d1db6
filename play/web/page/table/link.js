// A game as a link: the deal, the seats and the actions so far. A link contains the seed and so all cards: anybody who
// decodes it can read them.

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
 * @property {string} id of the game, the same on all devices
 * @property {Setup} setup as on the sender's device
 * @property {number[]} actions
 * @property {number[] | null} points the sender's result by side, for a deal that is to be played here
 */

const VERSION = 2;
const LONGEST = 8192; // letters: some thousand actions

/** @param {Table} table @param {string} id @param {{ deal?: boolean }} [how] deal: for somebody else to play, and to
 * compare with the result here */
export function linkOf(table, id, { deal = false } = {}) {
  const { variant, seats, seed, rules, match, position } = table.setup;
  const head = [VERSION, use().constant("rules", "RULES_VERSION"), id, variant, seats, seed, rules, Number(match)];
  if (position) head.push(position);
  const done = deal && !table.over ? [] : table.game.log.map(([, action]) => action),
    text = `${packed(head)}.${lettersOf(done)}`, link = `${text}.${sealOf(text)}`;
  if (link.length > LONGEST) throw new TableError("error.link.long");
  return link;
}

/** Read a link; throw if it is invalid. deal: the deal is to be played here; the sender's actions only give the points
 * to compare with. @param {string} text @param {{ deal?: boolean }} [how] @returns {Link} */
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

/** Whether all seats are people or agents that this page offers: a link must not run other agents here.
 * @param {Setup} setup */
export function maySit(setup) {
  const levels = levelsOf(setupRules(setup)).map(({ spec }) => spec),
    all = [...PEOPLE, STEADY, ...OTHERS, ...levels];
  return setup.seats.every((spec) => all.includes(spec));
}

/** The points by side; null unless the game is over. @param {Setup} setup @param {number[]} actions */
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

/** A checksum against accidental damage, not against forgery. @param {string} text */
const sealOf = (text) => lettersOf(new Uint8Array(new Uint32Array([hashOf(new TextEncoder().encode(text))]).buffer));

/** The number of actions by which a link is ahead of a table; null if neither continues the other: another deal, other
 * rules or seats, or a different history.
 * @param {Table} table @param {Link} link @returns {number | null} */
export function ahead(table, link) {
  const here = table.game.log.length, there = link.actions.length, both = shared(table, link);
  return both === Math.min(here, there) ? there - here : null;
}

/** The number of first actions that are the same; -1: not even the deal is. @param {Table} table @param {Link} link */
function shared({ setup, game }, link) {
  if (dealOf(setup) !== dealOf(link.setup)) return -1;
  const other = game.log.findIndex(([, action], at) => action !== link.actions[at]);
  return other < 0 ? game.log.length : other;
}

/** Say where a link differs from a table that it does not continue. @param {Table} table @param {Link} link
 * @returns {Message} */
export function forkOf(table, link) {
  const same = shared(table, link), begun = table.game.log.slice(0, same + 1).filter(([, , begins]) => begins);
  return same < 0 ? say("link.fork.deal") : say("link.fork.moves", { turn: begun.length });
}

/** The part of a setup that is the same on all devices; which person is "you" is not. @param {Setup} setup */
function dealOf({ variant, seats, seed, rules, match, position }) {
  const agents = seats.map((spec) => ([PERSON, FRIEND].includes(spec) ? PERSON : spec));
  return JSON.stringify([variant, agents, `${seed}`, Object.entries(rules).sort(), match, position]);
}

/** Whether the table's person has made any decision. @param {Table} table */
export const hasDecided = ({ game, person }) => game.log.some(([seat]) => seat === person);

/** The table of a link for the person who opens it. @param {Link} link @param {number | null} [seat] where they sit
 * already; default: the seat that decides */
export function tableOfLink({ setup, actions }, seat = null) {
  const isPerson = (/** @type {number} */ at) => [PERSON, FRIEND].includes(setup.seats[at]),
    table = played(setup, actions);
  const mine = seat ?? (!table.over && isPerson(table.game.seat) ? table.game.seat : table.person);
  const seats = setup.seats.map((spec, at) => (at === mine ? PERSON : isPerson(at) ? FRIEND : spec));
  const own = new Table({ ...setup, seats }, { settled: false });
  own.redo(actions);
  return own;
}
