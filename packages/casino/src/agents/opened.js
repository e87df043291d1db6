/** Run agents and the judge in kernels (agents/opened.py), with one workspace for each game. JavaScript allocates the
 * memory, watches the clock and reads the results. */

import { NoDeterminizationError, shown } from "../game/observed.js";
import { checkedRules } from "../game/rules.js";
import { Memory } from "../kernels/memory.js";
import { begun } from "./base.js";
import { Shape } from "./files.js";
import { layoutFor } from "./layout.js";

/** @import { Kernels, Pinned } from "../kernels/kernels.js" */
/** @import { Analysis } from "./base.js" */
/** @typedef {import("./base.js").Agent} Agent */
/** @import { PlaySettings } from "./files.js" */
/** @import { Weights } from "./policies.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

/**
 * The description of an agent.
 *
 * @typedef {object} Made
 * @property {"bot" | "policy" | "tree" | "turns" | "judge"} kind
 * @property {string} [bot] the bot that decides, or plays the play-outs of a search
 * @property {number} [effort] of the bot; 0: its default
 * @property {Weights} [weights] of the network that replaces the bot
 * @property {PlaySettings} [play] how the network plays
 * @property {Record<string, number | number[]>} [state] settings: fields of AGENT
 */
/** @typedef {{ memory: Memory, key: string, about: any, parts: Record<string, Pinned> }} Fit workspaces for the rules
 *   of a game; parts: by the names of the entries' parameters */

const ENDING = "ending"; // allocated on first use: this workspace is larger than all others together

/** @implements {Agent} */
export class Opened {
  /** @type {Fit | null} */
  #fit = null;
  /** @type {[number, number | bigint]} */
  #begun = [0, 0];
  /** Called now and then with the number of simulations done. @type {((done: number) => void) | undefined} */
  progress;

  /** @param {Kernels} kernels @param {Made} made */
  constructor(kernels, made) {
    this.kernels = kernels;
    this.made = made;
    this.c = kernels.constants("agents.opened");
    /** Names of the workspaces and the types of their tuples. @type {Record<string, string>} */
    const { asked: _, a: __, ...spaces } = this.#argumentsOf("ask");
    this.spaces = spaces;
  }

  /** Throw if it cannot play these rules. @param {Rules} rules */
  check(rules) {
    this.#to(checkedRules(rules));
  }

  /** @param {number} seat @param {number | bigint} seed */
  reset(seat, seed) {
    this.#begun = begun(seat, seed);
    if (this.#fit) this.#reset(this.#fit);
  }

  /** @param {Observed} observed */
  watch(observed) {
    this.call("watch", this.#show(shown(observed)));
  }

  /** @param {Observed} observed @returns {number} */
  act(observed) {
    return this.call("answer", this.think(observed));
  }

  /** Random choices depend only on the seed and the observation, and in a search over turns also on earlier plans and
   * observations. @param {Observed} observed @returns {Analysis} */
  analyse(observed) {
    const action = this.act(observed), fit = this.#to(observed.rules), { state, chances, values } = fit.about;
    this.call("explain", fit);
    const known = [...values.data.entries()].filter(([, value]) => !Number.isNaN(value));
    return { action, chances: chances.data.slice(), value: state.get(0, "valued") ? state.get(0, "value") : null,
      values: new Map(known) };
  }

  close() {
    this.#fit?.memory.close();
    this.#fit = null;
  }

  /** Run a decision to its end. @param {Observed} observed @param {[begin: string, goOn: string]} entries
   * @param {Record<string, any>} given arguments of the first entry @returns {Fit} */
  think(observed, [begin, goOn] = ["begin", "go_on"], given = {}) {
    const began = performance.now(), { seat } = shown(observed), { GO_ON, ERRORS, _IMPOSSIBLE, _BAD_POSITION } = this.c;
    if (!observed.legal().length) throw new Error(`seat ${seat} has nothing to decide`);
    const fit = this.#show(observed), { thinking, tree } = fit.parts;
    const budget = [thinking, tree].map(({ tuple }) => tuple.budget).find(({ length }) => length);
    let found = this.call(begin, fit, given);
    while (found === GO_ON) {
      found = this.call(goOn, fit, { used: (performance.now() - began) / 1000 });
      if (budget?.get(0, "done")) this.progress?.(budget.get(0, "done"));
    }
    if (found === _IMPOSSIBLE || found === _BAD_POSITION)
      throw new NoDeterminizationError(`no game is consistent with what seat ${seat} knows`);
    if (found < 0) throw new Error(/** @type {string} */ (Object.values(ERRORS)[-1 - found]));
    return fit;
  }

  /** Call an entry with the parts of the agent that it takes. @param {string} name @param {Fit} fit
   * @param {Record<string, any>} given its other arguments */
  call(name, { parts }, given = {}) {
    const taken = Object.keys(this.#argumentsOf(name)).map((one) => parts[one] ?? given[one]);
    return this.kernels.entry(`agents.opened.${name}`)(...taken);
  }

  /** @param {string} name @returns {Record<string, any>} */
  #argumentsOf(name) {
    return this.kernels.facts.entries[`agents.opened.${name}`].arguments;
  }

  /** @param {Observed} observed */
  #show(observed) {
    const { rules, seat, view } = observed, { kind, state } = this.made;
    const fit = this.#to(rules), { seen, seats } = fit.about;
    seen.write(0, view.bytes(0));
    seats.data[0] = BigInt(seat);
    const solves = kind === "judge" || state?.limits, { tuple } = fit.parts[ENDING];
    if (solves && !observed.hidden && !tuple.state.length)
      fit.parts[ENDING] = this.#space(fit.memory, ENDING, this.kernels.facts.workspaces[kind][ENDING]);
    return fit;
  }

  /** @param {Fit} fit */
  #reset(fit) {
    const [seat, seed] = this.#begun;
    fit.about.seats.data[0] = BigInt(seat);
    this.call("reset", fit, { seed });
  }

  // --- memory --------------------------------------------------------------------------------------------------------

  /** The workspaces for a game; other rules get new ones. @param {Rules} rules @returns {Fit} */
  #to(rules) {
    if (this.#fit?.key === rules.key) return this.#fit;
    this.close();
    const memory = new Memory(this.kernels);
    try {
      this.#fit = this.#open(memory, rules);
    } catch (error) {
      memory.close();
      throw error;
    }
    this.#reset(this.#fit);
    return this.#fit;
  }

  /** @param {Memory} memory @param {Rules} rules @returns {Fit} */
  #open(memory, rules) {
    const { kernels, made: { kind, weights, play }, c } = this;
    const rollouts = kernels.constants("agents.search.rollouts"), nobody = rollouts._NOBODY;
    const shape = weights?.shape ?? new Shape(nobody.features, nobody.hidden, nobody.values, nobody.logits);
    const layout = weights ? memory.copies(layoutFor(kernels, weights, rules).record) : memory.records("LAYOUT", 1);
    const judge = { layout, theta: memory.numbers("f32", weights?.theta ?? []),
      shape: memory.numbers("i64", shape.record), value_scale: weights?.valueScale ?? 1 };
    const about = memory.workspace("About", {}, {
      state: this.#stateOf(memory, shape), rules: memory.copies(rules.record), bots: this.#botsOf(memory, rules), judge,
      play: play ?? kernels.constant("agents.policy.policy_files", "USUAL_PLAY"), proof: memory.records("GAME", 0),
    });
    const network = { features: Number(layout.get(0, "most")), ...shape.sizes };
    const space = (/** @type {string} */ part) => this.#space(memory, part,
      c.NEEDED[kind].includes(part) ? { ...network, ...kernels.facts.workspaces[kind][part] } : null);
    const parts = Object.fromEntries(Object.keys(this.spaces).map((part) => [part, space(part)]));
    return { memory, key: rules.key, about, parts: { a: kernels.pin("About", about), ...parts } };
  }

  /** @param {Memory} memory @param {string} part @param {Record<string, number> | null} sizes */
  #space(memory, part, sizes) {
    return this.kernels.pin(this.spaces[part], memory.workspace(this.spaces[part], sizes));
  }

  /** @param {Memory} memory @param {Shape} shape */
  #stateOf(memory, shape) {
    const { kernels, made, c } = this, { _TEMPERATURE, _TRIED } = kernels.constants("agents.search.rollouts");
    const known = {
      kind: c.KINDS.indexOf(made.kind), memory: kernels.constant("knowledge.view", "PERFECT"), tried: _TRIED,
      temperature: shape.judgesActions ? 1 : _TEMPERATURE,
      at_once: kernels.constant("agents.solver.solver", "_AT_ONCE"), ...made.state,
    };
    const state = memory.records("AGENT", 1);
    for (const [field, value] of Object.entries(known))
      [value].flat().forEach((one, index) => state.set(0, field, one, index));
    return state;
  }

  /** The bot that decides or plays play-outs, and the bot for play-outs where turns race: the best one, which takes a
   * tenth of a network's time. @param {Memory} memory @param {Rules} rules */
  #botsOf(memory, rules) {
    const { bot = "random", effort } = this.made, bots = memory.records("BOT", 2);
    [bot, rules.partners ? "partner" : "counter"].forEach((name, k) => {
      const row = this.kernels.facts.bots[name][rules.record.get(0, "table_builds") ? 1 : 0];
      for (const [field, value] of Object.entries(row)) bots.set(k, field, value);
    });
    if (effort) bots.set(0, "effort", effort);
    return bots;
  }
}
