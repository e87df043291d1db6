/** ISMCTS, information-set Monte Carlo tree search: determinizations of what a seat knows, one tree over what everybody
 * can see of them. See agents/search/ismcts.py: the kernels are the same. */

import { ACTIONS } from "../game/actions.js";
import { NoDeterminizationError } from "../game/observed.js";
import { Fitted, Memory } from "./base.js";
import { newRolloutPolicy } from "./rollouts.js";
import { horizonNumber } from "./settings.js";

/** @typedef {import("./base.js").Kernels} Kernels */
/** @typedef {import("./base.js").Observed} Observed */
/** @typedef {import("./settings.js").Budget} Budget */
/** @typedef {import("./policy.js").Policy} Policy */

const STREAM = 0xd1342543de82ef95n; // takes the numbers of simulations far apart

/** Searches over the actions of a decision. */
export class TreeSearch {
  #memory;
  #fit;
  #tree;
  #running;
  #root;
  #kernel;

  /**
   * @param {Kernels} kernels
   * @param {import("./settings.js").Resolved} settings
   * @param {string | Policy} rollout who plays on
   */
  constructor(kernels, { cut, horizon, explore }, rollout) {
    const c = (this.c = kernels.facts.constants["agents.search.ismcts"]);
    const memory = (this.#memory = new Memory(kernels));
    this.cut = cut ?? c._TO_THE_END;
    this.kernels = kernels;
    this.horizon = horizon;
    this.explore = explore;
    this.#tree = memory.workspace("Tree");
    this.#root = memory.records("GAME", 1);
    this.#running = memory.workspace("Simulations", { games: c._BATCH });
    this.#fit = new Fitted(kernels, (own, rules, record) => {
      return { rules: record, policy: kernels.pin("RolloutPolicy", newRolloutPolicy(own, rollout, rules, record)) };
    });
    this.#kernel = {
      walk: kernels.entry("agents.search.ismcts.walk_down"), backup: kernels.entry("agents.search.ismcts.backup"),
      play: kernels.entry("agents.search.rollouts.roll_out"),
    };
  }

  /**
   * Visits and mean results in points by action.
   *
   * @param {Observed} observed
   * @param {Budget} budget
   * @param {bigint} seed
   * @param {(done: number) => void} [progress]
   */
  search(observed, budget, seed, progress) {
    const { rules, policy } = this.#fit.to(observed.rules), tree = this.#tree, running = this.#running;
    this.#root.write(0, observed.view.bytes(0));
    const horizon = horizonNumber(this.kernels, this.horizon);
    const root = { seen: this.#root, rules, seat: observed.seat, horizon };
    tree.used.data[0] = 1n;
    tree.nodes.set(0, "first", 0);
    for (let count; (count = budget.share(this.c._BATCH)); ) {
      for (let k = 0; k < count; k++) {
        // each has random numbers of its own
        const number = seed + BigInt(budget.done - count + k);
        running.rollouts.rngs.data[k] = BigInt.asUintN(64, BigInt.asUintN(64, number) * STREAM);
      }
      if (this.#kernel.walk(tree, running, root, policy, this.explore, count) < count)
        throw new NoDeterminizationError(`no game agrees with what seat ${observed.seat} knows`);
      this.#kernel.play(running.rollouts, rules, policy, this.cut, 0, count);
      this.#kernel.backup(tree, running, rules, count);
      progress?.(budget.done);
    }
    return this.#found();
  }

  #found() {
    const visits = new Float64Array(ACTIONS), values = new Float64Array(ACTIONS), { nodes } = this.#tree;
    for (let child = nodes.get(0, "first"); child; child = nodes.get(child, "next_sibling")) {
      const action = nodes.get(child, "action");
      visits[action] = nodes.get(child, "visits");
      values[action] = (this.c._SCALE * nodes.get(child, "value")) / Math.max(visits[action], 1);
    }
    return { visits, values };
  }

  close() {
    this.#fit.close();
    this.#memory.close();
  }
}
