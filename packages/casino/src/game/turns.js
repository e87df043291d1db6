/** Every complete turn from a position. The kernel (engine/complete_turns.py) finds them. */

import { actionText } from "./actions.js";
import { use } from "../kernels/kernels.js";
import { turnText } from "./notation.js";
import { toJson } from "./position.js";

/** @import { Values } from "../kernels/kernels.js" */
/** @import { Rules } from "./rules.js" */
/** @typedef {{ record: Values, rules: Rules }} Recorded whatever has a record and its rules, as a Game has */
/** @typedef {{ text: string, actions: string[], after: import("./position.js").Position }} Turn */
/** @typedef {{ record: Values, actions: number[] }} Result what a turn leaves, and the actions that lead there */

/** A crowded table, on which the complete turns cannot be listed; playing action by action is always possible. */
export class TooManyTurnsError extends Error {
  name = "TooManyTurnsError";
}

/** @returns {Record<string, number>} */
const settings = () => use().facts.constants["engine.complete_turns"];
/** @param {string} name */
const setting = (name) => settings()[name];

/** All turns from some positions; TooManyTurnsError. end: WHOLE_TURN, AS_THE_SEAT_SEES or AT_REST of
 * engine/complete_turns.py. @param {Values[]} starts @param {Rules} rules @param {string} [end]
 * @param {{ mostTurns?: number, most?: number }} [limits] most: positions; without it as many as are looked at in a
 * second @returns {Result[]} */
export function findTurns(starts, rules, end = "WHOLE_TURN", { mostTurns = setting("MOST_TURNS"), most = -1 } = {}) {
  const kernels = use(), [way] = kernels.facts.records.LISTING.fields.path[2], { NO_ROOM, LISTED } = settings();
  for (let room = kernels.constant("turns", "_ROOM"); ; room *= 8) {
    const many = Math.min(room, mostTurns), listing = kernels.records("LISTING", 1);
    const games = kernels.records("GAME", starts.length), row = kernels.records("RULES", 1);
    const turns = {
      stack: kernels.records("GAME", way + 1), listing, records: kernels.records("GAME", many),
      keys: kernels.array("u64", many),
      lengths: kernels.array("i64", many), paths: kernels.array("i16", [many, way]),
    };
    try {
      row.copy(rules.record);
      starts.forEach((start, k) => games.copy(start, 0, k));
      Object.entries({ end: setting(end), most }).forEach(([name, value]) => listing.set(0, name, value));
      const how = kernels.entry("engine.complete_turns.list_turns")(games, row, turns);
      if (how === NO_ROOM && room < mostTurns) continue;
      if (how !== LISTED) {
        const said = kernels.constant("turns", "TOO_CROWDED")[how], limit = how === NO_ROOM ? mostTurns
          : listing.get(0, "most");
        throw new TooManyTurnsError(said.replace("{most}", limit.toLocaleString("en-US")));
      }
      return Array.from({ length: listing.get(0, "found") }, (_, k) => ({
        record: kernels.values("GAME", turns.records.bytes(k)),
        actions: [...turns.paths.data.subarray(k * way, k * way + Number(turns.lengths.data[k]))],
      }));
    } finally {
      for (const part of [...Object.values(turns), games, row]) part.free();
    }
  }
}

/** See Game.turns: none if the game is over. @param {Recorded} game @returns {Turn[]} */
export function completeTurns({ record, rules }) {
  return findTurns([record], rules).map(({ record: after, actions }) => ({
    text: turnText(record, rules, actions),
    actions: actions.map(actionText),
    after: toJson(after, rules),
  }));
}

/** How many distinct positions the next `depth` turns can lead to, counted level by level. @param {Recorded} game
 * @param {number} depth */
export function perft({ record, rules }, depth) {
  let level = [record];
  for (let turn = 0; turn < depth; turn++) {
    level = findTurns(level, rules, "WHOLE_TURN", { mostTurns: Infinity, most: Number.MAX_SAFE_INTEGER })
      .map((result) => result.record);
  }
  return level.length;
}
