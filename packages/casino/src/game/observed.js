/** One decision as an agent gets it: what its seat may know, and nothing else. */

import { actionText } from "./actions.js";
import { completeMany, writeView } from "../kernels/engine.js";
import { Game, uncheckedGame } from "./game.js";
import { use } from "../kernels/kernels.js";
import { intIn, knownKeys, shortRepr } from "./validate.js";

/** @import { Values } from "../kernels/kernels.js" */
/** @import { Rules } from "./rules.js" */
/** @typedef {"perfect" | "none"} Memory of face-down piles */

/** What a seat may know when it decides. `view` is one record from which the unseen has been taken out. */
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

  /** How many cards lie where the seat does not know. @returns {number} */
  get hidden() {
    const sum = (/** @type {number[]} */ numbers) => numbers.reduce((all, one) => all + one, 0);
    return sum(this.view.list(0, "hidden_hand")) + sum(this.view.list(0, "hidden_pile"))
      + this.view.get(0, "hidden_stock");
  }

  /** Complete games that agree with all that the seat knows, each as likely. @param {number} count
   * @param {number | bigint} seed */
  determinizations(count, seed) {
    return sampleDeterminizations(this, count, seed).map((record) => uncheckedGame(record, this.rules));
  }

  toString() {
    return `Observed('${this.rules.name}', seat=${this.seat}, legal=${this.legal().map(actionText).join(", ")})`;
  }
}

/** What agents are shown, or an error for programs that show them something else. @param {unknown} value
 * @returns {Observed} */
export function shown(value) {
  if (value instanceof Observed) return value;
  throw new TypeError(`agents are shown observe(game), not ${value instanceof Game ? "the game" : shortRepr(value)}`);
}

/** What a seat (without one: the one that decides) knows of a game. memory: of face-down piles. @param {Game} game
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

/** Nothing agrees with what the seat knows: the position cannot come from play. */
export class NoDeterminizationError extends Error {
  name = "NoDeterminizationError";
}

/** Records of games that agree with an observation. @param {Observed} observed @param {number} count
 * @param {number | bigint} seed @returns {Values[]} */
export function sampleDeterminizations({ view, rules, seat }, count, seed) {
  const games = completeMany(view, rules, seat, seed, intIn(count, "count", 0));
  if (games.length < count) throw new NoDeterminizationError(`no game agrees with what seat ${seat} knows`);
  return games;
}
