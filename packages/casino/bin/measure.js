#!/usr/bin/env node
/** Measures what the card table tells people of themselves.
 *
 *     node bin/measure.js luck [--deals 2000] [--game khasino] [--agents medium,easy]   luck, play and results, and their sums
 *     node bin/measure.js levels [--deals 10] [--game khasino]                          points that each level loses */

import { parseArgs } from "node:util";

import { Judge, net, verdict } from "../src/agents/analyse.js";
import { makeAgent } from "../src/agents/registry.js";
import { Game } from "../src/game.js";
import { loadKernels } from "../src/kernels.js";
import { observe } from "../src/observed.js";
import { makeRules, playerCounts } from "../src/rules.js";
import { levelsOf } from "../src/table/levels.js";
import { above, luckOf, pointsOf } from "../src/table/luck.js";
import { intIn } from "../src/validate.js";
import { command } from "./command.js";
import { turnBy } from "./turns.js";

const NAMES = ["easy", "medium", "strong", "strongest"];
const PLAYOUTS = 8; // of each deal: many deals make up for few

/** A level by its name, or any agent. */
const specOf = (rules, name) => (NAMES.includes(name) ? levelsOf(rules)[NAMES.indexOf(name)].spec : name);

/** Mean and standard error. @param {number[]} values */
function told(values) {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  const error = Math.sqrt(values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, values.length - 1) / values.length);
  return `${mean < 0 ? "" : "+"}${mean.toFixed(3)} ± ${(1.96 * error).toFixed(3)}`;
}

/** A deal by these agents, one a seat. */
async function played(rules, seed, seats) {
  const game = new Game(rules, rules.players, seed);
  for (const [seat, agent] of seats.entries()) await agent.reset(seat, seed);
  while (!game.over) game.apply(await seats[game.seat].act(observe(game)));
  return game;
}

async function luck(rules, deals, names) {
  const known = await makeAgent(levelsOf(rules)[0].spec), [one, other] = await Promise.all([0, 1].map((k) => makeAgent(specOf(rules, names[k] ?? names[0]))));
  const rows = { result: [], luck: [], play: [] }, first = [], sums = [];
  for (let deal = 0; deal < deals; deal++) {
    const mine = deal % rules.sides; // sides change
    const seats = Array.from({ length: rules.players }, (_, seat) => (rules.side(seat) === mine ? one : other));
    const result = above(pointsOf(await played(rules, deal, seats)));
    const worth = (await luckOf(new Game(rules, rules.players, deal, { skipForced: false }), known, { games: PLAYOUTS, seed: 1000 * deal })).luck;
    const play = result.map((each, side) => each - worth[side]);
    rows.result.push(result[mine]);
    rows.luck.push(worth[mine]);
    rows.play.push(play[mine]);
    first.push(worth[0]);
    sums.push(...[result, worth, play].map((each) => Math.abs(each.reduce((sum, side) => sum + side, 0))));
  }
  console.log(`${rules.name}, ${deals} deals: ${names[0]} beside ${names[1] ?? names[0]}, points above the average of the sides, 95 % intervals`);
  for (const [name, values] of Object.entries(rows)) console.log(`  ${name.padEnd(7)} ${told(values)}`);
  console.log(`  luck of the side that begins ${told(first)}; the farthest that a sum over the sides is from nothing: ${Math.max(...sums).toExponential(0)}`);
}

async function levels(rules, deals) {
  const judge = new Judge();
  for (const [at, { spec }] of levelsOf(rules).slice(0, 3).entries()) {
    const agent = await makeAgent(spec), verdicts = [];
    for (let seed = 0; seed < deals; seed++) {
      const game = new Game(rules, rules.players, seed);
      await agent.reset(0, seed);
      while (!game.over) {
        const observed = observe(game), { seat } = game, actions = await turnBy(agent, game);
        if (seat === 0) verdicts.push(verdict(await judge.advise(observed, { also: [actions] }), actions));
        for (const action of actions) if (!game.over && game.legal().includes(action)) game.apply(action);
      }
    }
    const { loss, half } = net(verdicts);
    console.log(`${rules.name} ${NAMES[at]}: ${(loss / verdicts.length).toFixed(3)} ± ${(half / verdicts.length).toFixed(3)} points a decision, ${(loss / deals).toFixed(2)} a deal (${deals} deals)`);
  }
}

const MEASURES = { luck: { run: luck, deals: 2000 }, levels: { run: levels, deals: 10 } };

await command("measure", async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { deals: { type: "string" }, game: { type: "string", default: "khasino" }, players: { type: "string" }, agents: { type: "string", default: "medium,easy" } },
  });
  const measure = MEASURES[positionals[0]];
  if (!measure) throw new Error(`say what: ${Object.keys(MEASURES).join(" or ")}`);
  await loadKernels();
  const players = values.players ? Number(values.players) : undefined;
  const rules = makeRules(values.game, players ?? playerCounts(values.game)[0]);
  await measure.run(rules, intIn(Number(values.deals ?? measure.deals), "--deals", 1, 1e6), values.agents.split(/,(?!\w+=)/));
});
