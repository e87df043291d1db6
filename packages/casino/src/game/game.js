/** A game as an object: a wrapper around the kernels (engine.js), which decide everything. */

import { ACTIONS, actionText, parseAction } from "./actions.js";
import * as engine from "../kernels/engine.js";
import { use, Values } from "../kernels/kernels.js";
import * as position from "./position.js";
import { checkedRules, isRules, makeRules } from "./rules.js";
import { completeTurns } from "./turns.js";
import { intIn, knownKeys, ofKind, shortRepr } from "./validate.js";

/** @import { Done } from "../kernels/engine.js" */
/** @import { Position } from "./position.js" */
/** @import { Rules } from "./rules.js" */
/**
 * @typedef {object} Options
 * @property {boolean} [match] deal again until the match is decided
 * @property {boolean} [skipForced] the game plays actions without alternative itself
 * @property {Record<string, any>} [changes] switches that differ from the preset
 * @property {Values} [record] start from this state instead of dealing; it is not validated
 */

const OPTIONS = ["match", "skipForced", "changes", "record"], OPTIONS_OF_SAVED = ["skipForced"];
export const MAX_SEED = 2n ** 64n - 1n;

/** The action is not in the catalogue or not legal now; the game is unchanged. */
export class IllegalActionError extends Error {
  name = "IllegalActionError";
}

/** @param {unknown} seed @returns {number | bigint} */
export function checkedSeed(seed) {
  if (typeof seed === "bigint" ? seed >= 0n && seed <= MAX_SEED : Number.isSafeInteger(seed) && Number(seed) >= 0) {
    return /** @type {number | bigint} */ (seed);
  }
  throw new Error(`seed = ${shortRepr(seed)}; it must be a whole number from 0 to 2^64 - 1 (from 2^53 on a BigInt)`);
}

/** Of a game that nobody has given one: 48 bits. */
export function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 16) * 2 ** 32 + low;
}

/** A deal (or a match) of a variant, played by applying actions. variant: the name of a preset, or custom rules. seed:
 * determines the cards; without it they are random, and `game.seed` is the seed that deals them again. */
export class Game {
  /** All actions so far, forced ones included. @type {Done[]} */
  log = [];
  /** The seed that dealt the cards; null if the game began from a state. @type {number | bigint | null} */
  seed = null;
  /** @type {engine.ActionSet | null} */
  #legal = null;

  /** @param {string | Rules} [variant] @param {number} [players] @param {number | bigint} [seed]
   * @param {Options} [options] */
  constructor(variant = "south-african", players = 2, seed = undefined, options = {}) {
    knownKeys(options, OPTIONS, "options of a game");
    const { match = false, skipForced = true, changes, record } = options;
    if (record !== undefined && !(record instanceof Values))
      throw new Error(`record = ${shortRepr(record)}; it must be the record of a game`);
    if (isRules(variant) && changes) throw new Error("give rules or changes to a preset, not both");
    /** @type {Rules} */
    this.rules = isRules(variant) ? variant : makeRules(variant, players, changes);
    this.skipForced = ofKind(skipForced, "skipForced", "bool");
    /** The state, one GAME record; you write to it at your own risk. @type {Values} */
    this.record = record?.clone() ?? this.#deal(seed ?? randomSeed(), ofKind(match, "match", "bool"));
    if (!record) this.#settle();
  }

  /** @param {number | bigint} seed @param {boolean} match */
  #deal(seed, match) {
    this.seed = checkedSeed(seed);
    return engine.start(this.rules, this.seed, match);
  }

  // --- state ---

  /** The seat that decides now: within a turn another seat than the mover may have a question to answer.
   * @returns {number} */
  get seat() {
    return this.record.get(0, "actor");
  }

  /** Whether the game is over: nothing is left to decide. */
  get over() {
    return this.record.get(0, "mode") === engine.stateNumbers().OVER;
  }

  /** The side that won the match (or the deal); null while undecided or if shared. @returns {number | null} */
  get winner() {
    const winner = this.record.get(0, "winner");
    return winner >= 0 ? winner : null;
  }

  /** The legal actions, ascending; empty when the game is over. @returns {number[]} */
  legal() {
    return engine.actionsOf(this.#choices());
  }

  #choices() {
    this.#legal ??= engine.legal(this.record, this.rules);
    return this.#legal;
  }

  // --- playing ---

  /** Play a legal action, given by number or text, and all forced actions after it. @param {number | string} action */
  apply(action) {
    const number = typeof action === "string" ? parseAction(action) : actionNumber(action);
    if (!engine.allows(this.#choices(), number)) throw new IllegalActionError(this.#complaint(number));
    this.#play(number);
  }

  /** @param {number} action */
  #play(action) {
    const { done, legal } = engine.play(this.record, this.rules, action, this.skipForced);
    this.log.push(...done);
    this.#legal = this.skipForced ? legal : null;
    if (done.length === engine.MOST_AT_ONCE) this.#settle();
  }

  /** Play on while exactly one action is legal. */
  #settle() {
    if (!this.skipForced) return;
    const forced = this.legal();
    if (forced.length === 1) this.#play(forced[0]);
  }

  /** @param {number} action */
  #complaint(action) {
    const legal = this.legal();
    const name = action >= 0 && action < ACTIONS ? actionText(action) : `action ${shortRepr(action)}`;
    if (!legal.length)
      return `${name} is illegal: ${this.over ? "the game is over" : `seat ${this.seat} can do nothing`}`;
    return `${name} is illegal for seat ${this.seat}; legal: ${legal.map(actionText).join(", ")}`;
  }

  /** List the legal complete turns: text, actions and the position after each; one turn for each distinct result. */
  turns() {
    return completeTurns(this);
  }

  // --- points ---

  /** Points by category and seat (partners share theirs): final when the game is over, else those already certain. */
  breakdown() {
    return engine.breakdown(this.record, this.rules);
  }

  /** Points of the deal by seat; partners share theirs. */
  scores() {
    return engine.scoresOf(this.breakdown(), this.rules);
  }

  // --- copies and texts ---

  /** An independent copy. @returns {Game} */
  clone() {
    const twin = uncheckedGame(this.record, this.rules, { skipForced: this.skipForced });
    twin.log = [...this.log];
    twin.seed = this.seed;
    twin.#legal = this.#legal;
    return twin;
  }

  /** Serialize the exact state; fromBytes() restores it with the same rules. @returns {Uint8Array} */
  toBytes() {
    return this.record.bytes(0);
  }

  /** Restore the game that toBytes() saved; throw unless play can continue from it. @param {Uint8Array} data
   * @param {Rules} rules @param {{ skipForced?: boolean }} [options] */
  static fromBytes(data, rules, options = {}) {
    knownKeys(options, OPTIONS_OF_SAVED, "options of a game");
    if (!(data instanceof Uint8Array)) throw new Error("a saved game must be a Uint8Array");
    checkedRules(rules);
    const { size } = use().facts.records.GAME;
    if (data.length !== size) throw new Error(`a saved game has ${size} bytes, not ${data.length}`);
    const record = use().values("GAME", data);
    position.validateRecord(record, rules);
    return uncheckedGame(record, rules, options);
  }

  /** @param {unknown} other */
  equals(other) {
    if (!(other instanceof Game) || other.rules.key !== this.rules.key) return false;
    const bytes = other.toBytes();
    return this.toBytes().every((byte, i) => byte === bytes[i]);
  }

  /** The position as plain data, with all hands; fromJson() restores it. @returns {Position} */
  toJson() {
    return position.toJson(this.record, this.rules);
  }

  /** toJson() under the name that JSON.stringify calls. */
  toJSON() {
    return this.toJson();
  }

  /** Restore a game from Position JSON. Plays no forced action. @param {unknown} data
   * @param {{ skipForced?: boolean }} [options] */
  static fromJson(data, options = {}) {
    knownKeys(options, OPTIONS_OF_SAVED, "options of a game");
    const { record, rules } = position.fromJson(data);
    return uncheckedGame(record, rules, options);
  }

  toString() {
    return `Game('${this.rules.name}', players=${this.rules.players}, seat=${this.seat}, over=${this.over})`;
  }
}

/** Validate an action's number. @param {unknown} value */
export function actionNumber(value) {
  try {
    return intIn(value, "action");
  } catch {
    throw new Error(`an action must be a whole number from 0 to ${ACTIONS - 1}, not ${shortRepr(value)}`);
  }
}

/** A game around a copy of a record, without validation: only for records made by kernels (views included). External
 * data must go through Game.fromBytes or Game.fromJson. @param {Values} record @param {Rules} rules
 * @param {{ skipForced?: boolean }} [options] @returns {Game} */
export function uncheckedGame(record, rules, options) {
  return new Game(rules, rules.players, undefined, { ...options, record });
}
