/** A trained network as an agent: `policy:NAME`. */

import { KernelAgent } from "./base.js";
import { checkValue } from "./files.js";
import { makeLayout } from "./layout.js";

/** @import { Kernels, Records } from "../kernels/kernels.js" */
/** @import { Analysis } from "./base.js" */
/** @import { Memory } from "../kernels/memory.js" */
/** @import { PlaySettings } from "./files.js" */
/** @import { Weights } from "./policies.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

/** Plays as a network says; temperature 0 plays what it likes best.
 * @extends {KernelAgent<{ rules: Records, judge: any, levels: any, pinned: any }>} */
export class Policy extends KernelAgent {
  #thought;
  #network;

  /** @param {Kernels} kernels @param {Weights} weights @param {Partial<PlaySettings>} settings that are not as the
   * weights say */
  constructor(kernels, weights, settings = {}) {
    const play = { ...weights.play, ...settings };
    checkValue(play, kernels.constant("agents.policy.policy_files", "PLAY"), ""); // before there is memory to give back
    super(kernels, (memory, rules, record) => {
      const judge = this.judgeOf(memory, rules), { turns } = play;
      const sizes = kernels.constant("agents.policy.lookahead", "LEVELS");
      const levels = memory.workspace("Levels", { turns, features: mostOf(judge), ...sizes, ...weights.shape.sizes });
      return { rules: record, judge: kernels.pin("Judge", judge), levels, pinned: kernels.pin("Levels", levels) };
    });
    this.kernels = kernels;
    this.weights = weights;
    this.play = play;
    this.#thought = this.memory.workspace("Thought", { features: weights.layout.most, ...weights.shape.sizes });
    const { theta, shape } = weights;
    this.#network = { theta: this.memory.numbers("f32", theta), shape: this.memory.numbers("i64", shape.record) };
  }

  /** Fails if it cannot play these rules. @param {Rules} rules */
  check(rules) {
    this.fit.to(rules);
  }

  /** @param {Observed} observed @returns {Analysis} */
  analyse(observed) {
    const action = this.act(observed), chances = this.chances(observed);
    return { action, chances, value: this.#values(observed)[0], values: new Map() };
  }

  /** Right after the chances. @param {Observed} observed */
  #values({ rules }) {
    const { shape, valueScale } = this.weights;
    if (shape.judgesActions)
      return Array.from(this.#thought.values.data, (/** @type {number} */ value) => value * valueScale);
    const { judged } = this.fit.to(rules).levels, found = Number(judged.afterstates.walk.get(0, "found"));
    const sides = judged.values.shape[1], chances = judged.chances.data, values = judged.values.data;
    return Array.from({ length: shape.values }, (_, side) => {
      let total = 0;
      for (let k = 0; k < found; k++) total += chances[k] * values[k * sides + side];
      return total * valueScale;
    });
  }

  /** The network, and the layout of what it reads in a game; fails if it cannot play it. @param {Memory} memory
   * @param {Rules} rules */
  judgeOf(memory, rules) {
    const { name, layout: ours, match, shape, rules: learnt, valueScale } = this.weights;
    const layout = makeLayout(this.kernels, rules, { universal: ours.universal, match });
    const { sides } = rules, text = (/** @type {any} */ segments) => JSON.stringify(segments);
    const named = (/** @type {import("./layout.js").Layout} */ { segments }) => segments.map((s) => [s.name, s.shape]);
    if (text(named(layout)) !== text(named(ours)) || (sides === 2 ? 1 : sides) > shape.values)
      throw new Error(
        `${name} plays ${learnt.name} with ${learnt.players} players, not ${rules.name} with ${rules.players}`,
      );
    return { layout: memory.copies(layout.record), ...this.#network, value_scale: valueScale };
  }

  /** @param {{ rules: Records, judge: any, pinned: any }} fit @param {any} decisions */
  decide({ rules, judge, pinned }, decisions) {
    const { play, weights: { shape } } = this;
    const entry = (/** @type {string} */ name) => this.kernels.entry(`agents.policy.${name}`);
    if (shape.judgesActions)
      entry("judging.decide_by_logits")(decisions, rules, judge, play.temperature, this.rng, this.#thought);
    if (!shape.judgesActions || play.turns > 1 || play.exact)
      entry("lookahead.decide_by_afterstates")(decisions, rules, judge, play, this.rng, pinned);
  }
}

/** The most features that are on at once in what a judge reads.
 * @param {{ layout: import("../kernels/kernels.js").Records }} judge */
export function mostOf({ layout }) {
  return Number(layout.get(0, "most"));
}
