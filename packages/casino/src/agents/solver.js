/** The exact value and the best moves of a position in which all hands are open and nothing is left to deal; and
 * endings played by it, as soon as a seat can work out all cards. See agents/solver/solver.py. */

import { CARDS } from "../game/cards.js";
import { NoDeterminizationError } from "../game/observed.js";
import { floatIn, intIn } from "../game/validate.js";
import { Memory, equally, numbersOf } from "./base.js";

/** @import { Kernels, Records } from "../kernels/kernels.js" */
/** @import { Agent, Analysis } from "./base.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

const WANTS = ["value", "best", "values"];

/**
 * Points are those of the decider's side minus the other's at the end of the deal.
 *
 * @typedef {object} Solution
 * @property {number} low proven: `best` reaches this much ...
 * @property {number} high ... and nothing reaches more than this
 * @property {number[]} best the best moves; while not `complete` those proven to reach `low`, or the most promising one
 * @property {boolean} complete all that was wanted is known
 * @property {Map<number, number> | null} values the exact value of every legal action, where wanted and known
 * @property {number} nodes decisions searched
 */

/** Keeps what it has learnt between calls: positions of one deal share most of it. */
export class Solver {
  #memory;
  #rules;
  #game;
  #key = "";
  /** @type {any} */
  #search = null;
  /** @type {any} */
  #pinned = null;

  /** @param {Kernels} kernels @param {number} megabytes of its table */
  constructor(kernels, megabytes = 64) {
    this.kernels = kernels;
    this.megabytes = intIn(megabytes, "megabytes", 1, 1024);
    this.#memory = new Memory(kernels);
    this.#rules = this.#memory.records("RULES", 1);
    this.#game = this.#memory.records("GAME", 1);
  }

  /** Forget everything: the next call is as of a new solver. */
  clear() {
    this.#key = "";
  }

  /** want: the value with one best move, all best moves, or the value of every action. A limit ends the search early
   * with what is proven by then. @param {import("../game/game.js").Game} game @param {{ milliseconds?: number, nodes?:
   * number, want?: "value" | "best" | "values" }} options @returns {Solution} */
  solve(game, { milliseconds, nodes, want = "best" } = {}) {
    if (milliseconds !== undefined) floatIn(milliseconds, "milliseconds", 0, 1e12);
    if (nodes !== undefined) intIn(nodes, "nodes", 0, Number.MAX_SAFE_INTEGER);
    if (!WANTS.includes(want)) throw new Error(`want = '${want}'; it must be one of ${WANTS.join(", ")}`);
    const { rules } = game, [search, record, control] = this.fit(rules), until = performance.now()
      + (milliseconds ?? Infinity);
    this.#game.write(0, game.record.bytes(0));
    const { REFUSALS, DONE } = this.kernels.facts.constants["agents.solver.alpha_beta"];
    const most = nodes ?? this.kernels.constant("agents.solver.endings", "NO_LIMIT");
    const refused = this.#call("begin_solving")(search, record, this.#game, WANTS.indexOf(want), most);
    /** @type {Record<string, any>} */
    const about = { name: rules.name, players: rules.players, sides: numbersOf(rules)("sides"), seat: game.seat };
    if (refused) throw new Error(REFUSALS[refused]
      .replace(/{(\w+)}/g, (/** @type {string} */ _, /** @type {string} */ name) => about[name]));
    const complete = goOn(this.kernels, until,
      (budget) => this.#call("go_on_solving")(search, record, budget)) === DONE;
    const [low, high, seen] = ["low", "high", "nodes"].map((name) => control.get(0, name));
    const best = control.list(0, "good").slice(0, control.get(0, "goods")), worth = control.list(0, "values");
    const moves = control.list(0, "moves").slice(0, control.get(0, "count"));
    const values = complete && want === "values" ? new Map(moves.map((move, k) => [move, worth[k]])) : null;
    return { low, high, best, complete, values, nodes: seen };
  }

  /** @param {string} name */
  #call(name) {
    return this.kernels.entry(`agents.solver.alpha_beta.${name}`);
  }

  /** The workspace for these rules, the rules as kernels have them, and where the search stands. @param {Rules} rules
   * @returns {[any, Records, Records]} */
  fit(rules) {
    const { key } = rules;
    if (key !== this.#key) {
      this.#rules.copy(rules.record);
      if (this.#search) {
        const { table, history, names } = this.#search;
        this.kernels.bytes(table.pointer, table.length * table.size).fill(0);
        for (const part of [history, names.same]) part.data.fill(0n);
      } else {
        this.#search = this.#memory.workspace("AlphaBeta", sizesOf(this.kernels, this.megabytes));
        this.#pinned = this.kernels.pin("AlphaBeta", this.#search);
      }
      this.#key = key;
    }
    return [this.#pinned, this.#rules, this.#search.control];
  }

  close() {
    this.#memory.close();
  }
}

/** Sizes of a workspace with so large a table of positions. @param {Kernels} kernels @param {number} megabytes */
export function sizesOf(kernels, megabytes) {
  const { LEVELS: levels, ENTRIES } = kernels.facts.constants["agents.solver.alpha_beta"];
  return { levels, entries: 2 ** Math.floor(Math.log2(megabytes * ENTRIES)) };
}

/** Search until it is done, or the time is over. @returns {number} how it ended @param {Kernels} kernels
 * @param {number} until @param {(budget: number) => number} search so many more positions */
function goOn(kernels, until, search) {
  const { OPEN } = kernels.facts.constants["agents.solver.alpha_beta"];
  for (let budget = 0; ; budget = kernels.constant("agents.solver.solver", "_AT_ONCE")) {
    const found = search(budget);
    if (found !== OPEN || performance.now() >= until) return found;
  }
}

// --- endings ---------------------------------------------------------------------------------------------------------

/** What is exact of endings in which nobody holds more than so many cards. */
export class Endings {
  #memory;
  #view;
  /** @type {any} */
  #ending = null; // made when it is needed: it holds more memory than all the rest
  /** @type {Solver | null} */
  #solver = null;

  /** @param {Kernels} kernels @param {number} cards @param {number} seconds for a decision; 0: as many positions as
   * always @param {number} always cards in all hands together with which some positions are searched however short the
   * time */
  constructor(kernels, cards, seconds = 0, always = 0) {
    const c = kernels.facts.constants, { "agents.solver.solver": solver, "agents.solver.endings": endings } = c;
    this.kernels = kernels;
    this.c = endings;
    this.limits = [
      { inHand: -1, inAll: always, positions: c["agents.solver.alpha_beta"].POSITIONS, milliseconds: Infinity },
      { inHand: cards, inAll: -1, positions: seconds ? endings.NO_LIMIT : solver._SOLVER_NODES,
        milliseconds: 1000 * seconds || Infinity },
    ];
    this.#memory = new Memory(kernels);
    this.#view = this.#memory.records("GAME", 1);
  }

  /** What was learnt of the last deal; it makes no difference to the moves, but to how long they take. */
  forget() {
    this.#solver?.clear();
  }

  /** Null where cards are hidden, where the solver does not finish in time, or for a seat that need not decide.
   * @param {Observed} observed @returns {Analysis | null} */
  analyse(observed) {
    if (observed.hidden || !observed.legal().length) return null;
    const [begin, more] = ["begin_ending", "go_on_ending"]
      .map((name) => this.kernels.entry(`agents.solver.endings.${name}`));
    // the second goes on with what the first has learnt
    for (const { inHand, inAll, positions, milliseconds } of this.limits) {
      const until = performance.now() + milliseconds, [ending, rules] = this.#fit(observed), { seat } = observed;
      const begun = begin(ending, rules, this.#view, seat, inHand, inAll, positions);
      if (begun === this.c.IMPOSSIBLE) throw new NoDeterminizationError(`no game agrees with what seat ${seat} knows`);
      if (begun !== this.c.READY) continue;
      goOn(this.kernels, until, (budget) => more(ending, rules, budget));
      const { state } = ending;
      if (!state.get(0, "known")) continue;
      /** @type {Map<number, number>} */
      const values = new Map();
      state.list(0, "weighed").forEach((/** @type {number} */ one, /** @type {number} */ action) => one
        && values.set(action, state.get(0, "worth", action)));
      const value = Math.max(...values.values()),
        best = [...values.keys()].filter((action) => values.get(action) === value);
      return { action: best[0], chances: equally(best), value, values };
    }
    return null;
  }

  /** @param {Observed} observed @returns {[any, Records]} */
  #fit({ rules, view }) {
    this.#solver ??= new Solver(this.kernels, this.kernels.constant("agents.solver.solver", "SOLVER_MB"));
    const [search, record] = this.#solver.fit(rules);
    this.#ending ??= { search, games: this.#memory.records("GAME", this.c.ORDERS),
      state: this.#memory.records("ENDING", 1) };
    this.#view.write(0, view.bytes(0));
    return [this.#ending, record];
  }

  close() {
    this.#solver?.close();
    this.#memory.close();
  }
}

/** Another agent, but for the endings that can be solved. @implements {Agent} */
export class Solved {
  #endings;

  /** @param {Kernels} kernels @param {Agent} agent @param {number} cards at most in a hand when the solver takes
   * over */
  constructor(kernels, agent, cards = 5) {
    this.agent = agent;
    this.#endings = new Endings(kernels, intIn(cards, "cards", 0, CARDS));
  }

  /** @param {Rules} rules */
  check(rules) {
    return this.agent.check?.(rules);
  }

  /** @param {number} seat @param {number | bigint} seed */
  reset(seat, seed) {
    this.agent.reset(seat, seed);
    this.#endings.forget();
  }

  /** @param {Observed} observed */
  watch(observed) {
    return this.agent.watch?.(observed);
  }

  /** @param {Observed} observed */
  act(observed) {
    const solved = observed.legal().length > 1 ? this.#endings.analyse(observed) : null;
    return solved ? solved.action : this.agent.act(observed);
  }

  /** @param {Observed} observed @returns {Analysis | Promise<Analysis>} */
  analyse(observed) {
    return this.#endings.analyse(observed) ?? this.agent.analyse(observed);
  }

  close() {
    this.#endings.close();
    this.agent.close();
  }
}
