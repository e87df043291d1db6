// Whom one can play against, and who gives hints: by game.

import { policies } from "./casino/src/agents/registry.js";
import { rulesOf } from "./casino/src/rules.js";
import { introduce, levels } from "./casino/src/table/index.js";

/** @typedef {import("./casino/src/table/shapes.js").AgentAbout} AgentAbout */

const OTHERS = ["random", "greedy", "builder", "counter", "partner", "search:time=0.5", "policy:universal"];

/** The policies that have learnt these very rules, the best first. @param {import("./casino/src/rules.js").Rules} rules */
function learnt(rules) {
  const best = policies().strongest(rules), { listed } = policies();
  return best === null ? [] : [best, ...["easy", "medium"].map((level) => `${best}-${level}`).filter((name) => name in listed)];
}

/** The four levels of a game, easy to strongest. @param {string} variant @param {number} players @param {{ [field: string]: any }} [changes] */
export function ladder(variant, players, changes = {}) {
  const rules = rulesOf(variant, players, changes);
  return levels(rules, learnt(rules));
}

/** Everybody else who plays any game. @param {AgentAbout[]} row those of the ladder */
export const others = (row) => OTHERS.filter((spec) => !row.some((one) => one.spec === spec)).map(introduce);

/** Those who can be asked for hints beside the judge. @param {import("./casino/src/table/shapes.js").Setup} setup */
export function advisers({ variant, players, rules }) {
  const row = ladder(variant, players, rules);
  return [...row.slice(0, 3), ...others(row).filter(({ spec }) => spec !== "random")];
}
