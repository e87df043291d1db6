/** What an agent is: it is given what its seat may know, and answers with an action of the catalogue. */

import { checkedSeed } from "../game/game.js";
import { intIn } from "../game/validate.js";
import { use } from "../kernels/kernels.js";

/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

/**
 * What an agent makes of a position.
 *
 * @typedef {object} Analysis
 * @property {number} action what it plays
 * @property {Float64Array} chances how likely it plays each action of the catalogue
 * @property {number | null} value points more than the others that it expects; null if it has no such number
 * @property {Map<number, number>} values what it thinks of the actions that it has weighed: in points where there is a
 *   value, else on a scale of its own
 */

/**
 * The contract. Whoever asks awaits the answers: an agent that has weights to load, or sits in a worker, has them
 * later.
 *
 * @typedef {object} Agent
 * @property {(seat: number, seed: number | bigint) => void} reset a game begins, on this seat; all that it draws comes
 *   from the seed
 * @property {(observed: Observed) => number | Promise<number>} act a legal action; something is legal
 * @property {(observed: Observed) => Analysis | Promise<Analysis>} analyse the same with what stands behind it
 * @property {(rules: Rules) => void | Promise<void>} [check] fails if it cannot play these rules
 * @property {(observed: Observed) => void | Promise<void>} [watch] a decision that is not asked of it, as its seat sees
 *   it: for those that remember what others did
 * @property {() => void} close gives back its memory
 */

/** How a game begins for an agent, looked at before anything is done with it. @param {unknown} seat
 * @param {unknown} seed @returns {[seat: number, seed: number | bigint]} */
export function begun(seat, seed) {
  return [intIn(seat, "seat", 0, use().constant("engine.state", "SEATS") - 1), checkedSeed(seed)];
}

/** What is made once for a key. A failure is forgotten: it may be there the next time. @template K, V
 * @param {Map<K, Promise<V>>} known @param {K} key @param {() => Promise<V>} make @returns {Promise<V>} */
export function once(known, key, make) {
  const found = known.get(key) ?? make();
  if (!known.has(key)) found.catch(() => known.delete(key));
  known.set(key, found);
  return found;
}
