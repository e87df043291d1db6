/** What every complete turn of a seat is worth, how sure that is, and whether one that was played was a mistake: the
 * judge of hints and reviews. agents/advise.py says how it judges; its kernels do the work. */

import { NoDeterminizationError } from "../game/observed.js";
import { use } from "../kernels/kernels.js";
import { Fitted } from "./base.js";
import { borrowing } from "../kernels/memory.js";
/** @import { Memory } from "../kernels/memory.js" */
import { Policy, mostOf } from "./policy.js";
import { policies } from "./registry.js";
import { findRolloutPolicy, newRolloutPolicy, shapeOfPlayer } from "./rollouts.js";
import { sizesOf } from "./solver.js";

/** @import { Kernels, Records } from "../kernels/kernels.js" */
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
 * @property {number} chance of being played by the strongest
 * @property {number} games play-outs, if it was judged by those
 * @property {string} key equal for turns that leave the same
 */
/** @typedef {{ by: "solver" | "look-ahead" | "play-outs", turns: Turn[], observed: Observed }} Advice the best first */
/** @typedef {{ loss: number, low: number, high: number, mistake: boolean }} Verdict mistake: all of the interval is
 *   beyond
 *   what a mistake loses */
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
  #kernels = use();
  /** @type {{ key: string, fit: Promise<{ fitted: Fitted<any>, who: string | Policy }> } | null} */
  #game = null;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** For the seat that decides. With less time than the games take the answer depends on the machine.
   * @param {Observed} observed @param {Options} options @returns {Promise<Advice>} */
  advise(observed, options = {}) {
    const advice = this.#last.then(async () => this.#advise(await this.#fit(observed.rules), observed, options));
    this.#last = advice.catch(() => {});
    return advice;
  }

  /** @param {ReturnType<typeof workspaceOf>} fit @param {Observed} observed @param {Options} options
   * @returns {Advice} */
  #advise({ workspace, board, view, rules, policy, play }, observed, options) {
    const { view: seen, seat } = observed, kernels = this.#kernels, c = told();
    if (!observed.legal().length) throw new Error(`seat ${seat} has nothing to decide`);
    const { also = [], seconds = c.SECONDS, games = c.GAMES, precision = c.PRECISION, rounds = c.ROUNDS, seed = 0,
      solve = true } = options;
    if (also.length > c.MOST_ASKED)
      throw new Error(`also has ${also.length} turns; at most ${c.MOST_ASKED} are measured at once`);
    const began = performance.now(), { OPEN } = kernels.constants("agents.solver.alpha_beta");
    const entry = (/** @type {string} */ name) => kernels.entry(`agents.search.verdicts.${name}`);
    view.write(0, seen.bytes(0));
    const state = borrowing((memory) => {
      const asked = memory.numbers("i16", also.flatMap(rowOf), also.length, rowOf([]).length);
      const question = { also: asked, seconds, games, precision, rounds, solve: Number(solve), seed };
      let state = entry("begin_judging")(workspace, policy, rules, view, seat, question);
      for (const more = entry("go_on_judging"); state === OPEN; )
        state = more(workspace, policy, rules, play, seconds ? (performance.now() - began) / seconds / 1000 : 1);
      return state;
    });
    if (state === kernels.constant("agents.solver.endings", "IMPOSSIBLE"))
      throw new NoDeterminizationError(`no game agrees with what seat ${seat} knows`);
    const order = Array.from(board.order.data.subarray(0, board.state.get(0, "turns")), Number);
    return { by: c.BY[board.state.get(0, "by")], turns: order.map((k) => turnOf(board.turns, k)), observed };
  }

  /** @param {Rules} rules */
  async #fit(rules) {
    if (this.#game?.key !== rules.key) {
      this.close();
      this.#game = { key: rules.key, fit: this.#made(rules) };
    }
    const { fitted } = await this.#game.fit;
    return fitted.to(rules);
  }

  /** The best policy that has learnt the game plays on all seats, else the best bot. @param {Rules} rules */
  async #made(rules) {
    const name = policies().strongest(rules), kernels = this.#kernels;
    const who = name ? await findRolloutPolicy(kernels, policies(), `policy:${name}`) : bestBot(kernels, rules);
    return { who, fitted: new Fitted(kernels, (memory, game, record) => workspaceOf(memory, game, record, who)) };
  }

  close() {
    this.#game?.fit.then(({ fitted, who }) => {
      fitted.close();
      if (typeof who !== "string") who.close();
    }, () => {});
    this.#game = null;
  }
}

/** @param {Memory} memory @param {Rules} game @param {Records} rules @param {string | Policy} who */
function workspaceOf(memory, game, rules, who) {
  const { kernels } = memory, player = newRolloutPolicy(memory, who, game, rules), c = kernels.facts.constants;
  const sizes = { features: mostOf(player.player.judge), ...shapeOfPlayer(kernels, who).sizes },
    { BATCH, TRIED } = c["agents.search.measuring"];
  const deep = who instanceof Policy ? c["agents.policy.lookahead"].DEEP_LEVELS
    : { ...c["agents.policy.lookahead"].LEVELS, turns: 1 };
  const board = memory.workspace("Board", { games: BATCH, racers: TRIED, weighted: 0 });
  const workspace = {
    board, judged: memory.workspace("Judged", sizes),
    ending: memory.workspace("Ending", sizesOf(kernels, c["agents.solver.solver"].SOLVER_MB)),
    levels: memory.workspace("Levels", { ...deep, ...sizes }),
  };
  return {
    board, rules, view: memory.records("GAME", 1), workspace: kernels.pin("JudgesWorkspace", workspace),
    policy: kernels.pin("RolloutPolicy", player), play: who instanceof Policy ? who.play
      : Object.fromEntries(Object.keys(kernels.facts.tuples.PlaySettings).map((name) => [name, 0])),
  };
}

/** The strongest of the bots. @param {Kernels} kernels @param {Rules} rules */
function bestBot(kernels, rules) {
  const known = Object.entries(kernels.constant("agents.registry", "AGENTS"));
  const names = known.filter(([, { rung }]) => rung === "all" || (rules.partners && rung === "partners"))
    .map(([name]) => name);
  return names[names.length - 1];
}

/** A turn as kernels are handed it: -1 after the last action. @param {number[]} turn */
function rowOf(turn) {
  return Array.from({ length: use().constant("engine.afterstates", "DEPTH") + 1 }, (_, k) => turn[k] ?? -1);
}

/** @param {Records} turns @param {number} k @returns {Turn} */
function turnOf(turns, k) {
  const [value, loss, low, high, chance, games] = ["value", "loss", "low", "high", "chance", "games"]
    .map((name) => turns.get(k, name));
  const actions = turns.list(k, "actions").slice(0, turns.get(k, "long"));
  return { actions, value, loss, low, high, chance, games, key: String(turns.get(k, "key")) };
}

// --- verdicts --------------------------------------------------------------------------------------------------------

/** The turn that leaves the same as these actions, with or without its forced end and whatever their order.
 * @param {Advice} advice @param {number[]} actions */
export function find({ turns, observed }, actions) {
  const key = leftBy(observed, actions), known = turns.find((turn) => turn.key === key);
  if (!known) throw new Error("the advice does not tell of this turn: ask for it by also: [turn]");
  return known;
}

/** All of the interval is beyond what a mistake loses. @param {{ low: number }} turn */
export const isMistake = ({ low }) => low > told().MISTAKE;

/** Of a turn that was played. @param {Advice} advice @param {number[]} actions @returns {Verdict} */
export function verdict(advice, actions) {
  const { loss, low, high } = find(advice, actions);
  return { loss, low, high, mistake: isMistake({ low }) };
}

/** What these turns lost in all, less what they gained, and half of the interval of that.
 * @param {Verdict[]} verdicts */
export function net(verdicts) {
  return {
    loss: verdicts.reduce((sum, { loss }) => sum + loss, 0),
    half: Math.hypot(...verdicts.map(({ low, high }) => (high - low) / 2)),
  };
}

/** A key of what a turn leaves. @param {Observed} observed @param {number[]} actions */
function leftBy({ view, rules }, actions) {
  return borrowing((memory) => {
    const on = [memory.copies(view), memory.copies(rules.record), memory.workspace("Afterstates")];
    const [turn, path] = [actions, []].map((one) => memory.numbers("i16", rowOf(one)));
    return String(use().entry("engine.complete_turns.follow_turn")(...on, turn, path)[1]);
  });
}
