/** Apps: random seeds, misspelt options, policies under custom names. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Game, loadKernels, makeAgent, observe, usePolicies } from "../src/index.js";
import { RemoteAgents } from "../src/agents/remote.js";
import khasino from "casino-env/policies/khasino-2.js";

await loadKernels();

test("without a seed the cards differ, and the seed is told", () => {
  const one = new Game("khasino", 2), other = new Game("khasino", 2);
  assert.notEqual(one.seed, other.seed);
  assert.ok(new Game("khasino", 2, one.seed).equals(one));
});

test("options that there are not are named", () => {
  assert.throws(() => new Game("khasino", 2, 1, { mach: true }),
    /^Error: options of a game: unknown key 'mach' \(did you mean 'match'\?\)$/);
});

test("a policy under a name of one's own plays, here and in a worker", async () => {
  const policies = { ours: khasino["khasino-2"] }, crew = new RemoteAgents({ policies });
  const game = new Game("khasino", 2, 5);
  usePolicies(policies);
  const here = await makeAgent("policy:ours"), there = await crew.of("policy:ours");
  for (const agent of [here, there]) await agent.reset(game.seat, 3);
  assert.equal(await there.act(observe(game)), here.act(observe(game)));
  await assert.rejects(makeAgent("policy:khasino-2"),
    /there is no such policy; one of your own is called khasino-2\.policy; there are ours$/);
  for (const agent of [here, there])
    await assert.rejects(async () => agent.act(game), /agents are shown observe\(game\), not the game$/);
  crew.stop();
  here.close();
});
