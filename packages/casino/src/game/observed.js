/** An observation: what one seat may know at a decision. Agents get nothing else. */

import { actionText } from "./actions.js";
import { completeMany, writeView } from "../kernels/engine.js";
import { checkedSeed, Game, uncheckedGame } from "./game.js";
import { use } from "../kernels/kernels.js";
import { intIn, knownKeys, shortRepr } from "./validate.js";

/** @import { Values } from "../kernels/kernels.js" */
/** @import { Rules } from "./rules.js" */
/** @typedef {"perfect" | "none"} Memory of face-down piles */

/** What a seat may know. `view` is a GAME record without the cards that the seat cannot see. */
export class Observed {
  #legal;

  /** @param {Rules} rules @param {number} seat @param {Values} view @param {number[]} legal */
  constructor(rules, seat, view, legal) {
    this.rules = rules;
    this.seat = seat;
    this.view = view;
    this.#legal = legal;
  }

  /** The actions to choose from, ascending. @returns {number[]} */
  legal() {
    return [...this.#legal];
  }

  /** The number of cards whose place the seat does not know. @returns {number} */
  get hidden() {
    const sum = (/** @type {number[]} */ numbers) => numbers.reduce((all, one) => all + one, 0);
    return sum(this.view.list(0, "hidden_hand")) + sum(this.view.list(0, "hidden_pile"))
      + this.view.get(0, "hidden_stock");
  }

  /** Sample complete games, equally likely, that agree with all that the seat knows. @param {number} count
   * @param {number | bigint} seed */
  determinizations(count, seed) {
    return sampleDeterminizations(this, count, seed).map((record) => uncheckedGame(record, this.rules));
  }

  toString() {
    return `Observed('${this.rules.name}', seat=${this.seat}, legal=${this.legal().map(actionText).join(", ")})`;
  }
}

/** Return the value if it is an observation, else throw. @param {unknown} value @returns {Observed} */
export function shown(value) {
  if (value instanceof Observed) return value;
  throw new TypeError(`agents take observe(game), not ${value instanceof Game ? "the game" : shortRepr(value)}`);
}

/** The observation of a seat, by default the one that decides. memory: of face-down piles. @param {Game} game
 * @param {number} [seat] @param {{ memory?: Memory }} [options] */
export function observe(game, seat = game.seat, options = {}) {
  intIn(seat, "seat", 0, game.rules.players - 1);
  knownKeys(options, ["memory"], "options");
  const memories = use().constant("knowledge.view", "MEMORIES"), { memory = "perfect" } = options;
  if (!memories.includes(memory))
    throw new Error(`memory = ${shortRepr(memory)}; it must be one of ${memories.join(", ")}`);
  const view = writeView(game.record, game.rules, seat, memories.indexOf(memory));
  return new Observed(game.rules, seat, view, seat === game.seat ? game.legal() : []);
}

/** No game agrees with what the seat knows: the position cannot come from play. */
export class NoDeterminizationError extends Error {
  name = "NoDeterminizationError";
}

/** Sample records of games that agree with an observation. @param {Observed} observed @param {number} count
 * @param {number | bigint} seed @returns {Values[]} */
export function sampleDeterminizations({ view, rules, seat }, count, seed) {
  const games = completeMany(view, rules, seat, checkedSeed(seed), intIn(count, "count", 0));
  if (games.length < count) throw new NoDeterminizationError(`no game is consistent with what seat ${seat} knows`);
  return games;
}
