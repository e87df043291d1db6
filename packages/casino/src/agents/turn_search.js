/** Search over complete turns, by a policy over afterstates: its kernels are those of agents/search/turn_search.py. */

import { Fitted, equally } from "./base.js";
import { mostOf } from "./policy.js";
import { newRolloutPolicy, withBot } from "./rollouts.js";
import { horizonNumber } from "./settings.js";

/** @import { Kernels, Records } from "../kernels/kernels.js" */
/** @import { Analysis } from "./base.js" */
/** @import { Policy } from "./policy.js" */
/** @import { Clock } from "./settings.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

/** @typedef {{ rules: Records, seen: Records, policy: any, thinking: any, pinned: any, judged: any }} Fit A game, and
 *   the workspace to think about it. */

/** Thinks about complete turns. */
export class TurnSearch {
  #fit;
  #kernel;
  /** The rest of a turn that has been thought through, by what the seat will see: it is played without thinking again,
   * if all comes as expected. @type {Map<string, Analysis>} */
  #plan = new Map();

  /** @param {Kernels} kernels @param {Policy} policy
   * @param {{ cut?: number, horizon?: string, importance: number }} settings without cut a race has heats, without
   * importance no determinization has a weight */
  constructor(kernels, policy, { cut, horizon, importance }) {
    this.policy = policy;
    this.cut = cut ?? kernels.constant("agents.search.racing", "IN_HEATS");
    this.horizon = horizonNumber(kernels, horizon);
    this.importance = importance;
    const c = kernels.constants("agents.search.turn_search"),
      levels = kernels.constant("agents.policy.lookahead", "DEEP_LEVELS");
    this.#fit = new Fitted(kernels, (memory, rules, record) => {
      const rollout = withBot(memory, newRolloutPolicy(memory, policy, rules, record), rules, record);
      const thinking = memory.workspace("Thinking", {
        racers: c._RUNNERS, games: c._BATCH, weighted: importance ? c._MOST_WEIGHTED : 0,
        features: mostOf(rollout.player.judge), ...levels, ...policy.weights.shape.sizes,
      });
      return {
        rules: record, seen: memory.records("GAME", 1), policy: kernels.pin("RolloutPolicy", rollout), thinking,
        pinned: kernels.pin("Thinking", thinking), judged: kernels.pin("Judged", thinking.levels.judged),
      };
    });
    const entry = (/** @type {string} */ name) => kernels.entry(`agents.search.${name}`);
    this.#kernel = {
      watch: entry("importance_weights.watch"), begin: entry("turn_search.begin_thinking"),
      on: entry("turn_search.think_on"),
      plan: entry("turn_search.plan_turn"),
    };
  }

  /** Another game begins. */
  forget() {
    this.#plan.clear();
    this.#fit.value?.thinking.history.state.set(0, "begun", 0);
  }

  /** A decision that it is not asked for. @param {Observed} observed */
  watch(observed) {
    const { thinking, seen } = this.#look(observed);
    this.#kernel.watch(thinking.history, seen, observed.seat);
  }

  /** What it needs for a game, before the time of a decision begins. @param {Rules} rules */
  prepare(rules) {
    this.#fit.to(rules);
  }

  /** At the beginning of a turn about all of it; the rest of it is then a plan. @param {Observed} observed
   * @param {Clock} clock @param {bigint} seed @param {(done: number) => void} [progress] */
  think(observed, clock, seed, progress) {
    const known = this.#plan.get(planKey(observed.rules, observed.view.bytes(0)));
    if (known) return known;
    const { rules, seen, policy, thinking, pinned, judged } = this.#look(observed), { seat } = observed;
    const root = { seen, rules, seat, judged, horizon: this.horizon };
    this.#kernel.begin(pinned, root, policy, this.policy.play, this.cut, this.importance, clock.sims, seed);
    const step = (/** @type {number} */ used, /** @type {number} */ left) =>
      this.#kernel.on(pinned, root, policy, used, left, 0);
    clock.run(seat, step, () => progress?.(thinking.budget.get(0, "done")));
    return this.#planned(observed.rules, thinking.plan,
      this.#kernel.plan(pinned, root, this.policy.weights.valueScale));
  }

  /** @param {Observed} observed @returns {Fit} */
  #look(observed) {
    const fit = this.#fit.to(observed.rules);
    fit.seen.write(0, observed.view.bytes(0));
    return fit;
  }

  /** @param {Rules} rules @param {any} plan @param {number} steps */
  #planned(rules, plan, steps) {
    /** @type {Map<number, number>} */
    const values = new Map();
    plan.values.data.forEach((/** @type {number} */ value, /** @type {number} */ action) => {
      if (value > -Infinity) values.set(action, value);
    });
    const actions = Array.from(plan.actions.data.subarray(0, Math.max(steps, 1)), Number),
      value = values.get(actions[0]) ?? null;
    const found = actions.map((action, k) => {
      return { action, chances: equally([action]), value, values: k ? new Map([[action, value ?? 0]]) : values };
    });
    this.#plan = new Map(found.slice(0, steps).map((one, k) => [planKey(rules, plan.views.bytes(k)), one]));
    return found[0];
  }

  close() {
    this.#fit.close();
  }
}

/** @param {Rules} rules @param {Uint8Array} view */
function planKey(rules, view) {
  return `${rules.key} ${String.fromCharCode(...view)}`;
}
