/** The engine's entries for one game (casino_env/engine/entrypoints.py): each works on a record, which is a value. */

import { CARDS } from "../game/cards.js";
import { use } from "./kernels.js";

/** @import { Kernels, Values } from "./kernels.js" */
/** @import { Rules } from "../game/rules.js" */
/** @typedef {number[]} ActionSet four numbers of 52 bits, in the order of the catalogue */
/** @typedef {[code: number, place: number, part: number, number: number, low: number, high: number]} Refusal
 *   (engine/invariants.py) */
/** @typedef {[seat: number, action: number, begins: boolean]} Done what was done by whom, and whether it began a
 *   turn */

export const MOST_AT_ONCE = 16; // actions that are played in one call

/** Where records lie while kernels work on them. */
class Table {
  /** @type {Rules | null} */
  #laid = null;
  /** @type {Map<number, import("./kernels.js").Numbers>} */
  #points = new Map();

  /** @param {Kernels} kernels */
  constructor(kernels) {
    this.kernels = kernels;
    this.games = kernels.records("GAME", 1);
    this.views = kernels.records("GAME", 1);
    this.rules = kernels.records("RULES", 1);
    this.one = kernels.array("i16", [1, 3]);
    this.done = kernels.array("i16", [MOST_AT_ONCE, 3]);
    const { LAST_NUMBER, ROOM, KEYS } = kernels.facts.constants["engine.invariants"];
    const { MOST_ROWS } = kernels.facts.constants["engine.flat_form"];
    this.work = kernels.records("GAME", ROOM);
    this.keys = kernels.array("i64", KEYS);
    this.given = kernels.array("i64", kernels.facts.constants["engine.state"].SEATS);
    this.told = kernels.array("i64", kernels.facts.constants["knowledge.sights"].TOLD);
    this.numbers = kernels.array("i64", LAST_NUMBER);
    this.rows = kernels.array("i64", [MOST_ROWS, 3]);
    this.builds = kernels.array("i64", [kernels.facts.constants["engine.state"].VALUES, 3]);
    /** @type {string[]} */
    this.fields = kernels.facts.constants["engine.invariants"].FIELDS;
    /** Numbers by their names in engine/state.py, such as IDLE and OVER. @type {Record<string, number>} */
    this.state = kernels.facts.constants["engine.state"];
    /** @type {Record<string, (...args: any[]) => any>} */
    this.call = {};
    for (const name of ["start", "legal", "play", "points"])
      this.call[name] = kernels.entry(`engine.entrypoints.${name}`);
    for (const name of ["build", "flatten"]) this.call[name] = kernels.entry(`engine.flat_form.${name}`);
    for (const name of ["look", "fill"]) this.call[name] = kernels.entry(`knowledge.sights.${name}`);
    this.call.allowing_hand = kernels.entry("knowledge.sights.allowing_hand");
    this.call.tell = kernels.entry("engine.wording.tell");
    this.call.refusal = kernels.entry("engine.invariants.refusal");
    this.call.write_view = kernels.entry("knowledge.encode.write_view");
    this.call.complete_many = kernels.entry("knowledge.determinizations.complete_many");
  }

  /** @param {Values} record @param {Rules} rules */
  lay(record, rules) {
    this.games.copy(record);
    if (this.#laid !== rules) this.rules.copy(rules.record);
    this.#laid = rules;
  }

  /** @param {number} sides */
  points(sides) {
    let found = this.#points.get(sides);
    if (!found) this.#points.set(sides, (found = this.kernels.array("i64", [categories().length, sides])));
    return found;
  }
}

/** @type {WeakMap<Kernels, Table>} */
const tables = new WeakMap();

function table() {
  const kernels = use();
  let found = tables.get(kernels);
  if (!found) tables.set(kernels, (found = new Table(kernels)));
  return found;
}

/** @param {Values} record @param {Rules} rules */
function tableWith(record, rules) {
  const on = table();
  on.lay(record, rules);
  return on;
}

/** Numbers by their names in engine/state.py: modes such as IDLE and OVER. @returns {Record<string, number>} */
export function stateNumbers() {
  return table().state;
}

/** @returns {string[]} */
export function categories() {
  return use().constant("engine.scoring", "CATEGORIES");
}

// --- playing -------------------------------------------------------------------------------------------------------

/** A fresh deal. @param {Rules} rules @param {number | bigint} seed @param {boolean} match @returns {Values} */
export function start(rules, seed, match) {
  const record = use().values("GAME");
  const on = tableWith(record, rules);
  on.call.start(on.games, on.rules, seed, Number(match));
  record.copy(on.games);
  return record;
}

/** @param {Values} record @param {Rules} rules @returns {ActionSet} */
export function legal(record, rules) {
  const on = tableWith(record, rules);
  return on.call.legal(on.games, on.rules);
}

/** A legal action and (forced) those without alternative that follow, as many as one call does. @param {Values} record
 * @param {Rules} rules @param {number} action @param {boolean} forced @returns {{ done: Done[], legal: ActionSet }}
 * legal: what is so now, if forced ones were played */
export function play(record, rules, action, forced) {
  const on = tableWith(record, rules);
  const [count, after] = on.call.play(on.games, on.rules, action, Number(forced), on.done);
  record.copy(on.games);
  const rows = on.done.data;
  /** @type {Done[]} */
  const done = [];
  for (let i = 0; i < count; i++) done.push([rows[3 * i], rows[3 * i + 1], rows[3 * i + 2] === 1]);
  return { done, legal: after };
}

/** One micro-action, nothing played on. @param {Values} record @param {Rules} rules @param {number} action */
export function act(record, rules, action) {
  const on = tableWith(record, rules);
  on.call.play(on.games, on.rules, action, 0, on.one);
  record.copy(on.games);
}

// --- records from outside --------------------------------------------------------------------------------------------

/** Why play cannot go on from a record; all zero if it can. @param {Values} record @param {Rules} rules
 * @param {number} part 1: all but what its open action takes, 2: that, 3: both @returns {Refusal} */
export function refusal(record, rules, part) {
  const on = tableWith(record, rules);
  return on.call.refusal(on.games, on.rules, on.work, on.keys, part);
}

/**
 * A position in flat form (casino_env/engine/flat_form.py): numbers by their names, and rows of its lists.
 * @typedef {{ numbers: Record<string, number>, rows: number[][], builds: number[][], stream: bigint, said: number }}
 *   Flat
 */

/** The record of a position, and why it cannot be one. @param {Rules} rules @param {Flat} flat */
export function buildRecord(rules, flat) {
  return laid(rules, flat, [],
    (on, lists) => on.call.build(on.games, on.rules, on.numbers, ...lists, on.work, on.keys, flat.said));
}

/** The record of a view, and why it cannot be one. @param {Rules} rules @param {Flat} flat @param {number[]} counts
 * @param {number} seat */
export function lookAt(rules, flat, counts, seat) {
  return laid(rules, flat, counts, (on, lists) => on.call.look(on.games, on.rules, on.numbers, ...lists, seat));
}

/** A record that a kernel makes of lists. @param {Rules} rules @param {Flat} flat @param {number[]} counts
 * @param {(on: Table, lists: any[]) => Refusal} kernel @returns {{ record: Values, found: Refusal }} */
function laid(rules, { numbers, rows, builds, stream }, counts, kernel) {
  const on = table(), record = use().values("GAME");
  record.set(0, "rng", stream);
  on.lay(record, rules);
  const lists = [rows, builds].map((list) => use().array("i64", [list.length, 3]));
  if (counts.length) lists.push(use().array("i64", counts.length));
  try {
    on.numbers.data.set(Object.values(numbers).map(BigInt));
    [rows.flat(), builds.flat(), counts].slice(0, lists.length)
      .forEach((list, k) => lists[k].data.set(list.map(BigInt)));
    const found = kernel(on, lists);
    record.copy(on.games);
    return { record, found };
  } finally {
    for (const list of lists) list.free();
  }
}

/** The record of a game that a view may be of, and why there is none. @param {Values} view @param {Rules} rules
 * @param {number} seat @param {Map<number, number>} hands what others hold at least, in place of what they must
 * @param {number} said @returns {{ record: Values, found: Refusal }} */
export function fillView(view, rules, seat, hands, said) {
  const on = tableWith(view, rules), record = use().values("GAME");
  on.given.data.forEach((/** @type {bigint} */ _, /** @type {number} */ k) =>
    (on.given.data[k] = BigInt(hands.get(k) ?? 0)));
  const found = on.call.fill(on.games, on.rules, seat, on.given, on.views, on.work, on.keys, said);
  record.copy(on.views);
  return { record, found };
}

/** A hand of the seat that decides which allows an action, or why there is none (knowledge/next_views.py).
 * @param {Values} view @param {Rules} rules @param {number} looks @param {number} action @param {number[]} said by the
 * house @param {Values} record a game that the view may be of; where the action is refused the one in which no hand
 * allows it @returns {{ why: number, hand: number }} */
export function allowingHand(view, rules, looks, action, said, record) {
  const on = tableWith(view, rules);
  on.views.copy(record);
  on.told.data.set(said.map(BigInt));
  const [why, hand] = on.call.allowing_hand(on.games, on.rules, looks, action, on.told, on.views, on.work, on.keys);
  record.copy(on.views);
  return { why, hand };
}

/** The flat form of a record: numbers by their names, cards and numbers by lists, builds with their sets.
 * @param {Values} record @param {Rules} rules */
export function flatten(record, rules) {
  const on = tableWith(record, rules), { PLACES, BUILDS } = on.kernels.facts.constants["engine.flat_form"];
  const [many, manyBuilds] = on.call.flatten(on.games, on.rules, on.numbers, on.rows, on.builds);
  /** @type {Record<string, number>} */
  const number = {};
  on.numbers.data.forEach((/** @type {bigint} */ one, /** @type {number} */ k) => (number[on.fields[k]] = Number(one)));
  const builds = rowsOf(on.builds, manyBuilds).map(([value, owner, sets]) => {
    return { value, owner, sets: Array.from({ length: sets }, () => /** @type {number[]} */ ([])) };
  });
  /** @type {number[][]} */
  const lists = PLACES.map(() => []);
  for (const [what, place, part] of rowsOf(on.rows, many))
    (place < BUILDS ? lists[place] : builds[place - BUILDS].sets[part]).push(what);
  return { number, lists, builds };
}

/** The first rows of an array of three columns. @param {import("./kernels.js").Numbers} array @param {number} many
 * @returns {number[][]} */
function rowsOf(array, many) {
  const data = array.data;
  return Array.from({ length: many },
    (_, k) => [Number(data[3 * k]), Number(data[3 * k + 1]), Number(data[3 * k + 2])]);
}

/** What actions do, as rows of (phrase, card or number, pile) (engine/wording.py). @param {Values} record
 * @param {Rules} rules @param {number[]} actions */
export function tell(record, rules, actions) {
  const on = tableWith(record, rules), kernels = on.kernels, many = actions.length;
  const games = kernels.records("GAME", 3), own = kernels.records("RULES", 1), list = kernels.array("i64", many);
  const rows = kernels.array("i64", [many * kernels.constant("engine.wording", "MOST_PHRASES"), 3]);
  try {
    games.copy(on.games);
    list.data.set(actions.map(BigInt));
    return rowsOf(rows, on.call.tell(games, on.rules, own, list, rows));
  } finally {
    for (const part of [games, own, list, rows]) part.free();
  }
}

// --- sets of actions -----------------------------------------------------------------------------------------------

/** @param {ActionSet} set @param {number} action */
export function allows(set, action) {
  if (!(Number.isInteger(action) && action >= 0 && action < set.length * CARDS)) return false;
  return Math.floor(set[Math.floor(action / CARDS)] / 2 ** (action % CARDS)) % 2 === 1;
}

/** The actions of a set, ascending. @param {ActionSet} set @returns {number[]} */
export function actionsOf(set) {
  const found = [];
  for (let part = 0; part < set.length; part++) {
    for (let half = 0, bits = set[part] >>> 0; half < 2; half++, bits = Math.floor(set[part] / 2 ** 32)) {
      for (; bits; bits = (bits & (bits - 1)) >>> 0)
        found.push(part * CARDS + 32 * half + 31 - Math.clz32(bits & -bits));
    }
  }
  return found;
}

// --- points --------------------------------------------------------------------------------------------------------

/** Points of a deal by category and seat: final when it is over, else what is certain already. Partners share theirs.
 * @param {Values} record @param {Rules} rules @returns {Record<string, number[]>} */
export function breakdown(record, rules) {
  const on = tableWith(record, rules);
  const points = on.points(rules.sides);
  points.data.fill(0n);
  on.call.points(on.games, on.rules, points);
  const found = points.data;
  const byRule = use().constant("engine.entrypoints", "_BY_RULE");
  /** @type {Record<string, number[]>} */
  const out = {};
  categories().forEach((name, kind) => {
    const row = Array.from({ length: rules.players },
      (_, seat) => Number(found[kind * rules.sides + rules.side(seat)]));
    if (rules[byRule[name] ?? "ace_points"] || row.some(Boolean)) out[name] = row;
  });
  return out;
}

/** Of a breakdown: points by seat. @param {Record<string, number[]>} points @param {Rules} rules @returns {number[]} */
export function scoresOf(points, rules) {
  return Array.from({ length: rules.players },
    (_, seat) => Object.values(points).reduce((sum, row) => sum + row[seat], 0));
}

// --- what a seat may know --------------------------------------------------------------------------------------------

/** The record of what a seat may know. @param {Values} record @param {Rules} rules @param {number} seat
 * @param {number} memory of face-down piles: knowledge.view.PERFECT or NONE @returns {Values} */
export function writeView(record, rules, seat, memory) {
  const on = tableWith(record, rules);
  on.call.write_view(on.games, 0, on.rules, seat, memory, on.views, 0);
  const view = use().values("GAME");
  view.copy(on.views);
  return view;
}

/** Records of games that agree with what a seat sees; fewer than asked for if there are none. @param {Values} view
 * @param {Rules} rules @param {number} seat @param {number | bigint} seed @param {number} count @returns {Values[]} */
export function completeMany(view, rules, seat, seed, count) {
  const on = tableWith(view, rules);
  const games = use().records("GAME", count);
  try {
    const drawn = on.call.complete_many(on.games, on.rules, seat, seed, games);
    return Array.from({ length: drawn }, (_, i) => use().values("GAME", games.bytes(i)));
  } finally {
    games.free();
  }
}
