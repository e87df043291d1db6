/** Every complete turn from a position. */

import { actionText } from "./actions.js";
import { countOf } from "./cards.js";
import { act, actionsOf, legal, stateNumbers } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { turnText } from "./notation.js";
import { buildSets, byTime, chain, toJson } from "./position.js";

/** @typedef {import("../kernels/kernels.js").Values} Values */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {{ record: Values, rules: Rules }} Recorded whatever has a record and its rules, as a Game has */
/** @typedef {{ text: string, actions: string[], after: import("./position.js").Position }} Turn */
/** @typedef {{ record: Values, actions: number[] }} Result what a turn comes to, and the actions that lead there */

/** A crowded table, on which the complete turns cannot be listed; playing action by action is always possible. */
export class TooManyTurnsError extends Error {
  name = "TooManyTurnsError";
}

/** @param {number} number */
const grouped = (number) => number.toLocaleString("en-US");
/** @param {string} name @returns {number} */
const constant = (name) => use().constant("turns", name);

/** Equal for positions between turns that nobody could tell apart. @param {Values} record @param {Rules} rules */
export function resultKey(record, rules) {
  const keepOrder = rules.stacking === "as_built" || rules.stacking === "build_on_top";
  const builds = [];
  for (let seat = 0; seat < rules.players; seat++) {
    for (let value = 1; value < 15; value++) {
      if (!((record.get(0, "owned", seat) >> value) & 1)) continue;
      const sets = buildSets(record, value);
      const shape = keepOrder ? sets : sets.map((cards) => [...cards].sort((one, two) => one - two).join()).sort();
      builds.push([value, seat, shape]);
    }
  }
  const piles =
    rules.stacking === "face_down" ? record.list(0, "piles") : record.list(0, "pile_top").map((top) => chain(record, top));
  const layout = rules.stacking === "as_built" ? byTime(record, record.get(0, "layout")) : record.get(0, "layout");
  const rest = ["to_move", "mode", "round", "last_capture", "stock_top", "winner"].map((name) => record.get(0, name));
  const lists = ["hands", "proven", "sweeps"].map((name) => record.list(0, name));
  return JSON.stringify([piles, layout, builds, rest, lists]);
}

/**
 * Follow all actions, and visit(position, actions) wherever they have ended; positions seen before are passed over.
 * False, and not all is visited, if there are more than most positions.
 * @param {Values} record
 * @param {Rules} rules
 * @param {(here: Values, actions: number[]) => boolean} ended
 * @param {(here: Values, actions: number[]) => void} visit
 * @param {number} [most]
 */
export function explore(record, rules, ended, visit, most = Infinity) {
  const seen = new Set();
  /** @type {[Values, number[]][]} */
  const stack = [[record, []]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [here, actions] = next;
    if (ended(here, actions)) {
      visit(here, actions);
      continue;
    }
    for (const action of actionsOf(legal(here, rules)).reverse()) {
      const after = here.clone();
      act(after, rules, action);
      const key = keyOf(after);
      if (!seen.has(key)) {
        seen.add(key);
        stack.push([after, [...actions, action]]);
      }
    }
    if (seen.size > most) return false;
  }
  return true;
}

/** All bytes of a record as a text. @param {Values} record */
export function keyOf(record) {
  return String.fromCharCode(...new Uint16Array(record.bytes(0).buffer));
}

/**
 * Call visit(result, actions) for the end of each turn that can be reached.
 * @param {Values} record
 * @param {Rules} rules
 * @param {(here: Values, actions: number[]) => void} visit
 * @param {number} [most]
 */
export function walk(record, rules, visit, most = Infinity) {
  const [begun, deals] = [record.get(0, "turns"), record.get(0, "deals")];
  const ended = (/** @type {Values} */ here) => here.get(0, "turns") !== begun || here.get(0, "deals") !== deals;
  if (!explore(record, rules, ended, visit, most)) {
    throw new TooManyTurnsError(
      `more than ${grouped(most)} positions lie between here and the end of the turn; play action by action`,
    );
  }
}

/** @param {Values} record */
export function isCrowded(record) {
  return countOf(record.get(0, "layout")) > constant("CROWDED");
}

/** How many positions may be looked at in the time that so many mostly take. @param {Values} record @param {Rules} rules @param {number} most */
export function affordable(record, rules, most) {
  return isCrowded(record) && rules.insist_capture !== "never" ? Math.floor(most / 10) : most;
}

/**
 * The results of all complete turns, with the shortest way to each that was met first.
 * @param {Values} record
 * @param {Rules} rules
 * @param {number} [most]
 * @param {number} [mostTurns]
 * @returns {Map<string, Result>}
 */
export function distinctResults(record, rules, most = Infinity, mostTurns = Infinity) {
  /** @type {Map<string, Result>} */
  const results = new Map();
  walk(
    record,
    rules,
    (after, actions) => {
      const key = resultKey(after, rules);
      const known = results.get(key);
      if (!known || actions.length < known.actions.length) results.set(key, { record: after, actions });
      if (results.size > mostTurns) {
        throw new TooManyTurnsError(`more than ${grouped(mostTurns)} complete turns are possible; play action by action`);
      }
    },
    most,
  );
  return results;
}

/** The distinct results of a game's next turn, none if it is over. @param {Recorded} game @returns {Map<string, Result>} */
export function resultsOf({ record, rules }) {
  if (record.get(0, "mode") === stateNumbers().OVER) return new Map();
  return distinctResults(record.clone(), rules, affordable(record, rules, constant("MOST_POSITIONS")), constant("MOST_TURNS"));
}

/** See Game.turns. @param {Recorded} game @returns {Turn[]} */
export function completeTurns(game) {
  const { record, rules } = game;
  return [...resultsOf(game).values()].map(({ record: after, actions }) => ({
    text: turnText(record, rules, actions),
    actions: actions.map(actionText),
    after: toJson(after, rules),
  }));
}

/** How many distinct positions the next `depth` turns can lead to, counted level by level. @param {Recorded} game @param {number} depth */
export function perft({ record, rules }, depth) {
  /** @type {Map<string, Values>} */
  let level = new Map([["", record.clone()]]);
  for (let turn = 0; turn < depth; turn++) {
    /** @type {Map<string, Values>} */
    const following = new Map();
    for (const here of level.values()) {
      for (const [key, { record: after }] of distinctResults(here, rules)) following.set(key, after);
    }
    level = following;
  }
  return level.size;
}
