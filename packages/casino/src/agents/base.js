/** What an agent is: it is given what its seat may know, and answers with an action of the catalogue. */

/** @import { Kernels } from "../kernels/kernels.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

import { ACTIONS } from "../game/actions.js";
import { CARDS } from "../game/cards.js";

const PARTS = 4; // numbers of 52 bits in which a set of actions is kept

/**
 * What an agent makes of a position.
 *
 * @typedef {object} Analysis
 * @property {number} action what it plays
 * @property {Float64Array} chances how likely it plays each action of the catalogue
 * @property {number | null} value points more than the others that it expects; null if it has no such number
 * @property {Map<number, number>} values what it thinks of the actions that it has weighed: in points where there is a
 *   value, else on a scale of its own
 */

/**
 * The contract. Whoever asks awaits the answers: an agent that has weights to load, or sits in a worker, has them
 * later.
 *
 * @typedef {object} Agent
 * @property {(seat: number, seed: number | bigint) => void} reset a game begins, on this seat; all that it draws comes
 *   from the seed
 * @property {(observed: Observed) => number | Promise<number>} act a legal action; something is legal
 * @property {(observed: Observed) => Analysis | Promise<Analysis>} analyse the same with what stands behind it
 * @property {(rules: Rules) => void | Promise<void>} [check] fails if it cannot play these rules
 * @property {(observed: Observed) => void | Promise<void>} [watch] a decision that is not asked of it, as its seat sees
 *   it: for those that remember what others did
 * @property {() => void} close gives back its memory
 */

/** Chances of all actions when these are played, each as often. @param {number[]} actions */
export function equally(actions) {
  const chances = new Float64Array(ACTIONS);
  for (const action of actions) chances[action] = 1 / actions.length;
  return chances;
}

/** Which of the numbers is largest: the first of equals. @param {ArrayLike<number>} numbers */
export function largest(numbers) {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[best]) best = i;
  return best;
}

/** The numbers of a game by the names of its switches, as kernels see them. @param {Rules} rules */
export function numbersOf(rules) {
  const { record } = rules;
  return (/** @type {string} */ name) => Number(record.get(0, name));
}

// --- memory of an agent ----------------------------------------------------------------------------------------------

/** What an agent has of the kernels' memory: made once, given back together. */
export class Memory {
  /** @type {{ free(): void }[]} */
  #held = [];

  /** @param {Kernels} kernels */
  constructor(kernels) {
    this.kernels = kernels;
  }

  /** Zeros of a type. @param {import("../kernels/kernels.js").ElementType} type @param {...number} shape */
  array(type, ...shape) {
    return this.#hold(this.kernels.array(type, shape));
  }

  /** Empty records of a type. @param {string} type @param {...number} shape */
  records(type, ...shape) {
    return this.#hold(this.kernels.records(type, shape));
  }

  /** A workspace of zeros: a named tuple whose arrays are as large as its fields say. @param {string} name
   * @param {Record<string, number>} [sizes] those that have names there @returns {any} */
  workspace(name, sizes = {}) {
    const part = (/** @type {import("../kernels/kernels.js").Kind} */ kind) => {
      if (!Array.isArray(kind)) return this.workspace(kind, sizes);
      const [type, , dimensions = []] = kind,
        shape = dimensions.map((size) => (typeof size === "number" ? size : sizes[size]));
      return type in this.kernels.facts.records ? this.records(type, ...shape)
        : this.array(/** @type {any} */ (type), ...shape);
    };
    return Object.fromEntries(Object.entries(this.kernels.facts.tuples[name])
      .map(([field, kind]) => [field, part(kind)]));
  }

  /** @template {{ free(): void }} T @param {T} made */
  #hold(made) {
    this.#held.push(made);
    return made;
  }

  close() {
    for (const one of this.#held.splice(0)) one.free();
  }
}

/** What an agent needs to play a game, made anew when another game comes. @template T */
export class Fitted {
  #key = "";
  /** @type {{ memory: Memory, value: T } | null} */
  #now = null;

  /** @param {Kernels} kernels @param {(memory: Memory, rules: Rules, record: import("../kernels/kernels.js").Records)
   * => T} make record: the rules as kernels have them */
  constructor(kernels, make) {
    this.kernels = kernels;
    this.make = make;
  }

  /** What was made last, if it is still there. */
  get value() {
    return this.#now?.value;
  }

  /** @param {Rules} rules */
  to(rules) {
    const { key } = rules;
    if (this.#now && key === this.#key) return this.#now.value;
    this.close();
    const memory = new Memory(this.kernels);
    try {
      const record = memory.records("RULES", 1);
      record.copy(rules.record);
      this.#now = { memory, value: this.make(memory, rules, record) };
    } catch (error) {
      memory.close();
      throw error;
    }
    this.#key = key;
    return this.#now.value;
  }

  close() {
    this.#now?.memory.close();
    this.#now = null;
  }
}

// --- decisions -------------------------------------------------------------------------------------------------------

/** One decision, as kernels are asked that decide in many games at once. */
export class Decision {
  /** @param {Memory} memory */
  constructor(memory) {
    this.views = memory.records("GAME", 1);
    this.seats = memory.array("i64", 1);
    this.legal = memory.array("i64", 1, PARTS);
    this.actions = memory.array("i64", 1);
    this.chances = memory.array("f64", 1, ACTIONS);
    this.none = memory.array("f64", 0, ACTIONS); // where nothing but the action is wanted
    this.forAction = memory.kernels.pin("Decisions", [this.views, this.seats, this.legal, this.actions, this.none]);
    this.forChances = memory.kernels.pin("Decisions", [this.views, this.seats, this.legal, this.actions, this.chances]);
  }

  /** @param {Observed} observed */
  ask(observed) {
    const legal = observed.legal();
    if (!legal.length) throw new Error(`seat ${observed.seat} has nothing to decide`);
    this.views.write(0, observed.view.bytes(0));
    this.seats.data[0] = BigInt(observed.seat);
    const parts = [0n, 0n, 0n, 0n];
    for (const action of legal) parts[Math.floor(action / CARDS)] |= 1n << BigInt(action % CARDS);
    this.legal.data.set(parts);
    this.actions.data[0] = -1n;
    this.chances.data.fill(0);
  }

  get action() {
    return Number(this.actions.data[0]);
  }

  /** A copy. */
  get shares() {
    return Float64Array.from(this.chances.data);
  }
}

/** An agent whose decisions a kernel makes. @template T what it needs to play a game */
export class KernelAgent {
  /** @param {Kernels} kernels @param {(memory: Memory, rules: Rules, record: import("../kernels/kernels.js").Records)
   * => T} make as of Fitted */
  constructor(kernels, make) {
    this.memory = new Memory(kernels);
    this.decision = new Decision(this.memory);
    this.rng = this.memory.array("u64", 1);
    this.fit = new Fitted(kernels, make);
  }

  /** The kernel answers in the decisions that it is handed. @param {T} _fit @param {any} _decisions */
  decide(_fit, _decisions) {
    throw new Error("an agent has to decide");
  }

  /** @param {number} seat @param {number | bigint} seed */
  reset(seat, seed) {
    this.rng.data[0] = streamOf(seat, seed);
  }

  /** @param {Observed} observed */
  act(observed) {
    this.#ask(observed, this.decision.forAction);
    return this.decision.action;
  }

  /** @param {Observed} observed */
  chances(observed) {
    this.#ask(observed, this.decision.forChances);
    return this.decision.shares;
  }

  close() {
    this.fit.close();
    this.memory.close();
  }

  /** @param {Observed} observed @param {any} decisions */
  #ask(observed, decisions) {
    const fit = this.fit.to(observed.rules);
    this.decision.ask(observed);
    this.decide(fit, decisions);
  }
}

// --- random numbers --------------------------------------------------------------------------------------------------

/** 64 bits that look random, from a number that need not (splitmix64). @param {bigint} number */
export function mixed(number) {
  let z = BigInt.asUintN(64, number);
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** The first word that an agent draws from. @param {number} seat @param {number | bigint} seed */
export function streamOf(seat, seed) {
  return mixed(mixed(BigInt(seed)) + BigInt(seat + 1) * 0x9e3779b97f4a7c15n);
}
