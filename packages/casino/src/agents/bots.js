/** The scripted bots: rules of thumb, each of which says what the position after a move is worth. */

import { KernelAgent } from "./base.js";
import { closest, intIn } from "../game/validate.js";

/** @import { Kernels, Records } from "../kernels/kernels.js" */
/** @import { Analysis } from "./base.js" */
/** @import { Memory } from "../kernels/memory.js" */
/** @import { Observed } from "../game/observed.js" */

/** Actions between which a bot is indifferent are equally likely, the others not at all.
 * @extends {KernelAgent<{ rules: Records, bot: Records }>} */
export class Scripted extends KernelAgent {
  #work;
  #pinned;
  #decide;

  /** @param {Kernels} kernels @param {string} bot its name @param {number} effort positions that it looks at for one
   * action; 0: its own choice */
  constructor(kernels, bot, effort = 0) {
    const known = botsOf(kernels);
    if (!Object.hasOwn(known, bot))
      throw new Error(`unknown bot '${bot}'${closest(bot, Object.keys(known))}; known: ${Object.keys(known).join(", ")}`);
    intIn(effort, "effort", 0, kernels.constants("agents.scripted.choosing").MAX_EFFORT);
    super(kernels, (memory, _, rules) => ({ rules, bot: botRecord(memory, bot, rules, effort) }));
    this.#work = this.memory.workspace("BotWorkspace");
    this.#pinned = kernels.pin("BotWorkspace", this.#work);
    this.#decide = kernels.entry("agents.scripted.choosing.decide_by_rules");
  }

  /** Its values are on a scale of its own; actions that need no thought are not weighed. @param {Observed} observed
   * @returns {Analysis} */
  analyse(observed) {
    const action = this.act(observed);
    this.#work.scores.data.fill(0);
    const chances = this.chances(observed), scores = this.#work.scores.data;
    return { action, chances, value: null, values: new Map(observed.legal().map((each) => [each, scores[each]])) };
  }

  /** @param {{ rules: Records, bot: Records }} fit @param {any} decisions */
  decide({ rules, bot }, decisions) {
    this.#decide(decisions, rules, bot, this.#pinned, this.rng);
  }
}

/** The records of the bots by name: where builds are made of hand cards alone, then where they are of table cards and
 * grow. @param {Kernels} kernels */
export function botsOf(kernels) {
  return kernels.facts.bots;
}

/** A bot as kernels have it for a game. @param {Memory} memory @param {string} name @param {Records} rules
 * @param {number} effort 0: its own choice */
export function botRecord(memory, name, rules, effort = 0) {
  const record = memory.records("BOT", 1), row = botsOf(memory.kernels)[name][rules.get(0, "table_builds") ? 1 : 0];
  for (const [field, value] of Object.entries({ ...row, effort: effort || row.effort })) record.set(0, field, value);
  return record;
}
