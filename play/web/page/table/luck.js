// What a deal was worth to each side: luck. A result is luck and play; both sum to nothing over the sides.
//
// A known agent plays the deal several times on all seats. What a side gets then on average, above the average of the
// sides, is what its cards and its place were worth, whoever held them. It is unbiased: over many deals what that agent
// gets beyond its luck is nothing.

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

/** What all deals of a table came to, above the average of the sides: luck and play, with the standard error of both.
 * @param {Table} table that is over @param {Agent} agent @param {{ games?: number }} [how] */
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

/** What the deal that begins here is worth to each side. @param {Game} start @param {Agent} agent that plays on all
 * seats @param {{ games?: number, seed?: number }} [how] @returns {Promise<Luck>} */
export async function luckOf(start, agent, { games = PLAYOUTS, seed = 0 } = {}) {
  /** @type {number[][]} */
  const results = [];
  for (let k = 0; k < games; k++) {
    const game = new Game(start.rules, start.rules.players, 0, { record: start.record });
    game.record.set(0, "match", 0); // this deal is what counts
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

/** What an agent makes of a deal in the person's place. @param {Setup} setup @param {string} spec
 * @param {Agents} agents @returns {Promise<Sheet>} */
export async function playedBy(setup, spec, agents) {
  const table = new Table(setup);
  while (!table.over) await table.advance(agents, table.mine ? spec : table.decider);
  return /** @type {Sheet} */ (table.seen().sheet);
}
