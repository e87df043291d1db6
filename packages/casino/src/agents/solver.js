/** The exact value and the best moves of a position in which all hands are open and nothing is left to deal; and endings
 * played by it, as soon as a seat can work out all cards. */

import { CARDS, countOf } from "../game/cards.js";
import { actionsOf, completeMany } from "../kernels/engine.js";
import { Memory, equally, numbersOf } from "./base.js";
import { NoDeterminizationError } from "../game/observed.js";
import { floatIn, intIn } from "../game/validate.js";
import { nameEquals, newAlphaBeta } from "./workspaces.js";

/** @typedef {import("./base.js").Kernels} Kernels */
/** @typedef {import("./base.js").Rules} Rules */
/** @typedef {import("./base.js").Observed} Observed */
/** @typedef {import("./base.js").Analysis} Analysis */
/** @typedef {import("./base.js").Agent} Agent */
/** @typedef {import("../kernels/kernels.js").Records} Records */
/** @typedef {"value" | "best" | "values"} Want */

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

/** @typedef {{ milliseconds?: number, nodes?: number }} Limit */

/** Keeps what it has learnt between calls: positions of one deal share most of it. */
export class Solver {
  #memory;
  #rules;
  #key = "";
  /** @type {any} */
  #search = null;
  /** @type {any} */
  #pinned = null;

  /**
   * @param {Kernels} kernels
   * @param {number} megabytes of its table
   */
  constructor(kernels, megabytes = 64) {
    intIn(megabytes, "megabytes", 1, 1024);
    this.kernels = kernels;
    this.megabytes = megabytes;
    this.#memory = new Memory(kernels);
    this.#rules = this.#memory.records("RULES", 1);
    const of = (/** @type {string} */ name) => kernels.entry(`agents.solver.alpha_beta.${name}`);
    this.kernel = {
      begin: of("begin_search"), put: of("put_question"), resume: of("resume"), seek: of("seek_value"),
      legal: kernels.entry("engine.entrypoints.legal"),
    };
    this.noMove = kernels.constant("agents.solver.alpha_beta", "NO_MOVE");
    this.atOnce = kernels.constant("agents.solver.solver", "_AT_ONCE");
  }

  /** Forget everything: the next call is as of a new solver. */
  clear() {
    this.#key = "";
  }

  /**
   * want: the value with one best move, all best moves, or the value of every action. A limit ends the search early
   * with what is proven by then.
   *
   * @param {import("../game/game.js").Game} game
   * @param {Limit & { want?: Want }} options
   * @returns {Solution}
   */
  solve(game, { milliseconds, nodes, want = "best" } = {}) {
    if (milliseconds !== undefined) floatIn(milliseconds, "milliseconds", 0, 1e12);
    if (nodes !== undefined) intIn(nodes, "nodes", 0, Number.MAX_SAFE_INTEGER);
    if (!["value", "best", "values"].includes(want)) throw new Error(`want = '${want}'; it must be one of value, best, values`);
    refuse(game);
    return this.solveRecord(game.record.bytes(0), game.rules, { milliseconds, nodes }, want);
  }

  /**
   * @param {Uint8Array} record of a game that can be solved
   * @param {Rules} rules
   * @param {Limit} limit
   * @param {Want} want
   * @returns {Solution}
   */
  solveRecord(record, rules, limit, want) {
    const search = this.#fit(rules);
    search.games.write(0, record);
    search.games.set(0, "match", 0); // the deal is solved, not the match
    const legal = actionsOf(this.kernel.legal(search.games.part(0, 1), this.#rules));
    return new Call(this, [this.#pinned, this.#rules], search.control, legal, limit).run(want);
  }

  /** @param {Rules} rules */
  #fit(rules) {
    const { key } = rules;
    if (key !== this.#key) {
      this.#rules.copy(rules.record);
      if (this.#search) {
        for (const part of [this.#search.table, this.#search.history])
          this.kernels.bytes(part.pointer, part.length * part.size).fill(0);
        nameEquals(this.#memory, this.#rules, this.#search.names);
      } else {
        this.#search = newAlphaBeta(this.#memory, this.#rules, this.megabytes);
        this.#pinned = this.kernels.pin("AlphaBeta", this.#search);
      }
      this.#key = key;
    }
    return this.#search;
  }

  close() {
    this.#memory.close();
  }
}

/**
 * Only deals of two sides without chance or secrets have an exact value here.
 *
 * @param {import("../game/game.js").Game} game
 */
function refuse(game) {
  const { rules, record } = game, sides = numbersOf(rules)("sides");
  const hidden = [...record.list(0, "hidden_hand"), ...record.list(0, "hidden_pile")].some(Number);
  /** @type {[boolean, string][]} */
  const reasons = [
    [game.over, "nothing to solve: the game is over"],
    [!game.legal().length, `nothing to solve: seat ${game.seat} has nothing to decide`],
    [sides !== 2, `the solver plays two sides; ${rules.name} with ${rules.players} players has ${sides}`],
    [record.get(0, "stock_top") >= 0, "the solver needs the last cards to be dealt; there is a stock"],
    [hidden, "the solver needs all cards to be known; this is what one seat sees"],
    [rules.count_out, "the solver counts the points of whole deals; with count_out a deal may be cut short"],
  ];
  for (const [wrong, why] of reasons) if (wrong) throw new Error(why);
}

/** A limit is reached: of time, of positions, or the deal is longer than the stack of the search. */
class OutOfTime extends Error {}

/**
 * One call of a solver: the value, then what else is wanted, in pieces between which it looks at the limits. Kernels
 * answer whether side 0 can reach a target; all numbers here are from the decider's side.
 */
class Call {
  /**
   * @param {Solver} solver
   * @param {any[]} search
   * @param {Records} control
   * @param {number[]} legal
   * @param {Limit} limit
   */
  constructor(solver, search, control, legal, { milliseconds = Infinity, nodes = Infinity }) {
    this.solver = solver;
    this.kernel = solver.kernel;
    this.search = search;
    this.control = control;
    this.legal = legal;
    this.until = performance.now() + milliseconds;
    this.most = nodes;
    this.kernel.begin(...search);
  }

  /**
   * @param {Want} want
   * @returns {Solution}
   */
  run(want) {
    /** @type {Map<number, number> | null} */
    let values = null;
    /** @type {number[]} */
    let best = [], complete = false;
    try {
      if (this.#low < this.#of("high")) this.#finish(this.kernel.seek);
      if (want === "best") {
        const proven = this.#of("best");
        for (const move of this.legal) // which of the others reach the value as well?
          if (move === proven || this.#ask(this.#low, move) >= this.#low) best.push(move);
      } else if (want === "values") {
        values = new Map(this.legal.map((move) => [move, this.#valueOf(move)]));
        best = this.legal.filter((move) => values?.get(move) === this.#low);
      }
      complete = true;
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
    }
    // What is proven to reach `low`, else what looks best, if there is such a move.
    const promising = [this.#of("best"), this.#of("promising"), this.legal[0]];
    if (!best.length) best = promising.filter((move) => move !== this.solver.noMove).slice(0, 1);
    return { low: this.#low, high: this.#of("high"), best, complete, values, nodes: this.#of("nodes") };
  }

  get #low() {
    return this.#of("low");
  }

  /** @param {string} name */
  #of(name) {
    return Number(this.control.get(0, name));
  }

  /**
   * The first answer is mostly yes for a good move; for others it goes down step by step.
   *
   * @param {number} move
   */
  #valueOf(move) {
    for (let target = this.#low; ; ) {
      const bound = this.#ask(target, move);
      if (bound >= target) return bound;
      target = bound;
    }
  }

  /**
   * A bound of the value of the move: a lower one if it is at least target, else an upper one.
   *
   * @param {number} target
   * @param {number} move
   */
  #ask(target, move) {
    const sign = this.#of("sign");
    this.kernel.put(...this.search, sign > 0 ? target : 1 - target, move);
    this.#finish(this.kernel.resume);
    return sign * this.#of("value");
  }

  /** Search until it is answered. @param {(...args: any[]) => any} search */
  #finish(search) {
    for (let answered = false; !answered; ) {
      const budget = Math.min(this.solver.atOnce, this.most - this.#of("nodes"));
      if (budget <= 0 || performance.now() >= this.until) throw new OutOfTime();
      answered = search(...this.search, budget);
      if (this.#of("level") < 0) throw new OutOfTime();
    }
  }
}

// --- endings -----------------------------------------------------------------------------------------------------------

export const ORDERS_SEED = 5874934615388537135n; // the first number of numpy's generator with the seed 0

/**
 * With so many cards in each hand an ending is mostly solved in this time.
 *
 * @param {Kernels} kernels
 * @param {number} seconds
 */
export function cardsWithin(kernels, seconds) {
  const { _FIVE: five, _ONE_MORE: more } = kernels.facts.constants["agents.solver.solved_agent"];
  return Math.max(1, 5 + Math.floor(Math.log(seconds / five) / Math.log(more)));
}

/** What is exact of endings in which nobody holds more than so many cards. */
export class Endings {
  /** @type {Solver | null} */
  #solver = null; // made when it is needed: it holds more memory than all the rest

  /**
   * @param {Kernels} kernels
   * @param {number} cards
   * @param {number} seconds for a decision; 0: as many positions as always
   * @param {number} always cards in all hands together with which some positions are searched however short the time
   */
  constructor(kernels, cards, seconds = 0, always = 0) {
    const { _SOLVER_NODES: nodes, _SOLVER_MB: megabytes, _ORDERS: orders } = kernels.facts.constants["agents.solver.solved_agent"];
    this.kernels = kernels;
    this.cards = cards;
    this.always = always;
    this.megabytes = megabytes;
    /** @type {Limit} */
    this.limit = seconds ? { milliseconds: 1000 * seconds } : { nodes };
    this.orders = orders; // of piles whose order the seat does not know
  }

  /** What was learnt of the last deal; it makes no difference to the moves, but to how long they take. */
  forget() {
    this.#solver?.clear();
  }

  /**
   * Null where cards are hidden, where the solver does not finish in time, or for a seat that need not decide.
   *
   * @param {Observed} observed
   * @returns {Analysis | null}
   */
  analyse(observed) {
    const { view, rules } = observed, numbers = numbersOf(rules);
    if (observed.hidden || numbers("sides") !== 2 || rules.count_out || !observed.legal().length) return null;
    const held = view.list(0, "hands").map(countOf), all = held.reduce((total, one) => total + one, 0);
    /** @type {Limit[]} */
    const limits = all <= this.always ? [{ nodes: this.kernels.constant("agents.solver.alpha_beta", "POSITIONS") }] : [];
    if (Math.max(...held) <= this.cards) limits.push(this.limit); // goes on with what has been learnt
    if (!limits.length) return null;
    const games = Number(view.get(0, "shuffled")) ? this.#orders(observed) : [view.bytes(0)];
    for (const limit of limits) {
      const worth = this.#exact(games, rules, shared(limit, games.length));
      if (worth) {
        const value = Math.max(...worth.values()), best = [...worth.keys()].filter((action) => worth.get(action) === value);
        return { action: best[0], chances: equally(best), value, values: worth };
      }
    }
    return null;
  }

  /**
   * The order of a captured pile is not known: some that it may have, always the same.
   *
   * @param {Observed} observed
   */
  #orders({ view, rules, seat }) {
    const games = completeMany(view, rules, seat, ORDERS_SEED, this.orders);
    if (games.length < this.orders) throw new NoDeterminizationError(`no game agrees with what seat ${seat} knows`);
    return games.map((game) => game.bytes(0));
  }

  /**
   * The points that best actions reach; where an order is not known what every action does on the mean.
   *
   * @param {Uint8Array[]} games
   * @param {Rules} rules
   * @param {Limit} limit
   */
  #exact(games, rules, limit) {
    this.#solver ??= new Solver(this.kernels, this.megabytes);
    /** @type {Map<number, number>} */
    const worth = new Map(), one = games.length === 1;
    for (const game of games) {
      const found = this.#solver.solveRecord(game, rules, limit, one ? "best" : "values");
      const values = one && found.low === found.high ? new Map(found.best.map((action) => [action, found.low])) : found.values;
      if (!values) return null;
      for (const [action, points] of values) worth.set(action, (worth.get(action) ?? 0) + points / games.length);
    }
    return worth;
  }

  close() {
    this.#solver?.close();
  }
}

/**
 * @param {Limit} limit
 * @param {number} games
 * @returns {Limit}
 */
function shared({ milliseconds, nodes }, games) {
  return milliseconds ? { milliseconds: milliseconds / games } : { nodes: Math.floor((nodes ?? 0) / games) };
}

/** Another agent, but for the endings that can be solved. @implements {Agent} */
export class Solved {
  #endings;

  /**
   * @param {Kernels} kernels
   * @param {Agent} agent
   * @param {number} cards at most in a hand when the solver takes over
   */
  constructor(kernels, agent, cards = 5) {
    this.agent = agent;
    this.#endings = new Endings(kernels, intIn(cards, "cards", 0, CARDS));
  }

  /** @param {Rules} rules */
  check(rules) {
    return this.agent.check?.(rules);
  }

  /**
   * @param {number} seat
   * @param {number | bigint} seed
   */
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

  /** @param {Observed} observed */
  analyse(observed) {
    return this.#endings.analyse(observed) ?? this.agent.analyse(observed);
  }

  close() {
    this.#endings.close();
    this.agent.close();
  }
}
