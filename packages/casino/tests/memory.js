/** Play 100,000 games, making and closing agents; print the memory in use and fail if it grows: node
 * tests/memory.js. */

import { makeAgent } from "../src/agents/registry.js";
import { Game, loadKernels, observe, tables } from "../src/index.js";

const GAMES = Number(process.argv[2] ?? 100_000);
const kernels = await loadKernels();
const rules = Object.values(tables());
const bot = await makeAgent("counter");
/** Open an agent for a game, and close it. */
async function made(spec, { rules }) {
  const agent = await makeAgent(spec);
  await agent.check(rules);
  agent.close();
}

await made("policy:universal", new Game(rules[0], 2, 1)); // the largest allocation comes first
const begun = performance.now();
let first = 0;

for (let number = 1; number <= GAMES; number++) {
  const game = new Game(rules[number % rules.length], 2, number);
  for (let word = number; !game.over; word = Math.imul(word, 1103515245) + 12345) {
    const legal = game.legal();
    game.apply(legal[(word >>> 16) % legal.length]);
  }
  if (number % 100 === 0) {
    const next = new Game(rules[number % rules.length], 2, number);
    bot.reset(next.seat, number);
    await bot.act(observe(next));
    Game.fromJson(game.toJson()).turns();
    await made(number % 1000 ? "builder" : "policy:universal", next);
  }
  if (number === 1000 || number % (GAMES / 10) === 0) {
    globalThis.gc?.();
    const wasm = kernels.memory.buffer.byteLength;
    first ||= wasm;
    const { heapUsed } = process.memoryUsage();
    const seconds = (performance.now() - begun) / 1000;
    console.log(`${number} games, ${seconds.toFixed(0)} s: ${wasm / 1024} KB of WebAssembly, ${(heapUsed / 2 ** 20).toFixed(1)} MB of JavaScript`);
  }
}
bot.close();
if (kernels.memory.buffer.byteLength !== first) throw new Error("memory has grown");
