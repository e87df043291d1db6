/** What every complete turn of a seat is worth, how sure that is, and whether one that was played was a mistake: the
 * judge of hints and reviews. agents/advise.py says how it judges; its kernels do the work. */

import { ACTIONS } from "../game/actions.js";
import { shown } from "../game/observed.js";
import { intIn, ofKind } from "../game/validate.js";
import { use } from "../kernels/kernels.js";
import { borrowing } from "../kernels/memory.js";
import { judge } from "./kinds.js";
import { Opened } from "./opened.js";
import { policies } from "./registry.js";

/** @import { Records } from "../kernels/kernels.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */

/**
 * A complete turn.
 *
 * @typedef {object} Turn
 * @property {number[]} actions of the seat, until somebody else decides
 * @property {number} value points more than the others at the end of the deal, for the side that looks
 * @property {number} loss points that it is worth less than the best turn; below 0: more
 * @property {number} low the interval of the loss; both ends are the loss where it is exact
 * @property {number} high
 * @property {boolean} mistake all of the interval is beyond what a mistake loses
 * @property {number} chance of being played by the strongest
 * @property {number} games play-outs, if it was judged by those
 * @property {string} key equal for turns that leave the same
 */
/** @typedef {{ by: "solver" | "look-ahead" | "play-outs", turns: Turn[], observed: Observed }} Advice the best first */
/** @typedef {{ loss: number, low: number, high: number, mistake: boolean }} Verdict of a turn, as there */
/**
 * @typedef {object} Options
 * @property {number[][]} [also] turns that are measured whatever the policy thinks of them
 * @property {number} [seconds] at most
 * @property {number} [games] likewise
 * @property {number} [precision] half of the interval of the noise, in points, with which it is content
 * @property {number} [rounds] turns of every seat in a play-out
 * @property {number | bigint} [seed]
 * @property {boolean} [solve] by the solver, where it can
 */

/** Constants of the judge, by their names in Python. @returns {Record<string, any>} */
export const told = () => use().constants("agents.search.verdicts");

/** Tells what turns are worth. For one question at a time. */
export class Judge {
  /** @type {{ key: string, opened: Promise<Opened> } | null} */
  #game = null;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** For the seat that decides. With less time than the games take the answer depends on the machine.
   * @param {Observed} observed @param {Options} options @returns {Promise<Advice>} */
  advise(observed, options = {}) {
    const advice = this.#last.then(async () => advised(await this.#to(shown(observed).rules), observed, options));
    this.#last = advice.catch(() => {});
    return advice;
  }

  /** @param {Rules} rules */
  #to(rules) {
    if (this.#game?.key !== rules.key) {
      this.#free();
      const opened = judge(use(), policies(), rules).then((made) => new Opened(use(), made));
      this.#game = { key: rules.key, opened };
    }
    return this.#game.opened;
  }

  #free() {
    this.#game?.opened.then((one) => one.close(), () => {});
    this.#game = null;
  }

  /** Behind what has been asked: that would open it again. */
  close() {
    this.#last = this.#last.then(() => this.#free());
  }
}

/** @param {Opened} opened @param {Observed} observed @param {Options} options @returns {Advice} */
function advised(opened, observed, options) {
  const c = told(), { also = [], seconds = c.SECONDS, games = c.GAMES, precision = c.PRECISION, rounds = c.ROUNDS,
    seed = 0, solve = true } = ofKind(options, "options", "dict");
  if (ofKind(also, "also", "list").length > c.MOST_ASKED)
    throw new Error(`also has ${also.length} turns; at most ${c.MOST_ASKED} are measured at once`);
  const fit = borrowing((memory) => {
    const asked = memory.numbers("i16", also.flatMap(rowOf), also.length, rowOf([]).length);
    const question = { also: asked, seconds, games, precision, rounds, solve: Number(solve), seed };
    return opened.think(observed, ["ask", "judge_on"], { asked: question });
  });
  const { state, turns } = fit.parts.board.tuple;
  const found = Array.from({ length: state.get(0, "turns") }, (_, place) => {
    const [row, mistake] = opened.call("tell", fit, { place });
    return turnOf(turns, row, mistake === 1);
  });
  return { by: c.BY[state.get(0, "by")], turns: found, observed };
}

/** A turn as kernels are handed it: -1 after the last action. @param {number[]} turn */
function rowOf(turn) {
  const actions = ofKind(turn, "a turn", "list").map((action) => intIn(action, "an action of a turn", 0, ACTIONS - 1));
  return Array.from({ length: use().constant("engine.afterstates", "DEPTH") + 1 }, (_, k) => actions[k] ?? -1);
}

/** @param {Records} turns @param {number} k @param {boolean} mistake @returns {Turn} */
function turnOf(turns, k, mistake) {
  const [value, loss, low, high, chance, games] = ["value", "loss", "low", "high", "chance", "games"]
    .map((name) => turns.get(k, name));
  const actions = turns.list(k, "actions").slice(0, turns.get(k, "long"));
  return { actions, value, loss, low, high, mistake, chance, games, key: String(turns.get(k, "key")) };
}

// --- verdicts --------------------------------------------------------------------------------------------------------

/** The turn that leaves the same as these actions, with or without its forced end and whatever their order.
 * @param {Advice} advice @param {number[]} actions */
export function find({ turns, observed }, actions) {
  const key = leftBy(observed, actions), known = key && turns.find((turn) => turn.key === key);
  if (!known) throw new Error("the advice does not tell of this turn: ask for it by also: [turn]");
  return known;
}

/** Of a turn that was played. @param {Advice} advice @param {number[]} actions @returns {Verdict} */
export function verdict(advice, actions) {
  const { loss, low, high, mistake } = find(advice, actions);
  return { loss, low, high, mistake };
}

/** What these turns lost in all, less what they gained, and half of the interval of that.
 * @param {Verdict[]} verdicts */
export function net(verdicts) {
  return {
    loss: verdicts.reduce((sum, { loss }) => sum + loss, 0),
    half: Math.hypot(...verdicts.map(({ low, high }) => (high - low) / 2)),
  };
}

/** A key of what a turn leaves; null if it is no complete one. @param {Observed} observed @param {number[]} actions */
function leftBy({ view, rules }, actions) {
  return borrowing((memory) => {
    const on = [memory.copies(view), memory.copies(rules.record), memory.workspace("Afterstates")];
    const [turn, path] = [actions, []].map((one) => memory.numbers("i16", rowOf(one)));
    const [, key, whole] = use().entry("engine.complete_turns.follow_turn")(...on, turn, path);
    return whole ? String(key) : null;
  });
}
