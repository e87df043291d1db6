/** An agent that is asked line by line, as Python's agents are: node tests/player.js SPEC. See tests/in_node.py. */

import { createInterface } from "node:readline";
import { makeAgent, usePolicies } from "../src/agents/registry.js";
import { loadKernels, Observed, rulesOf } from "../src/index.js";

const kernels = await loadKernels();
usePolicies(new URL("../../../agents/policies/", import.meta.url));
const agent = await makeAgent(process.argv[2]);

const rules = ({ variant, players, rules: changes }) => rulesOf(variant, players, changes);
const seen = (request) =>
  new Observed(rules(request), request.seat, kernels.values("GAME", new Uint8Array(Buffer.from(request.view, "base64"))), request.legal);
const REQUESTS = {
  check: (request) => agent.check?.(rules(request)),
  reset: ({ seat, seed }) => agent.reset(seat, BigInt(seed)),
  watch: (request) => agent.watch?.(seen(request)),
  act: (request) => agent.act(seen(request)),
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  try {
    process.stdout.write(`${JSON.stringify({ value: (await REQUESTS[request.do](request)) ?? null })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: error.message })}\n`);
  }
}
