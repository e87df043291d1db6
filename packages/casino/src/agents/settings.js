/** What a search may be told, what it is where that is left open, and how much of its budget is left. */

import { closest, floatIn, shortRepr, intIn } from "../game/validate.js";

/** @typedef {import("./base.js").Kernels} Kernels */

/**
 * What is left out is filled in.
 *
 * @typedef {object} SearchSettings
 * @property {number} [sims] simulations a decision
 * @property {number} [time] or seconds a decision
 * @property {string} [method] flat, pimc, ismcts; without one: ismcts with a large budget, else pimc
 * @property {string} [rollout] the bot or policy:NAME that plays on; the method's own
 * @property {string} [guide] whose likes come first; those of rollout
 * @property {string} [policy] the name of a policy, as guide, as player and as judge after a few decisions
 * @property {number} [cut] after so many decisions (or turns, over afterstates) the policy that plays on judges
 * @property {string} [horizon] where play-outs end: deal (of the next hands) or end (of the deal); whichever tells more
 * @property {number} [importance] share of the budget for importance weights; a quarter of a large one
 * @property {number} [explore] of UCB: how much unvisited actions are favoured; less where a policy judges
 * @property {number} [prior] of the progressive bias: how much actions that the guide likes are
 * @property {number} [threads] that play deals out at once: here there is but one
 * @property {number} [solve] endings in which nobody holds more cards go to the exact solver; as many as time allows
 */

/**
 * Settings with everything filled in.
 *
 * @typedef {object} Resolved
 * @property {number | undefined} sims
 * @property {number | undefined} time
 * @property {number} depth decisions from the root that become nodes
 * @property {string} rollout
 * @property {string} guide
 * @property {number | undefined} cut
 * @property {string | undefined} horizon
 * @property {number} importance
 * @property {number} explore
 * @property {number} prior
 */

/**
 * @param {Kernels} kernels
 * @param {SearchSettings} given
 * @returns {Resolved}
 */
export function resolved(kernels, given) {
  const c = kernels.facts.constants["agents.search.search_settings"];
  check(c, kernels.constant("agents.search.horizon", "HORIZONS"), given);
  const reaches = (/** @type {number} */ sims, /** @type {number} */ seconds) =>
    (given.sims ?? 0) >= sims || (given.time ?? 0) >= seconds;
  const cut = given.policy && given.cut === undefined ? c._CUT : given.cut;
  const method = given.method ?? (cut !== undefined || reaches(c._MANY, c._LONG) ? "ismcts" : "pimc");
  const [depth, usual] = c.METHODS[method];
  const rollout = given.policy ? `policy:${given.policy}` : (given.rollout ?? usual);
  const [many, long] = c._WEIGHED;
  return {
    sims: given.sims ?? (given.time === undefined ? c._SIMS : undefined), time: given.time, depth, rollout,
    guide: given.guide ?? rollout, cut, horizon: given.horizon,
    importance: given.importance ?? (reaches(many, long) ? c._IMPORTANCE : 0),
    explore: given.explore ?? (cut === undefined ? c._EXPLORE : c._EXPLORE_JUDGED), prior: given.prior ?? 0.5,
  };
}

/**
 * @param {Record<string, any>} c
 * @param {string[]} horizons
 * @param {SearchSettings} given
 */
function check(c, horizons, given) {
  const { method, horizon, sims, time, threads } = given;
  if (given.policy && (given.rollout || given.guide)) throw new Error("policy stands for rollout and guide; leave those out");
  if (method !== undefined && !Object.hasOwn(c.METHODS, method)) {
    const known = Object.keys(c.METHODS);
    throw new Error(`method = ${shortRepr(method)}${closest(method, known)}; it must be one of ${known.join(", ")}`);
  }
  if (horizon !== undefined && !horizons.includes(horizon))
    throw new Error(`horizon = ${shortRepr(horizon)}${closest(horizon, horizons)}; it must be one of ${horizons.join(", ")}`);
  if (sims !== undefined && time !== undefined) throw new Error("give sims or time, not both");
  for (const [name, [low, high]] of Object.entries(c._WHOLE)) {
    const value = given[/** @type {keyof SearchSettings} */ (name)];
    if (value !== undefined) intIn(value, name, low, high);
  }
  for (const [name, most] of Object.entries(c._REAL)) {
    const value = given[/** @type {keyof SearchSettings} */ (name)];
    if (value !== undefined) floatIn(value, name, 0, most, name === "time");
  }
  if (threads !== undefined && threads !== 1) throw new Error(`threads = ${threads}; it must be 1 here`);
}

/**
 * Where play-outs end, as kernels have it.
 *
 * @param {Kernels} kernels
 * @param {string} [horizon]
 */
export function horizonNumber(kernels, horizon) {
  const { HORIZONS, WHICHEVER } = kernels.facts.constants["agents.search.horizon"];
  return horizon === undefined ? WHICHEVER : HORIZONS.indexOf(horizon);
}

/** The budget of one decision, for kernels that watch it (agents/search/budget.py). */
export class Clock {
  #began = performance.now();

  /**
   * @param {number | undefined} sims count instead of the time if they are given
   * @param {number} [until] as the clock will say when it has to be over
   */
  constructor(sims, until = 0) {
    this.sims = sims ?? 0;
    this.until = until;
  }

  /** Seconds: used, and left. @returns {[number, number]} */
  spent() {
    const now = performance.now();
    return [(now - this.#began) / 1000, (this.until - now) / 1000];
  }
}

/** Of one decision: so many simulations, or what fits into the time that is left. The first share is never empty. */
export class Budget {
  #began = performance.now();
  #first = true;
  done = 0;

  /**
   * @param {number | undefined} sims count instead of the time if they are given
   * @param {number} until as the clock will say when it has to be over
   */
  constructor(sims, until) {
    this.sims = sims;
    this.until = until;
  }

  /**
   * How many to do at once, at most so many; 0: enough. They count as done.
   *
   * @param {number} most
   */
  share(most) {
    const now = performance.now();
    if (this.sims !== undefined) most = Math.min(most, this.sims - this.done);
    else if (!this.#first) {
      const left = Math.floor(((this.until - now) * this.done) / Math.max(now - this.#began, 1e-6));
      most = Math.max(0, Math.min(most, left));
    }
    this.#first = false;
    this.done += most;
    return most;
  }
}
