// Compare two agents: they play the same deals from both seats.
// node examples/match.js policy:khasino-2 counter 50

import { Game, loadKernels, makeAgent, observe } from "../src/index.js";

const [one = "policy:khasino-2", two = "counter", pairs = "50", variant = "khasino"] = process.argv.slice(2);
process.on("uncaughtException", ({ message }) => { // for example an unknown agent or game
  console.error(`match: ${message}`);
  process.exit(1);
});
if (!(Number.isSafeInteger(Number(pairs)) && pairs > 1))
  throw new Error(`${pairs} pairs of deals; must be 2 or more`);
await loadKernels();
const agents = await Promise.all([makeAgent(one), makeAgent(two)]);

/** Play one deal with these agents, by seat; return the points by seat. */
async function deal(seed, seats) {
  const game = new Game(variant, 2, seed);
  seats.forEach((agent, seat) => agent.reset(seat, seed));
  while (!game.over) game.apply(await seats[game.seat].act(observe(game)));
  return game.scores();
}

const differences = [];
for (let seed = 1; seed <= Number(pairs); seed++) {
  const [first, second] = [await deal(seed, agents), await deal(seed, [...agents].reverse())];
  differences.push((first[0] - first[1] + second[1] - second[0]) / 2);
}
const mean = differences.reduce((sum, each) => sum + each, 0) / differences.length;
const spread = Math.sqrt(differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (differences.length - 1));
const error = (1.96 * spread) / Math.sqrt(differences.length);
console.log(`${one} over ${two}: ${mean.toFixed(2)} points a deal, give or take ${error.toFixed(2)} (${differences.length} pairs)`);
for (const agent of agents) agent.close();
