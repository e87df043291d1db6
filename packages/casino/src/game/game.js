/** One game as a friendly object; the kernels (engine.js) decide everything. */

import { ACTIONS, actionText, parseAction } from "./actions.js";
import * as engine from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import * as position from "./position.js";
import { checkedRules, isRules, makeRules } from "./rules.js";
import { completeTurns } from "./turns.js";
import { intIn, knownKeys, shortRepr } from "./validate.js";

/** @import { Done } from "../kernels/engine.js" */
/** @import { Values } from "../kernels/kernels.js" */
/** @import { Position } from "./position.js" */
/** @import { Rules } from "./rules.js" */
/**
 * @typedef {object} Options
 * @property {boolean} [match] deal again until the match is decided
 * @property {boolean} [skipForced] actions without alternative are played by the game itself
 * @property {Record<string, any>} [changes] switches that differ from the preset
 * @property {Values} [record] nothing is dealt: the game is this one, and nobody looks whether it can be
 */

const OPTIONS = ["match", "skipForced", "changes", "record"];
export const MAX_SEED = 2n ** 64n - 1n;

/** An action that is not in the catalogue or not allowed now; the game is unchanged. */
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

/** A deal (or a match) of a variant, played by applying actions. variant: the name of a preset, or rules of one's own.
 * seed: fixes the cards; without it they differ each time, and `game.seed` says what deals them again. */
export class Game {
  /** What all have done, forced ones too. @type {Done[]} */
  log = [];
  /** Of a game that was begun with one. @type {number | bigint | null} */
  seed = null;
  /** @type {engine.ActionSet | null} */
  #legal = null;

  /** @param {string | Rules} [variant] @param {number} [players] @param {number | bigint} [seed]
   * @param {Options} [options] */
  constructor(variant = "south-african", players = 2, seed = undefined, options = {}) {
    knownKeys(options, OPTIONS, "options of a game");
    const { match = false, skipForced = true, changes, record } = options;
    if (isRules(variant) && changes) throw new Error("give rules or changes to a preset, not both");
    /** @type {Rules} */
    this.rules = isRules(variant) ? variant : makeRules(variant, players, changes);
    this.skipForced = skipForced;
    /** The game itself, one record of GAME; writing to it is at your own risk. @type {Values} */
    this.record = record?.clone() ?? this.#deal(seed ?? randomSeed(), Boolean(match));
    if (!record) this.#settle();
  }

  /** @param {number | bigint} seed @param {boolean} match */
  #deal(seed, match) {
    this.seed = checkedSeed(seed);
    return engine.start(this.rules, this.seed, match);
  }

  // --- state ---

  /** Who decides now. Questions inside a turn are decided by other seats than the mover. @returns {number} */
  get seat() {
    return this.record.get(0, "actor");
  }

  /** Nobody has anything to decide any more. */
  get over() {
    return this.record.get(0, "mode") === engine.stateNumbers().OVER;
  }

  /** Side that has won the match (or the deal); null while open or shared. @returns {number | null} */
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

  /** Do a legal action, given by number or text, and everything forced after it. @param {number | string} action */
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
    if (done.length === engine.MOST_AT_ONCE) {
      this.#legal = null;
      this.#settle();
    }
  }

  /** Play on while there is one legal action. */
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

  /** Every legal complete turn from here: text, actions and the position after it, one a distinct result. */
  turns() {
    return completeTurns(this);
  }

  // --- points ---

  /** Points by category and seat (partners share theirs): final when over, else what is certain already. */
  breakdown() {
    return engine.breakdown(this.record, this.rules);
  }

  /** Points of the deal by seat; partners have the same. */
  scores() {
    return engine.scoresOf(this.breakdown(), this.rules);
  }

  // --- copies and texts ---

  /** A copy that goes its own way. @returns {Game} */
  clone() {
    const twin = uncheckedGame(this.record, this.rules, { skipForced: this.skipForced });
    twin.log = [...this.log];
    twin.seed = this.seed;
    twin.#legal = this.#legal;
    return twin;
  }

  /** The exact state; with the rules it makes the same game again. @returns {Uint8Array} */
  toBytes() {
    return this.record.bytes(0);
  }

  /** The game that toBytes() wrote; fails if these bytes are no game that could be gone on with.
   * @param {Uint8Array} data @param {Rules} rules @param {{ skipForced?: boolean }} [options] */
  static fromBytes(data, rules, options) {
    if (!(data instanceof Uint8Array)) throw new Error("a saved game is bytes");
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

  /** The position as plain data, with all hands; fromJson() goes back. @returns {Position} */
  toJson() {
    return position.toJson(this.record, this.rules);
  }

  /** As JSON.stringify wants it. */
  toJSON() {
    return this.toJson();
  }

  /** The game of a Position JSON. Nothing is played on, even if only one action is legal. @param {unknown} data
   * @param {{ skipForced?: boolean }} [options] */
  static fromJson(data, options) {
    const { record, rules } = position.fromJson(data);
    return uncheckedGame(record, rules, options);
  }

  toString() {
    return `Game('${this.rules.name}', players=${this.rules.players}, seat=${this.seat}, over=${this.over})`;
  }
}

/** The number of an action. @param {unknown} value */
export function actionNumber(value) {
  try {
    return intIn(value, "action");
  } catch {
    throw new Error(`an action is a whole number from 0 to ${ACTIONS - 1}, not ${shortRepr(value)}`);
  }
}

/** A game around a copy of a record that a kernel has made, a view among them. Nothing is checked: what comes from
 * outside goes through Game.fromBytes or Game.fromJson. @param {Values} record @param {Rules} rules
 * @param {{ skipForced?: boolean }} [options] @returns {Game} */
export function uncheckedGame(record, rules, options) {
  return new Game(rules, rules.players, undefined, { ...options, record });
}
