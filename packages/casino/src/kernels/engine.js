/** The engine's entry points for one game (casino_env/engine/entrypoints.py), called with records as plain values. */

import { CARDS, cardsOf, hasCard } from "../game/cards.js";
import { use } from "./kernels.js";
import { borrowing } from "./memory.js";

/** @import { Kernels, Numbers, Values } from "./kernels.js" */
/** @import { Memory } from "./memory.js" */
/** @import { Rules } from "../game/rules.js" */
/** @typedef {number[]} ActionSet bitmask of the catalogue: four numbers of 52 bits, lowest actions first */
/** @typedef {[code: number, place: number, part: number, number: number, low: number, high: number]} Refusal
 *   see engine/invariants.py; all zero: none */
/** @typedef {[seat: number, action: number, begins: boolean]} Done a played action; begins: it began a turn */

export const MOST_AT_ONCE = 16; // most actions that one call plays

/** Buffers in the kernels' memory for the record that is being played. */
class Table {
  /** @type {Rules | null} */
  #laid = null;

  /** @param {Kernels} kernels */
  constructor(kernels) {
    this.games = kernels.records("GAME", 1);
    this.views = kernels.records("GAME", 1);
    this.rules = kernels.records("RULES", 1);
    this.done = kernels.array("i16", [MOST_AT_ONCE, 3]);
    const [start, legal, play] = ["start", "legal", "play"].map((name) => kernels.entry(`engine.entrypoints.${name}`));
    this.call = { start, legal, play, writeView: kernels.entry("knowledge.encode.write_view") };
  }

  /** @param {Values} record @param {Rules} rules */
  lay(record, rules) {
    this.games.copy(record);
    if (this.#laid !== rules) this.rules.copy(rules.record);
    this.#laid = rules;
    return this;
  }
}

/** @type {WeakMap<Kernels, Table>} */
const tables = new WeakMap();

/** @param {Values} record @param {Rules} rules */
function tableWith(record, rules) {
  const kernels = use(), found = tables.get(kernels) ?? new Table(kernels);
  tables.set(kernels, found);
  return found.lay(record, rules);
}

/** Constants of engine/state.py by name: modes such as IDLE and OVER. @returns {Record<string, number>} */
export function stateNumbers() {
  return use().constants("engine.state");
}

// --- playing ---------------------------------------------------------------------------------------------------------

/** Deal a new game. @param {Rules} rules @param {number | bigint} seed @param {boolean} match @returns {Values} */
export function start(rules, seed, match) {
  const record = use().values("GAME"), on = tableWith(record, rules);
  on.call.start(on.games, on.rules, seed, Number(match));
  record.copy(on.games);
  return record;
}

/** @param {Values} record @param {Rules} rules @returns {ActionSet} */
export function legal(record, rules) {
  const on = tableWith(record, rules);
  return on.call.legal(on.games, on.rules);
}

/** Play a legal action in place and, if `forced`, the forced actions after it, at most MOST_AT_ONCE in all.
 * @param {Values} record @param {Rules} rules @param {number} action @param {boolean} forced
 * @returns {{ done: Done[], legal: ActionSet }} legal: afterwards; valid only if `forced` */
export function play(record, rules, action, forced) {
  const on = tableWith(record, rules);
  const [count, after] = on.call.play(on.games, on.rules, action, Number(forced), on.done);
  record.copy(on.games);
  const done = rowsOf(on.done, count).map(([seat, what, begins]) => /** @type {Done} */ ([seat, what, begins === 1]));
  return { done, legal: after };
}

// --- records from outside --------------------------------------------------------------------------------------------

/** The workspace for proving that play can lead to the open action. @param {Memory} memory */
function proof(memory) {
  const { ROOM, KEYS } = memory.kernels.constants("engine.invariants");
  return [memory.records("GAME", ROOM), memory.array("i64", KEYS)];
}

/** Why play cannot continue from a record; all zero if it can. @param {Values} record @param {Rules} rules
 * @param {number} part 1: check all but what the open action takes, 2: only that, 3: both @returns {Refusal} */
export function refusal(record, rules, part) {
  return borrowing((memory) => use().entry("engine.invariants.refusal")(
    memory.copies(record), memory.copies(rules.record), ...proof(memory), part));
}

/**
 * A position in flat form (casino_env/engine/flat_form.py): numbers by name, and its lists as rows.
 * @typedef {{ numbers: Record<string, number>, rows: number[][], builds: number[][], stream: bigint, said: number,
 *   counts?: number[] }} Flat counts: numbers of the cards that a view hides
 */

/** Make the record of a position, or with `seat` of that seat's view, and say why it is impossible, if so.
 * @param {Rules} rules @param {Flat} flat @param {number} [seat] @returns {{ record: Values, found: Refusal }} */
export function buildRecord(rules, { numbers, rows, builds, stream, said, counts = [] }, seat = -1) {
  return borrowing((memory) => {
    const record = use().values("GAME"),
      table = (/** @type {number[][]} */ list) => memory.numbers("i64", list.flat(), list.length, 3);
    record.set(0, "rng", stream);
    const games = memory.copies(record), row = memory.copies(rules.record);
    const lists = [memory.numbers("i64", Object.values(numbers)), table(rows), table(builds)];
    const found = seat < 0 ? use().entry("engine.flat_form.build")(games, row, ...lists, ...proof(memory), said)
      : use().entry("knowledge.sights.look")(games, row, ...lists, memory.numbers("i64", counts), seat);
    record.copy(games);
    return { record, found };
  });
}

/** Make the record of a game that agrees with a view, and say why there is none, if so. @param {Values} view
 * @param {Rules} rules @param {number} seat @param {Map<number, number>} hands least sets of cards that other seats
 * hold, in place of those that they must @param {number} said @returns {{ record: Values, found: Refusal }} */
export function fillView(view, rules, seat, hands, said) {
  return borrowing((memory) => {
    const record = use().values("GAME"), games = memory.records("GAME", 1);
    const given = memory.numbers("i64", Array.from({ length: stateNumbers().SEATS }, (_, k) => hands.get(k) ?? 0));
    const found = use().entry("knowledge.sights.fill")(
      memory.copies(view), memory.copies(rules.record), seat, given, games, ...proof(memory), said);
    record.copy(games);
    return { record, found };
  });
}

/** Find a hand of the deciding seat that allows an action, or why there is none (knowledge/sights.py).
 * @param {Values} view @param {Rules} rules @param {number} looks seat of the view @param {number} action
 * @param {number[]} said facts from the house @param {Values} record a game that agrees with the view; becomes the one
 * in which the action was refused @returns {{ why: number, hand: number }} */
export function allowingHand(view, rules, looks, action, said, record) {
  return borrowing((memory) => {
    const games = memory.copies(record), told = memory.numbers("i64", said),
      on = [memory.copies(view), memory.copies(rules.record)];
    const [why, hand] = use().entry("knowledge.sights.allowing_hand")(...on, looks, action, told, games,
      ...proof(memory));
    record.copy(games);
    return { why, hand };
  });
}

/** The flat form of a record: numbers by name, its lists, builds with their sets, whether a position must say who has
 * won, and the random stream of a match. @param {Values} record @param {Rules} rules */
export function flatten(record, rules) {
  return borrowing((memory) => {
    const { PLACES, BUILDS, MOST_ROWS } = use().constants("engine.flat_form"),
      { FIELDS, LAST_NUMBER } = use().constants("engine.invariants");
    const numbers = memory.array("i64", LAST_NUMBER), rows = memory.array("i64", MOST_ROWS, 3),
      laid = memory.array("i64", stateNumbers().VALUES, 3);
    const on = [memory.copies(record), memory.copies(rules.record)];
    const [many, manyBuilds, said, stream] = use().entry("agents.opened.write_flat")(...on, numbers, rows, laid);
    /** @type {Record<string, number>} */
    const number = Object.fromEntries(Array.from(numbers.data, (one, k) => [FIELDS[k], Number(one)]));
    const empty = (/** @type {number} */ length) => Array.from({ length }, () => /** @type {number[]} */ ([]));
    const builds = rowsOf(laid, manyBuilds).map(([value, owner, sets]) => ({ value, owner, sets: empty(sets) }));
    const lists = empty(PLACES.length);
    for (const [what, place, part] of rowsOf(rows, many))
      (place < BUILDS ? lists[place] : builds[place - BUILDS].sets[part]).push(what);
    return { number, lists, builds, said, stream };
  });
}

/** The first rows of an array of three columns. @param {Numbers} array @param {number} many @returns {number[][]} */
function rowsOf({ data }, many) {
  return Array.from({ length: many }, (_, k) => [0, 1, 2].map((column) => Number(data[3 * k + column])));
}

/** Describe actions as rows of (phrase, card or number, pile); see engine/wording.py. @param {Values} record
 * @param {Rules} rules @param {number[]} actions */
export function tell(record, rules, actions) {
  return borrowing((memory) => {
    const rows = memory.array("i64", actions.length * use().constant("engine.wording", "MOST_PHRASES"), 3);
    const games = memory.records("GAME", 3), row = memory.copies(rules.record), own = memory.records("RULES", 1);
    games.copy(record);
    return rowsOf(rows, use().entry("engine.wording.tell")(games, row, own, memory.numbers("i64", actions), rows));
  });
}

// --- sets of actions -------------------------------------------------------------------------------------------------

/** @param {ActionSet} set @param {number} action */
export function allows(set, action) {
  if (!(Number.isInteger(action) && action >= 0 && action < set.length * CARDS)) return false;
  return hasCard(set[Math.floor(action / CARDS)], action % CARDS);
}

/** The actions of a set, ascending. @param {ActionSet} set @returns {number[]} */
export function actionsOf(set) {
  return set.flatMap((part, k) => cardsOf(part).map((bit) => k * CARDS + bit));
}

// --- points ----------------------------------------------------------------------------------------------------------

/** Points of a deal by category and seat: final when it is over, else those already certain. Partners share theirs.
 * @param {Values} record @param {Rules} rules @returns {Record<string, number[]>} */
export function breakdown(record, rules) {
  /** @type {string[]} */
  const categories = use().constant("engine.scoring", "CATEGORIES"),
    byRule = use().constant("engine.entrypoints", "_BY_RULE");
  const found = borrowing((memory) => {
    const points = memory.array("i64", categories.length, rules.sides);
    use().entry("engine.entrypoints.points")(memory.copies(record), memory.copies(rules.record), points);
    return Array.from(points.data, Number);
  });
  /** @param {number} kind */
  const row = (kind) => Array.from({ length: rules.players },
    (_, seat) => found[kind * rules.sides + rules.side(seat)]);
  const rows = categories.map((name, kind) => /** @type {[string, number[]]} */ ([name, row(kind)]));
  return Object.fromEntries(rows.filter(([name, each]) => rules[byRule[name] ?? "ace_points"] || each.some(Boolean)));
}

/** Add up a breakdown by seat. @param {Record<string, number[]>} points @param {Rules} rules @returns {number[]} */
export function scoresOf(points, rules) {
  return Array.from({ length: rules.players }, (_, seat) =>
    Object.values(points).reduce((sum, row) => sum + row[seat], 0));
}

// --- what a seat may know --------------------------------------------------------------------------------------------

/** Make the record of what a seat may know. @param {Values} record @param {Rules} rules @param {number} seat
 * @param {number} memory of face-down piles: knowledge.view.PERFECT or NONE @returns {Values} */
export function writeView(record, rules, seat, memory) {
  const on = tableWith(record, rules);
  on.call.writeView(on.games, 0, on.rules, seat, memory, on.views, 0);
  return use().values("GAME", on.views.bytes());
}

/** Sample records of games that agree with a view; fewer than `count` if none agrees. @param {Values} view
 * @param {Rules} rules @param {number} seat @param {number | bigint} seed @param {number} count @returns {Values[]} */
export function completeMany(view, rules, seat, seed, count) {
  return borrowing((memory) => {
    const games = memory.records("GAME", count), on = [memory.copies(view), memory.copies(rules.record)];
    const drawn = use().entry("knowledge.determinizations.complete_many")(...on, seat, seed, games);
    return Array.from({ length: drawn }, (_, i) => use().values("GAME", games.bytes(i)));
  });
}
