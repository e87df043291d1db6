/** ISMCTS, information-set Monte Carlo tree search: its kernels are those of agents/search/ismcts.py. */

import { Fitted } from "./base.js";
import { newRolloutPolicy } from "./rollouts.js";
import { horizonNumber } from "./settings.js";

/** @import { Kernels } from "../kernels/kernels.js" */
/** @import { Analysis } from "./base.js" */
/** @import { Policy } from "./policy.js" */
/** @import { Clock } from "./settings.js" */
/** @import { Observed } from "../game/observed.js" */

/** Searches over the actions of a decision. */
export class TreeSearch {
  #fit;

  /** @param {Kernels} kernels @param {import("./settings.js").Resolved} settings @param {string | Policy} rollout who
   * plays on */
  constructor(kernels, { cut, horizon, explore }, rollout) {
    this.kernels = kernels;
    this.settings = { cut: cut ?? -1, explore, horizon: horizonNumber(kernels, horizon) };
    this.#fit = new Fitted(kernels, (memory, rules, record) => {
      const tree = memory.workspace("Tree", { games: kernels.constant("agents.search.ismcts", "_BATCH") });
      const policy = kernels.pin("RolloutPolicy", newRolloutPolicy(memory, rollout, rules, record));
      return { rules: record, seen: memory.records("GAME", 1), tree, pinned: kernels.pin("Tree", tree), policy };
    });
  }

  /** Chances are shares of the simulations. @param {Observed} observed @param {Clock} clock @param {bigint} seed
   * @param {(done: number) => void} [progress] @returns {Analysis} */
  think(observed, clock, seed, progress) {
    const { rules, seen, tree, pinned, policy } = this.#fit.to(observed.rules), { seat, view } = observed;
    const { cut, explore, horizon } = this.settings, root = { seen, rules, seat, horizon };
    const entry = (/** @type {string} */ name) => this.kernels.entry(`agents.search.ismcts.${name}`),
      grow = entry("grow_tree");
    seen.write(0, view.bytes(0));
    entry("begin_tree")(pinned, explore, cut, clock.sims, seed);
    clock.run(seat, (used, left) => grow(pinned, root, policy, used, left, 0),
      () => progress?.(tree.budget.get(0, "done")));
    const action = entry("tell_tree")(pinned, root), { visits, values } = tree;
    if (action < 0) throw new Error(`seat ${seat} can do none of what its mask says`);
    const worth = new Map(observed.legal().filter((each) => visits.data[each])
      .map((each) => [each, values.data[each]]));
    const all = visits.data.reduce((/** @type {number} */ sum, /** @type {number} */ one) => sum + one, 0);
    return { action, chances: Float64Array.from(visits.data, (one) => one / all), value: worth.get(action) ?? null,
      values: worth };
  }

  close() {
    this.#fit.close();
  }
}
