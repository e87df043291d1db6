// Whom one can play against, and who gives hints: by game.

import { rulesOf } from "./casino/src/game/rules.js";
import { introduce, levelsOf, OTHERS } from "./table/index.js";

/** @import { AgentAbout, Setup } from "./table/shapes.js" */

/** The four levels of a game, easy to strongest. @param {string} variant @param {number} players
 * @param {{ [field: string]: any }} [changes] */
export function ladder(variant, players, changes = {}) {
  return levelsOf(rulesOf(variant, players, changes));
}

/** Everybody else who plays any game. @param {AgentAbout[]} row those of the ladder */
export const others = (row) => OTHERS.filter((spec) => !row.some((one) => one.spec === spec)).map(introduce);

/** Those who can be asked for hints beside the judge. @param {Setup} setup */
export function advisers({ variant, players, rules }) {
  const row = ladder(variant, players, rules);
  return [...row.slice(0, 3), ...others(row).filter(({ spec }) => spec !== "random")];
}
