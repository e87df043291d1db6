/** Count the distinct positions after the next `depth` turns, level by level. */

import { findTurns } from "../src/game/turns.js";

export function perft({ record, rules }, depth) {
  let level = [record];
  for (let turn = 0; turn < depth; turn++) {
    const found = findTurns(level, rules, "WHOLE_TURN", { mostTurns: Infinity, most: Number.MAX_SAFE_INTEGER });
    level = found.map((result) => result.record);
  }
  return level.length;
}
