/** Apps: random seeds, misspelt options, policies under custom names, workers. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Judge } from "../src/agents/analyse.js";
import { cardName, Game, loadKernels, makeAgent, nextView, observe, usePolicies, viewOf } from "../src/index.js";
import { RemoteAgents } from "../src/agents/remote.js";
import khasino from "casino-env/policies/khasino-2.js";

await loadKernels();

test("without a seed the cards differ, and the seed is told", () => {
  const one = new Game("khasino", 2), other = new Game("khasino", 2);
  assert.notEqual(one.seed, other.seed);
  assert.ok(new Game("khasino", 2, one.seed).equals(one));
});

test("what is handed in wrongly is named in a line", async () => {
  const game = new Game("khasino", 2, 1), judge = new Judge();
  for (const [work, message] of [
    [() => new Game("khasino", 2, 1, { mach: true }),
      /^Error: options of a game: unknown key 'mach' \(did you mean 'match'\?\)$/],
    [() => new Game("khasino", 2, 1, null), /^Error: options of a game = null; it must be an object$/],
    [() => observe(game, 0, null), /^Error: options = null; it must be an object$/],
    [() => viewOf(game, 2), /^Error: seat = 2; it must be a whole number from 0 to 1$/],
    [() => nextView(viewOf(game, 0), 52), /^Error: 52 is not an action; write card C, discard C/],
    [() => cardName(52), /^Error: 52 is not a card; cards are 0 to 51$/],
    [() => usePolicies(null), /^Error: policies = null; it must be an address, a function or files by name$/],
    [() => judge.advise(observe(game), null), /^Error: options = null; it must be an object$/],
    [() => judge.advise(observe(game), { also: 5 }), /^Error: also = 5; it must be a list$/],
    [() => judge.advise(observe(game), { also: [5] }), /^Error: a turn = 5; it must be a list$/],
    [() => loadKernels({ facts: new URL("../package.json", import.meta.url) }), /^Error: facts: not those of/],
  ]) await assert.rejects(async () => work(), message);
  judge.close();
});

test("a policy under a name of one's own plays, here and in a worker", async () => {
  const policies = { ours: khasino["khasino-2"] }, crew = new RemoteAgents({ policies });
  const game = new Game("khasino", 2, 5);
  usePolicies(policies);
  const here = await makeAgent("policy:ours"), there = await crew.of("policy:ours");
  for (const agent of [here, there]) await agent.reset(game.seat, 3);
  assert.equal(await there.act(observe(game)), here.act(observe(game)));
  usePolicies({ ours: { json: policies.ours.json } });
  await assert.rejects(makeAgent("policy:ours"), /^Error: policy: ours\.safetensors: cannot be read \(no address\)$/);
  usePolicies(policies);
  await assert.rejects(makeAgent("policy:file:///nowhere.policy"), /nowhere\.policy: cannot be read \(ENOENT/);
  await assert.rejects(makeAgent("policy:khasino-2"),
    /unknown policy 'khasino-2'; a file of your own must be called khasino-2\.policy; known: ours$/);
  for (const agent of [here, there])
    await assert.rejects(async () => agent.act(game), /agents take observe\(game\), not the game$/);
  crew.stop();
  here.close();
});

test("a program ends while its agents wait in their worker", () => {
  const at = (path) => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `import { Game, loadKernels, observe } from ${at("../src/index.js")};
    import { RemoteAgents } from ${at("../src/agents/remote.js")};
    await loadKernels();
    console.log(await (await new RemoteAgents().of("greedy")).act(observe(new Game("mini", 2, 1))));`;
  const words = ["--input-type=module", "-e", program];
  const ended = spawnSync(process.execPath, words, { timeout: 30000, encoding: "utf8" });
  assert.deepEqual([ended.status, ended.stderr], [0, ""]);
  assert.match(ended.stdout, /^\d+\n$/);
});

/** Stands in for a browser's worker: its module runs here, and its page's messages go there and back. */
class BrowsersWorker {
  /** @type {BrowsersWorker[]} */
  static all = [];
  ended = false;

  constructor(address, { type }) {
    assert.deepEqual([address.pathname.endsWith("/src/agents/worker.js"), type], [true, "module"]);
    BrowsersWorker.all.push(this);
    globalThis.postMessage = (data) => this.onmessage({ data });
  }

  postMessage(data) {
    queueMicrotask(() => globalThis.onmessage({ data }));
  }

  terminate() {
    this.ended = true;
  }
}

test("a worker of a browser is spoken to as one of node", async () => {
  const { versions } = process, policies = { ours: khasino["khasino-2"] }, game = new Game("khasino", 2, 5);
  const all = new RemoteAgents({ policies });
  Object.defineProperty(process, "versions", { value: {}, configurable: true });
  try {
    await import("../src/agents/worker.js?in-a-browser");
  } finally {
    Object.defineProperty(process, "versions", { value: versions, configurable: true });
  }
  globalThis.Worker = BrowsersWorker;
  const stopped = all.of("policy:ours");
  all.stop();
  await assert.rejects(stopped, { name: "AbortError", message: "the agents have been stopped" });
  const there = await all.of("policy:ours"), here = await makeAgent("policy:ours");
  assert.equal(await there.act(observe(game)), here.act(observe(game)));
  assert.deepEqual(BrowsersWorker.all.map(({ ended }) => ended), [true, false]);
  for (const request of [{ do: "make", spec: "greedy" }, { do: "close" }]) await all.ask({ agent: -1, ...request });
  await assert.rejects(all.ask({ agent: -1, do: "reset", seat: 0, seed: 1 }), /^Error: this agent has been closed$/);
  for (const [message, said] of [["no memory", "no memory"], ["", "the worker cannot be loaded"]]) {
    const asked = there.act(observe(game)), worker = BrowsersWorker.all.at(-1);
    worker.postMessage = () => queueMicrotask(() => worker.onerror({ message }));
    await assert.rejects(asked, { message: `the worker failed: ${said}` });
    assert.ok(worker.ended);
  }
  here.close();
  for (const name of ["Worker", "postMessage", "onmessage"]) delete globalThis[name];
});
