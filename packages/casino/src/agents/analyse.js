/** What every complete turn of a seat is worth, how sure that is, and whether one that was played was a mistake: the judge
 * of hints and reviews. See agents/advise.py, which says the same.
 *
 * Where no card is hidden and there are two sides the exact solver judges, if it finishes in time; else where no card is
 * hidden the policy looks ahead; else play-outs of the turns that the policy likes best. An interval (95 %) holds the
 * noise of the play-outs and a doubt. */

import { END } from "../game/actions.js";
import { cardsOf } from "../game/cards.js";
import { act, actionsOf, legal, stateNumbers } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { buildSets, byTime, chain } from "../game/position.js";
import { Fitted, largest } from "./base.js";
import { PlayOuts, ROUNDS } from "./playouts.js";
import { policies } from "./registry.js";
import { findRolloutPolicy } from "./rollouts.js";
import { Endings } from "./solver.js";

/** @typedef {import("./base.js").Kernels} Kernels */
/** @typedef {import("./base.js").Rules} Rules */
/** @typedef {import("./base.js").Observed} Observed */
/** @typedef {import("../kernels/kernels.js").Values} Values */

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
/** @typedef {{ loss: number, low: number, high: number, mistake: boolean }} Verdict mistake: all of the interval is beyond
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

export const [SECONDS, GAMES, PRECISION] = [2, 1024, 0.1];
export const MISTAKE = 0.25; // points: a turn that loses more for sure is one
const NORMAL = 1.96; // standard errors: half of a 95 % interval
const [DOUBT, DOUBT_BOTS] = [0.15, 0.5]; // standard errors of play-outs, in points: of a policy, and of bots
const [DOUBT_AHEAD, DOUBT_BOTS_AHEAD] = [0.4, 5]; // where no card is hidden: of a policy in units of its value, and of bots
const LISTINGS = 16; // turns that are listed in looking ahead, at most: as many for each of the games
const DOUBT_JUDGED = 0.5; // at least, of turns that have not been played out
const [TRIED, TRIED_UNJUDGED] = [8, 24]; // turns that are played out: the best by the policy; without one
const TEMPERATURE = 0.2; // points, by which the strongest is thought to choose
const SOLVING = 0.5; // of the time

/** @typedef {{ numbers: number[], actions: number[][], keys: string[], worth: number[], asked: number[] }} Listed the turns
 *   of a seat: numbers: of each in the workspace; worth: by the policy; asked: which are those of `also` */

/** Tells what turns are worth. For one question at a time. */
export class Judge {
  #kernels = use();
  #endings = new Endings(this.#kernels, 0);
  /** @type {{ key: string, fit: Promise<{ fitted: Fitted<PlayOuts>, who: any }> } | null} */
  #game = null;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * For the seat that decides. With less time than the games take the answer depends on the machine.
   *
   * @param {Observed} observed
   * @param {Options} options
   * @returns {Promise<Advice>}
   */
  advise(observed, options = {}) {
    const advice = this.#last.then(async () => this.#advise(await this.#fit(observed.rules), observed, options));
    this.#last = advice.catch(() => {});
    return advice;
  }

  /**
   * @param {PlayOuts} playOuts
   * @param {Observed} observed
   * @param {Options} options
   * @returns {Advice}
   */
  #advise(playOuts, observed, { also = [], seconds = SECONDS, games = GAMES, precision = PRECISION, rounds = ROUNDS, seed = 0, solve = true }) {
    if (!observed.legal().length) throw new Error(`seat ${observed.seat} has nothing to decide`);
    const until = performance.now() + 1000 * seconds, listed = listTurns(playOuts, observed, also);
    const values = solve ? this.#solve(observed, listed, SOLVING * seconds) : null;
    if (values) return { by: "solver", turns: solvedTurns(listed, values, playOuts.scale), observed };
    const ahead = playOuts.lookAhead(observed, until, LISTINGS * games);
    const doubt = ahead?.ended ? DOUBT : DOUBT_AHEAD * playOuts.scale;
    if (ahead) return { by: "look-ahead", turns: aheadTurns(listed, ahead.worth, doubt), observed };
    const limits = { until, games, error: precision / NORMAL, lost: MISTAKE, rounds };
    return { by: "play-outs", turns: measuredTurns(playOuts, observed, listed, limits, seed), observed };
  }

  /** @param {Rules} rules */
  async #fit(rules) {
    if (this.#game?.key !== rules.key) {
      this.#forget();
      this.#game = { key: rules.key, fit: this.#made(rules) };
    }
    const { fitted } = await this.#game.fit;
    return fitted.to(rules);
  }

  /** @param {Rules} rules */
  async #made(rules) {
    const name = policies().strongest(rules), kernels = this.#kernels;
    const who = name ? await findRolloutPolicy(kernels, policies(), `policy:${name}`) : bestBot(kernels, rules);
    return { who, fitted: new Fitted(kernels, (memory, game, record) => new PlayOuts(memory, game, record, who)) };
  }

  #forget() {
    this.#game?.fit.then(({ fitted, who }) => {
      fitted.close();
      if (typeof who !== "string") who.close();
    }, () => {});
    this.#game = null;
  }

  /**
   * The exact values of the turns, NaN where the time was too short; null if the solver cannot be the judge.
   *
   * @param {Observed} observed
   * @param {Listed} listed
   * @param {number} seconds
   */
  #solve(observed, { actions, worth, asked }, seconds) {
    const likely = worth.map((_, k) => k).sort((one, other) => worth[other] - worth[one]), first = new Set(asked);
    return this.#endings.valuesOf(observed, actions, [...new Set([...first, ...likely])], first.size, seconds);
  }

  close() {
    this.#forget();
    this.#endings.close();
  }
}

/**
 * The strongest of the bots.
 *
 * @param {Kernels} kernels
 * @param {Rules} rules
 */
function bestBot(kernels, rules) {
  const known = Object.entries(kernels.constant("agents.registry", "AGENTS"));
  const names = known.filter(([, { rung }]) => rung === "all" || (rules.partners && rung === "partners")).map(([name]) => name);
  return names[names.length - 1];
}

// --- verdicts ------------------------------------------------------------------------------------------------------------

/**
 * The turn that leaves the same as these actions, with or without its forced end and whatever their order.
 *
 * @param {Advice} advice
 * @param {number[]} actions
 */
export function find({ turns, observed }, actions) {
  const { key } = left(observed, actions), known = turns.find((turn) => turn.key === key);
  if (!known) throw new Error("the advice does not tell of this turn: ask for it by also: [turn]");
  return known;
}

/**
 * Of a turn that was played.
 *
 * @param {Advice} advice
 * @param {number[]} actions
 * @returns {Verdict}
 */
export function verdict(advice, actions) {
  const { loss, low, high } = find(advice, actions);
  return { loss, low, high, mistake: low > MISTAKE };
}

/**
 * What these turns lost in all, less what they gained, and half of the interval of that.
 *
 * @param {Verdict[]} verdicts
 */
export function net(verdicts) {
  return {
    loss: verdicts.reduce((sum, { loss }) => sum + loss, 0),
    half: Math.hypot(...verdicts.map(({ low, high }) => (high - low) / 2)),
  };
}

// --- the turns -----------------------------------------------------------------------------------------------------------

/**
 * @param {PlayOuts} playOuts
 * @param {Observed} observed
 * @param {number[][]} also
 * @returns {Listed}
 */
function listTurns(playOuts, observed, also) {
  const worth = playOuts.listWorth(observed);
  equals.set(observed.rules, playOuts.judged.afterstates.walk.list(0, "same").map(Number));
  /** @type {Map<string, [number, number[]]>} */
  const turns = new Map();
  worth.forEach((_, k) => {
    const { key, actions } = left(observed, playOuts.path(k));
    if (!turns.has(key)) turns.set(key, [k, actions]);
  });
  const wanted = turns.size || also.length ? also : [observed.legal().slice(0, 1)]; // else: too long for the list
  const asked = wanted.map((turn) => left(observed, turn));
  for (const { key, actions } of asked) {
    if (turns.has(key)) continue;
    const number = playOuts.add(actions.filter((action) => action !== END), worth);
    for (const [other, [k]] of turns) if (k === number) turns.delete(other);
    turns.set(key, [number, actions]);
  }
  const keys = [...turns.keys()], rows = [...turns.values()], numbers = rows.map(([k]) => k);
  return {
    numbers, keys, actions: rows.map(([, actions]) => actions), worth: numbers.map((k) => worth[k]),
    asked: asked.map(({ key }) => keys.indexOf(key)),
  };
}

/**
 * The actions of a turn until somebody else decides, those without alternative among them whether they are told or not,
 * and a key of what it leaves.
 *
 * @param {Observed} observed
 * @param {number[]} turn
 */
function left({ view, rules, seat }, turn) {
  if (view.get(0, "to_move") !== seat) return { actions: turn.slice(0, 1), key: `answer ${turn[0]}` }; // inside another's turn
  const here = view.clone(), rest = turn.includes(END) ? turn.slice(0, turn.indexOf(END)) : turn.slice();
  /** @type {number[]} */
  const actions = [];
  let open = may(here, rules, seat);
  for (; open.length; open = may(here, rules, seat)) {
    const told = rest.length > 0 && open.includes(rest[0]), alone = open.length === 1 && open[0] !== END;
    if (!told && !alone) break;
    const action = told ? rest.splice(0, 1)[0] : open[0];
    act(here, rules, action);
    actions.push(action);
  }
  return { actions: open.includes(END) ? [...actions, END] : actions, key: afterstateKey(here, rules) };
}

/**
 * What the seat may do, if it is the one that decides.
 *
 * @param {Values} here
 * @param {Rules} rules
 * @param {number} seat
 */
function may(here, rules, seat) {
  const mine = here.get(0, "mode") !== stateNumbers().OVER && here.get(0, "actor") === seat;
  return mine ? actionsOf(legal(here, rules)) : [];
}

/**
 * Equal for what turns from the same position leave, if nobody could tell it apart but for the names of equal cards. The
 * turns have not been ended: that may deal cards.
 *
 * @param {Values} record
 * @param {Rules} rules
 */
function afterstateKey(record, rules) {
  const same = equals.get(rules) ?? [], names = (/** @type {number[]} */ cards) => cards.map((card) => same[card]);
  const held = (/** @type {number} */ cards) => names(cardsOf(cards)).sort((one, other) => one - other);
  const ordered = rules.stacking === "as_built" || rules.stacking === "build_on_top", builds = [];
  for (let value = 1; value < 15; value++) {
    const top = record.get(0, "build_top", value);
    if (top < 0) continue;
    const order = ordered ? names(buildSets(record, value).flat()) : [];
    builds.push([value, held(record.get(0, "build_cards", value)), record.get(0, "build_sets", value) === 1, order]);
  }
  const layout = record.get(0, "layout"), loose = rules.stacking === "as_built" ? names(byTime(record, layout)) : held(layout);
  const tops = record.list(0, "pile_top"), piles = record.list(0, "piles").map((cards, k) => [held(cards), names(chain(record, tops[k]))]);
  const hands = record.list(0, "hands").map(held);
  const rest = ["mode", "actor", "last_capture", "winner", "open_value", "picked", "required"].map((name) => record.get(0, name));
  const lists = ["owned", "proven", "sweeps"].map((name) => record.list(0, name));
  return JSON.stringify([hands, builds, loose, piles, rest, lists]);
}

/** Of each card the first that no rule tells apart from it. @type {WeakMap<Rules, number[]>} */
const equals = new WeakMap();

// --- what they are worth -------------------------------------------------------------------------------------------------

/**
 * @param {Listed} listed
 * @param {number[]} values NaN where the solver has not finished; such a turn may be as good as the best
 * @param {number} scale points that a unit of the policy's value stands for
 */
function solvedTurns(listed, values, scale) {
  const known = values.map((one) => (Number.isNaN(one) ? -Infinity : one)), top = largest(known), best = known[top];
  const judged = listed.worth.map((one) => Math.max(listed.worth[top] - one, 0)), open = values.map(Number.isNaN);
  const losses = values.map((one, k) => (open[k] ? judged[k] : best - one));
  const halves = losses.map((_, k) => (open[k] ? Math.max(judged[k], NORMAL * DOUBT_AHEAD * scale) : 0));
  return told(listed, losses, halves, best, losses.map(() => 0), values.map((one) => Number(one === best)));
}

/**
 * @param {Listed} listed
 * @param {number[]} values of the listed turns, by number; one of also may be beyond them
 * @param {number} doubt
 */
function aheadTurns(listed, values, doubt) {
  const worth = listed.numbers.map((k, i) => values[k] ?? listed.worth[i]), top = largest(worth);
  const losses = worth.map((one) => worth[top] - one), halves = losses.map((_, k) => (k === top ? 0 : NORMAL * doubt));
  return told(listed, losses, halves, worth[top], losses.map(() => 0), losses.map((loss) => Math.exp(-loss / Math.max(TEMPERATURE, doubt))));
}

/**
 * @param {PlayOuts} playOuts
 * @param {Observed} observed
 * @param {Listed} listed
 * @param {import("./playouts.js").Limits} limits
 * @param {number | bigint} seed
 */
function measuredTurns(playOuts, observed, listed, limits, seed) {
  const { worth, numbers, asked } = listed;
  const likely = worth.map((_, k) => k).sort((one, other) => worth[other] - worth[one]).slice(0, playOuts.judges ? TRIED : TRIED_UNJUDGED);
  const tried = [...new Set([...likely, ...asked])], kept = tried.map((k) => asked.includes(k));
  const found = playOuts.measure(observed, tried.map((k) => numbers[k]), tried.map((k) => worth[k]), kept, limits, seed);
  const doubts = playOuts.policy ? [DOUBT, DOUBT_AHEAD * playOuts.scale] : [DOUBT_BOTS, DOUBT_BOTS_AHEAD], doubt = doubts[observed.hidden ? 0 : 1];
  const losses = worth.map((one) => worth[tried[found.best]] - one), games = losses.map(() => 0);
  const halves = losses.map(() => NORMAL * Math.max(DOUBT_JUDGED, doubt));
  tried.forEach((k, i) => {
    losses[k] = found.loss[i];
    games[k] = found.games[i];
    halves[k] = found.error[i] > 0 ? NORMAL * Math.hypot(found.error[i], doubt) : 0;
  });
  const shares = losses.map((loss) => Math.exp(-Math.max(loss, 0) / Math.max(TEMPERATURE, doubt)));
  return told(listed, losses, halves, found.value, games, shares);
}

/**
 * The turns, of equal ones that first which the policy likes better.
 *
 * @param {Listed} listed
 * @param {number[]} losses
 * @param {number[]} halves
 * @param {number} value of the best
 * @param {number[]} games
 * @param {number[]} shares
 * @returns {Turn[]}
 */
function told({ actions, keys, worth }, losses, halves, value, games, shares) {
  const all = shares.reduce((sum, one) => sum + one, 0), unsure = losses.map((loss, k) => Number(loss !== 0 || halves[k] !== 0));
  const order = losses.map((_, k) => k).sort((a, b) => unsure[a] - unsure[b] || losses[a] - losses[b] || worth[b] - worth[a]);
  return order.map((k) => ({
    actions: actions[k], value: value - losses[k], loss: losses[k], low: losses[k] - halves[k], high: losses[k] + halves[k],
    chance: shares[k] / all, games: games[k], key: keys[k],
  }));
}
