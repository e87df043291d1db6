/** Agents that wrap others: the best search for each game, and any agent with the exact solver for endings. */

import { CARDS } from "../game/cards.js";
import { shown } from "../game/observed.js";
import { checkedRules } from "../game/rules.js";
import { intIn } from "../game/validate.js";
import { begun, once } from "./base.js";
import { bot, endings, search } from "./kinds.js";
import { Opened } from "./opened.js";
import { resolved } from "./settings.js";

/** @import { Kernels } from "../kernels/kernels.js" */
/** @import { Analysis } from "./base.js" */
/** @typedef {import("./base.js").Agent} Agent */
/** @import { Policies } from "./policies.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

/** A search with the best shipped policy for the game, or with bots if no policy has learnt it. @implements {Agent} */
export class Strongest {
  /** @type {Map<string | null, Promise<Opened>>} */
  #searches = new Map();
  /** @type {[number, number | bigint] | null} */
  #begun = null;
  /** Pending answers. @type {Set<Promise<unknown>>} */
  #open = new Set();
  /** @type {((done: number) => void) | undefined} */
  progress;

  /** @param {Kernels} kernels @param {Policies} policies
   * @param {{ time?: number, sims?: number, threads?: number }} settings time: seconds a decision (default 1); or sims:
   * simulations */
  constructor(kernels, policies, { time, sims, threads }) {
    this.kernels = kernels;
    this.policies = policies;
    this.settings = { sims, time: time === undefined && sims === undefined ? 1 : time, threads };
    resolved(kernels, this.settings);
  }

  /** Load the policy for a game, so that loading does not count as thinking time. Every game is playable.
   * @param {Rules} rules */
  check = async (rules) => this.#asked(rules, (search) => search.check(rules));

  /** @param {number} seat @param {number | bigint} seed */
  reset(seat, seed) {
    this.#begun = begun(seat, seed);
    for (const search of this.#searches.values()) search.then((one) => one.reset(seat, seed), () => {});
  }

  /** @param {Observed} observed */
  watch = async (observed) => this.#asked(shown(observed).rules, (search) => search.watch(observed));

  /** @param {Observed} observed */
  act = async (observed) => this.#asked(shown(observed).rules, (search) => search.act(observed));

  /** @param {Observed} observed */
  analyse = async (observed) => this.#asked(shown(observed).rules, (search) => search.analyse(observed));

  /** @template T @param {Rules} rules @param {(search: Opened) => T} what @returns {Promise<T>} */
  #asked(rules, what) {
    const answer = this.#search(checkedRules(rules)).then(what), settled = () => this.#open.delete(answer);
    this.#open.add(answer);
    answer.then(settled, settled);
    return answer;
  }

  /** @param {Rules} rules */
  async #search(rules) {
    const policy = this.policies.strongest(rules);
    const found = await once(this.#searches, policy, async () => {
      const settings = { ...this.settings, ...(policy ? { policy } : {}) };
      const made = new Opened(this.kernels, await search(this.kernels, this.policies, settings));
      if (this.#begun) made.reset(...this.#begun);
      return made;
    });
    found.progress = this.progress;
    return found;
  }

  /** Free the memory after all pending answers: a pending one would allocate it again. */
  close() {
    const searches = [...this.#searches.values()], closed = () => searches.forEach((search) =>
      search.then((one) => one.close(), () => {}));
    this.#searches.clear();
    Promise.allSettled(this.#open).then(closed);
  }
}

/** An agent that leaves endings to the exact solver where it can solve them. @implements {Agent} */
export class Solved {
  #solver;

  /** @param {Kernels} kernels @param {Agent} agent @param {number} cards most cards in any hand for the solver to take
   * over */
  constructor(kernels, agent, cards = 5) {
    const limits = endings(kernels, intIn(cards, "cards", 0, CARDS));
    this.agent = agent;
    this.#solver = new Opened(kernels, { ...bot(kernels, "random"), state: limits });
  }

  /** @param {Rules} rules */
  check = (rules) => this.agent.check?.(rules);

  /** @param {number} seat @param {number | bigint} seed */
  reset(seat, seed) {
    this.agent.reset(seat, seed);
    this.#solver.reset(seat, seed);
  }

  /** @param {Observed} observed */
  watch = (observed) => this.agent.watch?.(observed);

  /** @param {Observed} observed */
  act = (observed) =>
    (shown(observed).legal().length > 1 ? this.#solved(observed)?.action : null) ?? this.agent.act(observed);

  /** @param {Observed} observed @returns {Analysis | Promise<Analysis>} */
  analyse = (observed) => this.#solved(observed) ?? this.agent.analyse(observed);

  /** @param {Observed} observed */
  #solved(observed) {
    const found = this.#solver.analyse(observed);
    return found.value === null ? null : found;
  }

  close() {
    this.#solver.close();
    this.agent.close();
  }
}
