/** The exact value and the best moves of a position in which all hands are open and nothing is left to deal; and
 * endings played by it, as soon as a seat can work out all cards. See agents/solver/solver.py. */

import { CARDS } from "../game/cards.js";
import { NoDeterminizationError } from "../game/observed.js";
import { intIn } from "../game/validate.js";
import { equally } from "./base.js";
import { Memory } from "../kernels/memory.js";

/** @import { Kernels, Records } from "../kernels/kernels.js" */
/** @import { Analysis } from "./base.js" */
/** @typedef {import("./base.js").Agent} Agent */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

/** Sizes of a workspace with so large a table of positions. @param {Kernels} kernels @param {number} megabytes */
export function sizesOf(kernels, megabytes) {
  const { LEVELS: levels, ENTRIES } = kernels.constants("agents.solver.alpha_beta");
  return { levels, entries: 2 ** Math.floor(Math.log2(megabytes * ENTRIES)) };
}

/** What is exact of endings in which nobody holds more than so many cards. It keeps what it has learnt between
 * decisions: positions of one deal share most of it. */
export class Endings {
  #memory;
  #view;
  #rules;
  #key = "";
  /** @type {any} */
  #ending = null; // made when it is needed: it holds more memory than all the rest
  /** @type {any} */
  #pinned = null;

  /** @param {Kernels} kernels @param {number} cards @param {number} seconds for a decision; 0: as many positions as
   * always @param {number} always cards in all hands together with which some positions are searched however short the
   * time */
  constructor(kernels, cards, seconds = 0, always = 0) {
    const solver = kernels.constants("agents.solver.solver"),
      { POSITIONS } = kernels.constants("agents.solver.alpha_beta");
    this.kernels = kernels;
    this.c = kernels.constants("agents.solver.endings");
    this.limits = [
      { inHand: -1, inAll: always, positions: POSITIONS, milliseconds: Infinity },
      { inHand: cards, inAll: -1, positions: seconds ? this.c.NO_LIMIT : solver._SOLVER_NODES,
        milliseconds: 1000 * seconds || Infinity },
    ];
    this.#memory = new Memory(kernels);
    this.#view = this.#memory.records("GAME", 1);
    this.#rules = this.#memory.records("RULES", 1);
  }

  /** What was learnt of the last deal; it makes no difference to the moves, but to how long they take. */
  forget() {
    this.#key = "";
  }

  /** Null where cards are hidden, where the solver does not finish in time, or for a seat that need not decide.
   * @param {Observed} observed @returns {Analysis | null} */
  analyse(observed) {
    if (observed.hidden || !observed.legal().length) return null;
    const [begin, more] = ["begin_ending", "go_on_ending"]
      .map((name) => this.kernels.entry(`agents.solver.endings.${name}`));
    const { OPEN } = this.kernels.constants("agents.solver.alpha_beta");
    const { _AT_ONCE } = this.kernels.constants("agents.solver.solver");
    // the second goes on with what the first has learnt
    for (const { inHand, inAll, positions, milliseconds } of this.limits) {
      const until = performance.now() + milliseconds, { seat } = observed, { state } = this.#fit(observed);
      const begun = begin(this.#pinned, this.#rules, this.#view, seat, inHand, inAll, positions);
      if (begun === this.c.IMPOSSIBLE) throw new NoDeterminizationError(`no game agrees with what seat ${seat} knows`);
      if (begun !== this.c.READY) continue;
      for (let budget = 0; more(this.#pinned, this.#rules, budget) === OPEN && performance.now() < until; )
        budget = _AT_ONCE;
      if (!state.get(0, "known")) continue;
      const weighed = state.list(0, "weighed"), worth = state.list(0, "worth");
      const values = new Map(observed.legal().filter((action) => weighed[action]).map((each) => [each, worth[each]]));
      const value = Math.max(...values.values()),
        best = [...values.keys()].filter((each) => values.get(each) === value);
      return { action: best[0], chances: equally(best), value, values };
    }
    return null;
  }

  /** The workspace for what is seen; it has forgotten what it learnt by other rules. @param {Observed} observed */
  #fit({ rules, view }) {
    const { kernels } = this;
    this.#view.write(0, view.bytes(0));
    if (!this.#ending) {
      const sizes = sizesOf(kernels, kernels.constant("agents.solver.solver", "SOLVER_MB"));
      this.#ending = this.#memory.workspace("Ending", sizes);
      this.#pinned = kernels.pin("Ending", this.#ending);
    } else if (rules.key !== this.#key) {
      const { table, history, names } = this.#ending.search;
      kernels.bytes(table.pointer, table.length * table.size).fill(0);
      for (const part of [history, names.same]) part.data.fill(0n);
    }
    if (rules.key !== this.#key) this.#rules.copy(rules.record);
    this.#key = rules.key;
    return this.#ending;
  }

  close() {
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
  check = (rules) => this.agent.check?.(rules);

  /** @param {number} seat @param {number | bigint} seed */
  reset(seat, seed) {
    this.agent.reset(seat, seed);
    this.#endings.forget();
  }

  /** @param {Observed} observed */
  watch = (observed) => this.agent.watch?.(observed);

  /** @param {Observed} observed */
  act(observed) {
    const solved = observed.legal().length > 1 ? this.#endings.analyse(observed) : null;
    return solved ? solved.action : this.agent.act(observed);
  }

  /** @param {Observed} observed @returns {Analysis | Promise<Analysis>} */
  analyse = (observed) => this.#endings.analyse(observed) ?? this.agent.analyse(observed);

  close() {
    this.#endings.close();
    this.agent.close();
  }
}
