/** The contract of an agent: it gets what its seat may know, and returns an action of the catalogue. */

import { checkedSeed } from "../game/game.js";
import { intIn } from "../game/validate.js";
import { use } from "../kernels/kernels.js";

/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

/**
 * An agent's judgement of a position.
 *
 * @typedef {object} Analysis
 * @property {number} action the action that it plays
 * @property {Float64Array} chances the probability of each action of the catalogue
 * @property {number | null} value expected lead over the others, in points; null if the agent does not estimate it
 * @property {Map<number, number>} values scores of the actions that it considered: in points where `value` is a number,
 *   else on the agent's own scale
 */

/**
 * The contract. Callers must await the answers: an agent that loads weights or runs in a worker returns promises.
 *
 * @typedef {object} Agent
 * @property {(seat: number, seed: number | bigint) => void} reset begin a game on this seat; the seed determines all
 *   its random choices
 * @property {(observed: Observed) => number | Promise<number>} act return a legal action; at least one must be legal
 * @property {(observed: Observed) => Analysis | Promise<Analysis>} analyse return an action and the reasons for it
 * @property {(rules: Rules) => void | Promise<void>} [check] throw if it cannot play these rules
 * @property {(observed: Observed) => void | Promise<void>} [watch] show it a decision of another seat, as its own seat
 *   sees it, for agents that remember what others did
 * @property {() => void} close free its memory
 */

/** Validate the arguments of `reset`. @param {unknown} seat @param {unknown} seed
 * @returns {[seat: number, seed: number | bigint]} */
export function begun(seat, seed) {
  return [intIn(seat, "seat", 0, use().constant("engine.state", "SEATS") - 1), checkedSeed(seed)];
}

/** Cache an asynchronous result by key. A failure is not cached: the next call tries again. @template K, V
 * @param {Map<K, Promise<V>>} known @param {K} key @param {() => Promise<V>} make @returns {Promise<V>} */
export function once(known, key, make) {
  const found = known.get(key) ?? make();
  if (!known.has(key)) found.catch(() => known.delete(key));
  known.set(key, found);
  return found;
}
