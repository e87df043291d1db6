// Luck and play: both sum to zero over the sides, and whoever plays as the known agent does gets the luck and no more.

import assert from "node:assert/strict";
import test from "node:test";

import { makeAgent } from "../page/casino/src/agents/registry.js";
import { Game } from "../page/casino/src/game/game.js";
import { observe } from "../page/casino/src/game/observed.js";
import { makeRules } from "../page/casino/src/game/rules.js";
import { above, levelsOf, luckOf, partsOf, playedBy, pointsOf } from "../page/table/index.js";
import { Dice, Random, agents, playOn, tableOf } from "./tables.js";

for (const [variant, players] of [["khasino", 2], ["swazi", 3], ["khasino", 4]]) {
  test(`luck and play of ${variant} for ${players} sum to nothing`, async () => {
    const table = tableOf(variant, players, { seed: 3 });
    await playOn(table, new Random(1));
    const { average, luck, play, error } = await partsOf(table, new Dice(), { games: 5 }), { sheet } = table.seen();
    for (const parts of [luck, play]) assert.ok(Math.abs(parts.reduce((sum, each) => sum + each, 0)) < 1e-9);
    sheet.points.forEach((points, side) => assert.ok(Math.abs(average + luck[side] + play[side] - points) < 1e-9));
    assert.ok(error.every((each) => each > 0));
  });
}

test("of a match every deal counts", async () => {
  const table = tableOf("cassino", 2, { match: true, seed: 2 });
  await playOn(table, new Random(2));
  const { average, luck, play } = await partsOf(table, new Dice(), { games: 3 }),
    total = table.deals().map(({ sheet }) => sheet.points);
  assert.ok(total.length > 1);
  [0, 1].forEach((side) => assert.ok(Math.abs(average + luck[side] + play[side]
    - total.reduce((sum, points) => sum + points[side], 0)) < 1e-9));
});

test("the known agent gets its luck and no more", async () => {
  const rules = makeRules("cassino", 2), known = await makeAgent(levelsOf(rules)[0].spec), plays = [];
  for (let deal = 0; deal < 150; deal++) {
    const game = new Game(rules, 2, deal);
    await known.reset(0, deal);
    while (!game.over) game.apply(await known.act(observe(game)));
    const { luck } = await luckOf(new Game(rules, 2, deal, { skipForced: false }), known,
      { games: 6, seed: 1000 * deal + 500 });
    plays.push(above(pointsOf(game))[0] - luck[0]);
  }
  const mean = plays.reduce((sum, each) => sum + each, 0) / plays.length;
  const error = Math.sqrt(plays.reduce((sum, each) => sum + (each - mean) ** 2, 0) / plays.length / plays.length);
  assert.ok(Math.abs(mean) < 3 * error, `${mean} ± ${error}`);
});

test("somebody else plays the same deal against the same others", async () => {
  const { setup } = tableOf("khasino", 2, { seed: 5 }), sheet = await playedBy(setup, "greedy", agents);
  assert.deepEqual((await playedBy(setup, "greedy", agents)).points, sheet.points);
  assert.equal(sheet.over, true);
});
