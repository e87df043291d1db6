/** The agents that search: they think ahead in determinizations of what the seat knows, or exactly where nothing is
 * hidden. */

import { equally, once, streamOf } from "./base.js";
import { Clock, resolved } from "./settings.js";
import { Endings } from "./solver.js";
import { Policy } from "./policy.js";
import { TreeSearch } from "./ismcts.js";
import { TurnSearch } from "./turn_search.js";
import { findRolloutPolicy } from "./rollouts.js";

/** @import { Kernels } from "../kernels/kernels.js" */
/** @import { Analysis } from "./base.js" */
/** @typedef {import("./base.js").Agent} Agent */
/** @import { Policies } from "./policies.js" */
/** @import { SearchSettings } from "./settings.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

/** With a policy over afterstates it thinks about complete turns, else about actions. @implements {Agent} */
export class Search {
  #endings;
  #thinker;
  #seed = 0n;
  /** Told how many simulations are done, now and then. @type {((done: number) => void) | undefined} */
  progress;

  /** See Search.make. @param {Kernels} kernels @param {SearchSettings} given @param {string | Policy} rollout */
  constructor(kernels, given, rollout) {
    const c = kernels.constants("agents.search.search_agent");
    this.settings = resolved(kernels, given);
    this.rollout = rollout;
    this.seconds = given.time ?? 0;
    if (this.settings.cut !== undefined && !(rollout instanceof Policy))
      throw new Error(`cut = ${this.settings.cut}: a bot cannot judge positions; it needs policy=, or rollout=policy:NAME`);
    const most = given.solve
      ?? (this.seconds ? kernels.entry("agents.solver.endings.cards_within")(c._AT_MOST * this.seconds) : c._SOLVED);
    const policy = rollout instanceof Policy ? rollout : null;
    const always = policy && given.solve === undefined ? policy.play.exact : 0;
    this.#endings = new Endings(kernels, most, c._TO_SOLVE * this.seconds, always);
    this.#thinker = policy && !policy.weights.shape.judgesActions
      ? new TurnSearch(kernels, policy,
        { cut: given.cut, horizon: given.horizon, importance: this.settings.importance })
      : new TreeSearch(kernels, this.settings, rollout);
  }

  /** @param {Kernels} kernels @param {Policies} policies @param {SearchSettings} given */
  static async make(kernels, policies, given) {
    return new Search(kernels, given, await findRolloutPolicy(kernels, policies, resolved(kernels, given).rollout));
  }

  /** Fails if a policy that it thinks with cannot play these rules. @param {Rules} rules */
  check(rules) {
    if (this.rollout instanceof Policy) this.rollout.check(rules);
    if (this.#thinker instanceof TurnSearch) this.#thinker.prepare(rules);
  }

  /** @param {number} seat @param {number | bigint} seed */
  reset(seat, seed) {
    this.#seed = streamOf(seat, seed);
    this.#endings.forget();
    if (this.#thinker instanceof TurnSearch) this.#thinker.forget();
  }

  /** @param {Observed} observed */
  watch(observed) {
    if (this.#thinker instanceof TurnSearch) this.#thinker.watch(observed);
  }

  /** @param {Observed} observed */
  act = (observed) => this.analyse(observed).action;

  /** Every decision begins with the same random state: it depends on the observation, and in a search over turns on
   * what has been planned and seen before. @param {Observed} observed @returns {Analysis} */
  analyse(observed) {
    const until = performance.now() + 1000 * this.seconds, legal = observed.legal();
    if (!legal.length) throw new Error(`seat ${observed.seat} has nothing to decide`);
    if (legal.length === 1) return { action: legal[0], chances: equally(legal), value: null, values: new Map() };
    const solved = this.#endings.analyse(observed);
    if (solved) return solved;
    return this.#thinker.think(observed, new Clock(this.settings.sims, until), this.#seed, this.progress);
  }

  close() {
    this.#endings.close();
    this.#thinker.close();
    if (this.rollout instanceof Policy) this.rollout.close();
  }
}

/** A search with the best policy that comes with the project, where one has learnt the game; else with bots.
 * @implements {Agent} */
export class Strongest {
  /** @type {Map<string | null, Promise<Search>>} */
  #searches = new Map();
  /** @type {[number, number | bigint] | null} */
  #begun = null;
  /** @type {((done: number) => void) | undefined} */
  progress;

  /** @param {Kernels} kernels @param {Policies} policies
   * @param {{ time?: number, sims?: number, threads?: number }} settings time: seconds a decision (1); or sims */
  constructor(kernels, policies, { time, sims, threads }) {
    this.kernels = kernels;
    this.policies = policies;
    this.settings = { sims, time: time === undefined && sims === undefined ? 1 : time, threads };
    resolved(kernels, this.settings);
  }

  /** It plays all games; what it needs for this one is loaded before the time of a decision begins.
   * @param {Rules} rules */
  check = async (rules) => (await this.#search(rules)).check(rules);

  /** @param {number} seat @param {number | bigint} seed */
  reset(seat, seed) {
    this.#begun = [seat, seed];
    for (const search of this.#searches.values()) search.then((one) => one.reset(seat, seed), () => {});
  }

  /** @param {Observed} observed */
  watch = async (observed) => (await this.#search(observed.rules)).watch(observed);

  /** @param {Observed} observed */
  act = async (observed) => (await this.analyse(observed)).action;

  /** @param {Observed} observed */
  async analyse(observed) {
    const search = await this.#search(observed.rules);
    search.progress = this.progress;
    return search.analyse(observed);
  }

  /** @param {Rules} rules */
  #search(rules) {
    const policy = this.policies.strongest(rules);
    return once(this.#searches, policy, async () => {
      const settings = { ...this.settings, ...(policy ? { policy } : {}) };
      const made = await Search.make(this.kernels, this.policies, settings);
      if (this.#begun) made.reset(...this.#begun);
      return made;
    });
  }

  close() {
    for (const search of this.#searches.values()) search.then((one) => one.close(), () => {});
    this.#searches.clear();
  }
}
