// The opponents and advisers on offer for a game.

import { rulesOf } from "./casino/src/game/rules.js";
import { introduce, levelsOf, OTHERS } from "./table/index.js";

/** @import { AgentAbout, Setup } from "./table/shapes.js" */

/** The four levels of a game, easy to strongest. @param {string} variant @param {number} players
 * @param {{ [field: string]: any }} [changes] */
export function ladder(variant, players, changes = {}) {
  return levelsOf(rulesOf(variant, players, changes));
}

/** Additional policies of this page (`casino play --web --policy FILE`), each for one game.
 * @type {{ file: string, variant: string, players: number, rules: { [field: string]: any } }[]} */
const guests = JSON.parse(document.querySelector("meta[name='guests']")?.getAttribute("content") ?? "[]");

/** All other agents that play a game. @param {AgentAbout[]} row the agents of the levels @param {string} variant
 * @param {number} players @param {{ [field: string]: any }} [changes] */
export function others(row, variant, players, changes = {}) {
  const { key } = rulesOf(variant, players, changes),
    all = OTHERS.filter((spec) => !row.some((one) => one.spec === spec)),
    own = guests.filter((one) => rulesOf(one.variant, one.players, one.rules).key === key);
  return [...own.map(({ file }) => `policy:${file}`), ...all].map(introduce);
}

/** The agents that can give hints, besides the judge. @param {Setup} setup */
export function advisers({ variant, players, rules }) {
  const row = ladder(variant, players, rules);
  return [...row.slice(0, 3), ...others(row, variant, players, rules).filter(({ spec }) => spec !== "random")];
}
