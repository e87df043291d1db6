/** Every complete turn from a position. The kernel (engine/complete_turns.py) finds them. */

import { actionText } from "./actions.js";
import { use } from "../kernels/kernels.js";
import { turnText } from "./notation.js";
import { toJson } from "./position.js";

/** @import { Records, Values } from "../kernels/kernels.js" */
/** @import { Rules } from "./rules.js" */
/** @typedef {{ record: Values, rules: Rules }} Recorded whatever has a record and its rules, as a Game has */
/** @typedef {{ text: string, actions: string[], after: import("./position.js").Position }} Turn */
/** @typedef {{ record: Values, key: number | bigint, actions: number[] }} Result what a turn leaves, equal keys for what nobody could tell apart, and the actions that lead there */

/** A crowded table, on which the complete turns cannot be listed; playing action by action is always possible. */
export class TooManyTurnsError extends Error {
  name = "TooManyTurnsError";
}

/** @param {string} name @returns {number} */
const setting = (name) => use().constant("engine.complete_turns", name);

/**
 * The workspace of the kernel, with room for so many results; `free` gives it back.
 * @param {number} room
 */
function newTurns(room) {
  const kernels = use(), [way] = kernels.facts.records.LISTING.fields.path[2];
  const turns = {
    stack: kernels.records("GAME", way + 1),
    listing: kernels.records("LISTING", 1),
    records: kernels.records("GAME", room),
    keys: kernels.array("u64", room),
    lengths: kernels.array("i64", room),
    paths: kernels.array("i16", [room, way]),
  };
  const free = () => Object.values(turns).forEach((part) => part.free());
  return { turns, way, free };
}

/**
 * All turns from some positions; TooManyTurnsError. end: WHOLE_TURN, AS_THE_SEAT_SEES or AT_REST of
 * engine/complete_turns.py.
 * @param {Values[]} starts
 * @param {Rules} rules
 * @param {string} [end]
 * @param {{ mostTurns?: number, most?: number }} [limits] most: positions; without it as many as are looked at in a second
 * @returns {Result[]}
 */
export function findTurns(starts, rules, end = "WHOLE_TURN", { mostTurns = setting("MOST_TURNS"), most = -1 } = {}) {
  const kernels = use(), row = kernels.records("RULES", 1), games = kernels.records("GAME", starts.length);
  row.copy(rules.record);
  starts.forEach((start, k) => games.write(k, start.bytes(0)));
  const whole = { mostTurns, most }, room = kernels.constant("turns", "_ROOM");
  try {
    return listed(games, row, setting(end), whole, room);
  } finally {
    [row, games].forEach((part) => part.free());
  }
}

/**
 * @param {Records} games
 * @param {Records} row
 * @param {number} end
 * @param {{ mostTurns: number, most: number }} limits
 * @param {number} room
 * @returns {Result[]}
 */
function listed(games, row, end, limits, room) {
  const { mostTurns, most } = limits, { turns, way, free } = newTurns(Math.min(room, mostTurns)), { listing } = turns;
  try {
    Object.entries({ end, most }).forEach(([name, value]) => listing.set(0, name, value));
    const how = use().entry("engine.complete_turns.list_turns")(games, row, turns);
    const full = how === setting("NO_ROOM");
    if (full && room < mostTurns) return listed(games, row, end, limits, 8 * room);
    if (how !== setting("LISTED")) {
      const said = use().constant("turns", "TOO_CROWDED")[how], limit = full ? mostTurns : listing.get(0, "most");
      throw new TooManyTurnsError(said.replace("{most}", limit.toLocaleString("en-US")));
    }
    return Array.from({ length: listing.get(0, "found") }, (_, k) => ({
      record: use().values("GAME", turns.records.bytes(k)),
      key: turns.keys.data[k],
      actions: [...turns.paths.data.subarray(k * way, k * way + Number(turns.lengths.data[k]))],
    }));
  } finally {
    free();
  }
}

/** Equal for positions between turns that nobody could tell apart. @param {Values} record @param {Rules} rules */
export function resultKey(record, rules) {
  const kernels = use(), game = kernels.records("GAME", 1), row = kernels.records("RULES", 1);
  [game.copy(record), row.copy(rules.record)];
  const key = kernels.entry("engine.complete_turns.key_of_result")(game, row);
  [game, row].forEach((part) => part.free());
  return BigInt(key);
}

/** All bytes of a record as a text. @param {Values} record */
export function keyOf(record) {
  return String.fromCharCode(...new Uint16Array(record.bytes(0).buffer));
}

/** The distinct results of a game's next turn, none if it is over. @param {Recorded} game @returns {Result[]} */
export function resultsOf({ record, rules }) {
  return findTurns([record], rules);
}

/** See Game.turns. @param {Recorded} game @returns {Turn[]} */
export function completeTurns(game) {
  const { record, rules } = game;
  return resultsOf(game).map(({ record: after, actions }) => ({
    text: turnText(record, rules, actions),
    actions: actions.map(actionText),
    after: toJson(after, rules),
  }));
}

/** How many distinct positions the next `depth` turns can lead to, counted level by level. @param {Recorded} game @param {number} depth */
export function perft({ record, rules }, depth) {
  let level = [record];
  for (let turn = 0; turn < depth; turn++) {
    level = findTurns(level, rules, "WHOLE_TURN", { mostTurns: Infinity, most: Number.MAX_SAFE_INTEGER }).map((result) => result.record);
  }
  return level.length;
}
