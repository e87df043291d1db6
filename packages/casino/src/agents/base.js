/** What an agent is: it is given what its seat may know, and answers with an action of the catalogue. */

/** @import { Kernels, Records } from "../kernels/kernels.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

import { ACTIONS } from "../game/actions.js";
import { CARDS } from "../game/cards.js";
import { Memory } from "../kernels/memory.js";

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

/** What is made once for a key. A failure is forgotten: it may be there the next time. @template K, V
 * @param {Map<K, Promise<V>>} known @param {K} key @param {() => Promise<V>} make @returns {Promise<V>} */
export function once(known, key, make) {
  const found = known.get(key) ?? make();
  if (!known.has(key)) found.catch(() => known.delete(key));
  known.set(key, found);
  return found;
}

/** Chances of all actions when these are played, each as often. @param {number[]} actions */
export function equally(actions) {
  const chances = new Float64Array(ACTIONS);
  for (const action of actions) chances[action] = 1 / actions.length;
  return chances;
}

// --- memory of an agent ----------------------------------------------------------------------------------------------

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
      this.#now = { memory, value: this.make(memory, rules, memory.copies(rules.record)) };
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

/** An agent whose decisions a kernel makes: one at a time, of a kernel that decides in many games at once. @template T
 * what it needs to play a game */
export class KernelAgent {
  #asked;
  #forAction;
  #forChances;

  /** @param {Kernels} kernels @param {(memory: Memory, rules: Rules, record: Records) => T} make as of Fitted */
  constructor(kernels, make) {
    const memory = new Memory(kernels), views = memory.records("GAME", 1), seats = memory.array("i64", 1);
    const legal = memory.array("i64", 1, PARTS), actions = memory.array("i64", 1);
    const chances = memory.array("f64", 1, ACTIONS), none = memory.array("f64", 0, ACTIONS);
    this.#asked = { views, seats, legal, actions, chances };
    this.#forChances = kernels.pin("Decisions", [views, seats, legal, actions, chances]);
    // nothing but the action is wanted
    this.#forAction = kernels.pin("Decisions", [views, seats, legal, actions, none]);
    this.memory = memory;
    this.rng = memory.array("u64", 1);
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
  act = (observed) => Number(this.#ask(observed, this.#forAction).actions.data[0]);

  /** @param {Observed} observed */
  chances = (observed) => Float64Array.from(this.#ask(observed, this.#forChances).chances.data);

  close() {
    this.fit.close();
    this.memory.close();
  }

  /** @param {Observed} observed @param {any} decisions */
  #ask(observed, decisions) {
    const fit = this.fit.to(observed.rules), legal = observed.legal(), parts = Array(PARTS).fill(0n);
    if (!legal.length) throw new Error(`seat ${observed.seat} has nothing to decide`);
    for (const action of legal) parts[Math.floor(action / CARDS)] |= 1n << BigInt(action % CARDS);
    this.#asked.views.write(0, observed.view.bytes(0));
    this.#asked.seats.data[0] = BigInt(observed.seat);
    this.#asked.legal.data.set(parts);
    this.#asked.actions.data[0] = -1n;
    this.#asked.chances.data.fill(0);
    this.decide(fit, decisions);
    return this.#asked;
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
