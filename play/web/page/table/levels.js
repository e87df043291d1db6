// The levels of a game, from the policies that are at hand.

import { policies } from "../casino/src/agents/registry.js";
import { levels } from "./house.js";

/** @import { Rules } from "../casino/src/game/rules.js" */

/** The policies that have learnt these very rules, the best first. @param {Rules} rules */
function learnt(rules) {
  const best = policies().strongest(rules), { listed } = policies();
  if (best === null) return [];
  return [best, ...["easy", "medium"].map((level) => `${best}-${level}`).filter((name) => name in listed)];
}

/** The four of them, easy to strongest. @param {Rules} rules */
export const levelsOf = (rules) => levels(rules, learnt(rules));
