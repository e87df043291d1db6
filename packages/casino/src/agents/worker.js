/** The worker's side of remote.js, for browsers and node: answers requests one at a time. */

import { Judge } from "./analyse.js";
import { makeAgent, usePolicies } from "./registry.js";
import { loadKernels, ofNode, use } from "../kernels/kernels.js";
import { Observed } from "../game/observed.js";
import { rulesOf } from "../game/rules.js";
import { oneLine } from "../game/validate.js";

/** @import { Request, Sent } from "./remote.js" */
/** @typedef {import("./base.js").Agent & { progress?: (done: number) => void }} Agent */

const BETWEEN = 50; // milliseconds between two reports of a search's progress

const inNode = typeof process !== "undefined" && Boolean(process.versions?.node);
/** @type {any} */
const port = inNode ? (await ofNode("worker_threads")).parentPort : globalThis;

/** @type {Map<number, Agent>} */
const agents = new Map();
/** @type {Judge | null} */
let judge = null;
/** @type {Promise<void>} */
let last = Promise.resolve();

/** @param {Sent} sent */
function observedOf({ variant, players, changes, seat, view, legal }) {
  return new Observed(rulesOf(variant, players, changes), seat, use().values("GAME", view), legal);
}

/** @param {number} number */
function agentOf(number) {
  const found = agents.get(number);
  if (!found) throw new Error("this agent has been closed");
  return found;
}

/** @type {Record<string, (request: Request) => any>} */
const REQUESTS = {
  async load({ wasm, facts, policies }) {
    await loadKernels({ wasm, facts });
    if (policies) usePolicies(policies);
  },
  async make({ agent, spec }) {
    agents.set(agent, await makeAgent(spec));
  },
  reset: ({ agent, seat, seed }) => agentOf(agent).reset(seat, seed),
  check: ({ agent, game: { variant, players, changes } }) => agentOf(agent).check?.(rulesOf(variant, players, changes)),
  act: ({ agent, observed }) => agentOf(agent).act(observedOf(observed)),
  analyse: ({ agent, observed }) => agentOf(agent).analyse(observedOf(observed)),
  watch: ({ agent, observed }) => agentOf(agent).watch?.(observedOf(observed)),
  close({ agent }) {
    agents.get(agent)?.close();
    agents.delete(agent);
  },
  async advise({ observed, options }) {
    judge ??= new Judge();
    const { by, turns } = await judge.advise(observedOf(observed), options);
    return { by, turns };
  },
};

/** @param {Request} request */
async function answer(request) {
  const { id, agent } = request, acting = agents.get(agent);
  let told = 0;
  if (acting && "progress" in acting)
    acting.progress = (done) => {
      if (performance.now() - told < BETWEEN) return;
      told = performance.now();
      port.postMessage({ id, progress: done });
    };
  try {
    port.postMessage({ id, ok: true, value: await REQUESTS[request.do](request) });
  } catch (error) {
    port.postMessage({ id, ok: false, error: oneLine(error) });
  }
}

/** @param {Request} request */
function take(request) {
  last = last.then(() => answer(request));
}

if (inNode) port.on("message", take);
else port.onmessage = (/** @type {MessageEvent<Request>} */ event) => take(event.data);
