/** Whether agents choose here as in Python: node tests/choices.js FILE, a file of `python -m tests.choices --positions`.
 *
 * Networks add up numbers of 32 bits in another order here, so what is as good as equal may be chosen otherwise: once in
 * some thousand decisions. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { makeAgent, policies, usePolicies } from "../src/agents/registry.js";
import { loadKernels, Observed, rulesOf } from "../src/index.js";

const NEAR = 1e-4; // what chances may differ by: sums of 32 bits are added up in another order
const SELDOM = 1 / 1000;
const kernels = await loadKernels();
usePolicies(new URL("../../../agents/policies/", import.meta.url));

let same = 0, farthest = 0;
const wrong = [];
for (const line of readFileSync(process.argv[2], "utf8").trim().split("\n")) {
  const { agent: spec, variant, players, rules: changes, theta, positions } = JSON.parse(line);
  const rules = rulesOf(variant, players, changes), agent = await makeAgent(spec);
  if (theta) {
    const { theta: weights } = await policies().load(spec.slice("policy:".length));
    const digest = createHash("sha256").update(new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength)).digest("hex");
    if (digest !== theta) wrong.push(`${spec}: other weights`);
  }
  agent.reset(0, 1);
  for (const [seat, view, legal, action, chances] of positions) {
    const seen = new Observed(rules, seat, kernels.values("GAME", new Uint8Array(Buffer.from(view, "base64"))), legal);
    const found = agent.chances(seen), off = Math.max(...legal.map((each, i) => Math.abs(found[each] - chances[i])));
    const acted = action === null || agent.act(seen) === action;
    if (off < NEAR && acted) same++;
    else wrong.push(`${spec} of ${variant} ${players}, seat ${seat}, ${legal.length} legal: ${acted ? off : "another action"}`);
    if (off < NEAR) farthest = Math.max(farthest, off);
  }
  agent.close();
}
console.log(JSON.stringify({ same, wrong: wrong.length, farthest, which: wrong.slice(0, 20) }));
process.exitCode = wrong.length > SELDOM * same ? 1 : 0;
