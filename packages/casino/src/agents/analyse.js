/** The judge behind hints and reviews: value every complete turn of a seat, with intervals, and find mistakes.
 * agents/advise.py explains the method; its kernels do the work. */

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
 * @property {number[]} actions the seat's actions, until another seat decides
 * @property {number} value expected lead over the others at the end of the deal, in points, for the observing side
 * @property {number} loss points that the turn loses to the best one; negative: it gains
 * @property {number} low lower end of the interval of the loss; equals the loss where that is exact
 * @property {number} high upper end
 * @property {boolean} mistake the whole interval lies above the threshold of a mistake
 * @property {number} chance probability that the strongest agent plays it
 * @property {number} games number of play-outs, where play-outs judged it
 * @property {string} key equal for turns that leave equal positions
 */
/** @typedef {{ by: "solver" | "look-ahead" | "play-outs", turns: Turn[], observed: Observed }} Advice best first */
/** @typedef {{ loss: number, low: number, high: number, mistake: boolean }} Verdict fields as in Turn */
/**
 * @typedef {object} Options
 * @property {number[][]} [also] turns to measure even if the policy dislikes them
 * @property {number} [seconds] time limit
 * @property {number} [games] limit on play-outs of a turn
 * @property {number} [precision] half-width of the noise interval, in points, at which play-outs stop
 * @property {number} [rounds] turns of every seat in a play-out
 * @property {number | bigint} [seed]
 * @property {boolean} [solve] use the exact solver where possible
 */

/** The judge's constants, by their names in Python. @returns {Record<string, any>} */
export const told = () => use().constants("agents.search.verdicts");

/** Values turns; answers one question at a time, in order. */
export class Judge {
  /** @type {{ key: string, opened: Promise<Opened> } | null} */
  #game = null;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** Value the turns of the deciding seat. If time runs out before `games`, the answer depends on the machine's speed.
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

  /** Free the memory after all pending questions: a pending one would allocate it again. */
  close() {
    this.#last = this.#last.then(() => this.#free());
  }
}

/** @param {Opened} opened @param {Observed} observed @param {Options} options @returns {Advice} */
function advised(opened, observed, options) {
  const c = told(), { also = [], seconds = c.SECONDS, games = c.GAMES, precision = c.PRECISION, rounds = c.ROUNDS,
    seed = 0, solve = true } = ofKind(options, "options", "dict");
  if (ofKind(also, "also", "list").length > c.MOST_ASKED)
    throw new Error(`also has ${also.length} turns; at most ${c.MOST_ASKED} can be measured at once`);
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

/** A turn in the kernels' format: its actions, padded with -1. @param {number[]} turn */
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

/** Find the turn that leaves the same position as these actions, in any order, with or without the forced end.
 * @param {Advice} advice @param {number[]} actions */
export function find({ turns, observed }, actions) {
  const key = leftBy(observed, actions), known = key && turns.find((turn) => turn.key === key);
  if (!known) throw new Error("the advice does not cover this turn; ask for it with also: [turn]");
  return known;
}

/** The verdict on a turn that was played. @param {Advice} advice @param {number[]} actions @returns {Verdict} */
export function verdict(advice, actions) {
  const { loss, low, high, mistake } = find(advice, actions);
  return { loss, low, high, mistake };
}

/** The net loss of several turns, and the half-width of its interval. @param {Verdict[]} verdicts */
export function net(verdicts) {
  return {
    loss: verdicts.reduce((sum, { loss }) => sum + loss, 0),
    half: Math.hypot(...verdicts.map(({ low, high }) => (high - low) / 2)),
  };
}

/** The key of the position that a turn leaves; null if the turn is not complete. @param {Observed} observed
 * @param {number[]} actions */
function leftBy({ view, rules }, actions) {
  return borrowing((memory) => {
    const on = [memory.copies(view), memory.copies(rules.record), memory.workspace("Afterstates")];
    const [turn, path] = [actions, []].map((one) => memory.numbers("i16", rowOf(one)));
    const [, key, whole] = use().entry("engine.complete_turns.follow_turn")(...on, turn, path);
    return whole ? String(key) : null;
  });
}
