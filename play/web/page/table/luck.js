// Split a result into luck and play. Both sum to zero over the sides.
//
// A reference agent plays the deal several times on all seats. The mean points of a side, above the mean of all sides,
// are its luck: what its cards and seat were worth, whoever held them. The estimate is unbiased: over many deals the
// reference agent's own play is zero.

import { Game } from "../casino/src/game/game.js";
import { observe } from "../casino/src/game/observed.js";
import { sidesOf } from "./sheet.js";
import { Table } from "./table.js";

/** @import { Rules } from "../casino/src/game/rules.js" */
/** @import { Agent } from "../casino/src/agents/base.js" */
/** @import { Agents } from "./table.js" */
/** @import { Setup, Sheet } from "./shapes.js" */

/** @typedef {{ luck: number[], error: number[] }} Luck by side; error: standard errors */

export const PLAYOUTS = 24;

/** Points above the average of the sides. @param {number[]} points by side */
export function above(points) {
  const mean = points.reduce((sum, each) => sum + each, 0) / points.length;
  return points.map((each) => each - mean);
}

/** The points of the deal by side. @param {Game} game */
export function pointsOf(game) {
  const scores = game.scores();
  return sidesOf(game.rules).map(([seat]) => scores[seat]);
}

/** Luck and play by side over all deals of a table, in points above the sides' average, with their standard error.
 * @param {Table} table of a finished game @param {Agent} agent @param {{ games?: number }} [how] */
export async function partsOf(table, agent, how = {}) {
  const sides = table.rules.sides, luck = Array(sides).fill(0), play = Array(sides).fill(0),
    squares = Array(sides).fill(0);
  let average = 0;
  for (const { start, sheet } of table.deals()) {
    const worth = await luckOf(start, agent, how), result = above(sheet.points);
    average += sheet.points[0] - result[0];
    for (let side = 0; side < sides; side++) {
      luck[side] += worth.luck[side];
      play[side] += result[side] - worth.luck[side];
      squares[side] += worth.error[side] ** 2;
    }
  }
  return { average, luck, play, error: squares.map(Math.sqrt) };
}

/** Measure the luck of each side in a deal. @param {Game} start of the deal @param {Agent} agent plays on all seats
 * @param {{ games?: number, seed?: number }} [how] @returns {Promise<Luck>} */
export async function luckOf(start, agent, { games = PLAYOUTS, seed = 0 } = {}) {
  /** @type {number[][]} */
  const results = [];
  for (let k = 0; k < games; k++) {
    const game = new Game(start.rules, start.rules.players, 0, { record: start.record });
    game.record.set(0, "match", 0); // play only this deal
    await agent.reset(0, seed + k);
    while (!game.over) {
      const legal = game.legal();
      game.apply(legal.length === 1 ? legal[0] : await agent.act(observe(game)));
    }
    results.push(above(pointsOf(game)));
  }
  const luck = results[0].map((_, side) => results.reduce((sum, each) => sum + each[side], 0) / games);
  const error = luck.map((mean, side) => {
    const squares = results.reduce((sum, each) => sum + (each[side] - mean) ** 2, 0);
    return Math.sqrt(squares / Math.max(1, games - 1) / games);
  });
  return { luck, error };
}

/** Let an agent play a deal in the person's place; return the sheet. @param {Setup} setup @param {string} spec
 * @param {Agents} agents @returns {Promise<Sheet>} */
export async function playedBy(setup, spec, agents) {
  const table = new Table(setup);
  while (!table.over) await table.advance(agents, table.mine ? spec : table.decider);
  return /** @type {Sheet} */ (table.seen().sheet);
}
