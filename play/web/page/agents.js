// The agents and the judge, in a worker: the page never blocks and can stop them.

import { once } from "./casino/src/agents/base.js";
import { RemoteAgents } from "./casino/src/agents/remote.js";
import { policies } from "./places.js";

/** @import { Facts } from "./casino/src/kernels/kernels.js" */
/** @import { RemoteAgent } from "./casino/src/agents/remote.js" */

/** @type {RemoteAgents | null} */
let crew = null;
/** @type {Map<string, Promise<RemoteAgent>>} */
const known = new Map();

/** @param {{ wasm: Uint8Array, facts: Facts }} engine */
export function hire(engine) {
  crew = new RemoteAgents({ policies, ...engine });
}

const hired = () => /** @type {RemoteAgents} */ (crew);

export const agents = {
  /** @param {string} spec */
  of(spec) {
    return once(known, spec, () => hired().of(spec));
  },
};

/** Separate agents for work beside a game: they share no random state with the game's agents. */
export function apart() {
  /** @type {Map<string, Promise<RemoteAgent>>} */
  const made = new Map();
  return {
    /** @param {string} spec */
    of(spec) {
      if (!made.has(spec)) made.set(spec, hired().of(spec));
      return /** @type {Promise<RemoteAgent>} */ (made.get(spec));
    },
    close: () => made.forEach((agent) => agent.then((one) => one.close(), () => {})),
  };
}

/** The judge of turns, for hints and reviews. */
export const judge = () => hired().judge();

/** Abandon all pending calls, which get an AbortError. */
export function stopThinking() {
  crew?.stop();
}

/** Load the worker in advance, which also caches its files for later use offline. */
export function warmUp() {
  agents.of("counter").catch(() => {});
}
