/** Play-outs that measure what turns lose to the best of them; see agents/search/measuring.py. A race chooses the best
 * turn; determinizations that it has not seen then measure the others beside it, all in the same ones. */

import { NoDeterminizationError } from "../game/observed.js";
import { Policy, mostOf } from "./policy.js";
import { newRolloutPolicy, shapeOfPlayer } from "./rollouts.js";

/** @typedef {import("./base.js").Kernels} Kernels */
/** @typedef {import("./base.js").Memory} Memory */
/** @typedef {import("./base.js").Rules} Rules */
/** @typedef {import("./base.js").Observed} Observed */
/** @typedef {import("../kernels/kernels.js").Records} Records */
/** @typedef {{ until: number, games: number, error: number, lost: number, rounds: number }} Limits until: by the clock;
 *   error: standard error of the differences, in points; lost: points, what loses more for sure is left out; rounds: of
 *   every play-out, turns of every seat */
/** @typedef {{ best: number, value: number, loss: number[], error: number[], games: number[] }} Measured best: of the turns
 *   that were tried; value: of it, for the side that looks; loss: of each turn; error: the standard error of that */

export const ROUNDS = 4; // turns of every seat in a play-out, before the policy judges
const [TRUST, UNJUDGED] = [0.5, 10]; // points: standard error of a difference of judgements, and without a policy
const STRICT = 3; // standard errors by which something must be sure before all is played
const FIRST_LOOK = 32; // games after which differences are looked at first; then after twice as many each time
const [FEWEST, SPREAD] = [8, 1.5]; // differences are taken to have this spread (points), as if so many games showed it
const RACE = 0.5; // of games and time
const FRESH = 2 ** 32; // the number of the first determinization that is not for races
const BATCH = 512; // play-outs at once
const TO_THE_END = 2 ** 40;

/** The workspace of one game. The policy, or bot, plays on all seats. */
export class PlayOuts {
  #player;
  #race;
  #pinnedRace;
  #tried;
  #view;
  /** @type {any} */
  #levels = null; // made when they are needed
  #kernel;

  /**
   * @param {Memory} memory
   * @param {Rules} rules
   * @param {Records} record
   * @param {string | Policy} who
   */
  constructor(memory, rules, record, who) {
    const { kernels } = memory;
    this.kernels = kernels;
    this.memory = memory;
    this.rules = rules;
    this.record = record;
    this.policy = who instanceof Policy ? who : null;
    this.judges = this.policy !== null && !this.policy.weights.shape.judgesActions;
    const player = newRolloutPolicy(memory, who, rules, record);
    this.judge = player.player.judge;
    this.scale = this.judge.value_scale; // points that a unit of the policy's value stands for
    /** The turns at hand; those of the player are others. @type {any} */
    this.judged = memory.workspace("Judged", { features: mostOf(this.judge), ...shapeOfPlayer(kernels, who).sizes });
    this.pinned = kernels.pin("Judged", this.judged);
    this.#player = kernels.pin("RolloutPolicy", player);
    const racers = kernels.constant("engine.afterstates", "MOST");
    this.#race = memory.workspace("Race", { racers, games: BATCH, weighted: 0 });
    this.#pinnedRace = kernels.pin("Race", this.#race);
    this.#view = memory.records("GAME", 1);
    this.#tried = memory.array("i64", BATCH);
    const racing = (/** @type {string} */ name) => kernels.entry(`agents.search.racing.${name}`);
    const measuring = (/** @type {string} */ name) => kernels.entry(`agents.search.measuring.${name}`);
    this.#kernel = {
      list: racing("list_turns"), begin: racing("begin_rollouts"), play: kernels.entry("agents.search.rollouts.roll_out"),
      find: kernels.entry("engine.afterstates.afterstates_of"), race: measuring("begin_race"), raceOn: measuring("race_on"),
      look: measuring("begin_look_ahead"), lookOn: measuring("look_ahead_on"),
    };
    this.none = { games: memory.records("GAME", 0), cumulated: memory.array("f64", 0) };
  }

  /**
   * List what the seat can leave; what the policy thinks that it is worth, in points.
   *
   * @param {Observed} observed
   * @returns {number[]}
   */
  listWorth(observed) {
    const root = this.#root(observed);
    if (!this.judges) {
      const limit = this.kernels.constant("engine.afterstates", "LIMIT");
      return new Array(this.#kernel.find(root.seen, this.record, this.judged.afterstates, limit)).fill(0);
    }
    const found = this.#kernel.list(root, this.judge), worth = this.judged.worth.data.subarray(0, found);
    return Array.from(worth, (/** @type {number} */ one) => one * this.scale);
  }

  /**
   * The actions that lead to a listed turn, without its end.
   *
   * @param {number} k
   */
  path(k) {
    const { walk } = this.judged.afterstates, [, , [, depth]] = walk.fields.paths;
    return Array.from({ length: walk.get(0, "lengths", k) }, (_, i) => walk.get(0, "paths", k * depth + i));
  }

  /**
   * One more turn among those that are listed, instead of the worst if they are too many; its number. Its worth is put
   * among the others.
   *
   * @param {number[]} path
   * @param {number[]} worth
   */
  add(path, worth) {
    const { walk } = this.judged.afterstates, [, , [most, depth]] = walk.fields.paths;
    const k = worth.length < most ? worth.length : worth.indexOf(Math.min(...worth));
    path.forEach((action, i) => walk.set(0, "paths", action, k * depth + i));
    walk.set(0, "lengths", path.length, k);
    worth[k] = worth.length ? Math.max(...worth) : 0;
    return k;
  }

  /**
   * What the listed turns are worth where no card is hidden, by as many turns ahead as there is time for, and whether
   * all was followed to the end. Null where that cannot be.
   *
   * @param {Observed} observed
   * @param {number} until
   * @param {number} listings
   * @returns {{ worth: number[], ended: boolean } | null}
   */
  lookAhead(observed, until, listings) {
    const { policy } = this;
    if (!policy || !this.judges || !policy.looksAhead(observed)) return null;
    const sizes = this.kernels.constant("agents.policy.lookahead", "DEEP_LEVELS");
    this.#levels ??= this.memory.workspace("Levels", { features: mostOf(this.judge), ...sizes, ...policy.weights.shape.sizes });
    const { ENDED, UNFINISHED } = this.kernels.facts.constants["agents.policy.lookahead"];
    const stopped = this.kernels.constant("agents.search.measuring", "_STOPPED"), levels = this.#levels, { state } = levels;
    const found = this.#kernel.look(levels, this.record, this.judge, policy.play, this.#root(observed).seen);
    /** @type {{ worth: number[], ended: boolean } | null} */
    let told = null;
    for (let step = found > 1 ? UNFINISHED : stopped; step !== ENDED && step !== stopped; ) {
      const left = performance.now() < until ? listings - state.get(0, "listings") : 0;
      step = this.#kernel.lookOn(levels, this.record, this.judge, left);
      if (step === UNFINISHED || step === stopped) continue;
      const worth = Array.from(levels.worth.data.subarray(0, found), (/** @type {number} */ one) => one * this.scale);
      told = { worth, ended: !state.get(0, "open") };
    }
    return told;
  }

  /**
   * What turns lose to the best of them.
   *
   * @param {Observed} observed
   * @param {number[]} turns the numbers of those to be tried
   * @param {number[]} worth by judgement
   * @param {boolean[]} kept which of them are measured whatever they lose
   * @param {Limits} limits
   * @param {number | bigint} seed
   * @returns {Measured}
   */
  measure(observed, turns, worth, kept, limits, seed) {
    let best = this.#bestOf(observed, turns, worth, limits, seed), running = turns.map((_, i) => i);
    /** @type {number[][]} */
    const results = [];
    const cut = limits.rounds * this.rules.players - 1;
    for (let look = Math.min(FIRST_LOOK, limits.games); results.length < limits.games; ) {
      if (results.length && performance.now() >= limits.until) break;
      const games = Math.min(Math.max(1, Math.floor(BATCH / running.length)), look - results.length);
      const found = this.#play(observed, running.map((i) => turns[i]), seed, FRESH + results.length, games, cut);
      for (const row of found) {
        const whole = new Array(turns.length).fill(NaN);
        running.forEach((i, at) => (whole[i] = row[at]));
        results.push(whole);
      }
      if (results.length < look) continue;
      look = Math.min(2 * look, limits.games);
      const now = compared(results, best);
      best = now.best;
      if (Math.max(...running.map((i) => now.error[i])) <= limits.error) break;
      running = running.filter((i) => kept[i] || i === best || now.loss[i] - STRICT * now.error[i] <= limits.lost);
    }
    const last = compared(results, best);
    const games = turns.map((_, i) => results.filter((row) => !Number.isNaN(row[i])).length);
    return { ...last, value: mean(results.map((row) => row[last.best])), games };
  }

  /**
   * Which of the turns seems to be the best.
   *
   * @param {Observed} observed
   * @param {number[]} turns
   * @param {number[]} worth
   * @param {Limits} limits
   * @param {number | bigint} seed
   */
  #bestOf(observed, turns, worth, limits, seed) {
    const began = performance.now(), until = began + RACE * (limits.until - began);
    const root = this.#root(observed), trust = this.judges ? TRUST : UNJUDGED, { state } = this.#race;
    const cut = this.policy ? this.kernels.constant("agents.search.racing", "IN_HEATS") : TO_THE_END;
    this.#race.turns.data.set(turns.map(BigInt));
    this.#race.worth.data.set(worth);
    this.#kernel.race(this.#pinnedRace, turns.length, trust, cut, seed);
    while (state.get(0, "total") < RACE * limits.games && !(state.get(0, "total") && performance.now() >= until)) {
      const found = this.#kernel.raceOn(this.#pinnedRace, root, this.#player, BATCH / 16);
      if (found < 0) throw new NoDeterminizationError(`no game agrees with what seat ${observed.seat} knows`);
      if (!found) break;
    }
    return state.get(0, "leader");
  }

  /**
   * What turns come to in so many determinizations, numbered from first on: a row for each.
   *
   * @param {Observed} observed
   * @param {number[]} turns
   * @param {number | bigint} seed
   * @param {number} first
   * @param {number} games
   * @param {number} cut
   * @returns {number[][]}
   */
  #play(observed, turns, seed, first, games, cut) {
    const { rollouts } = this.#race, many = turns.length, tried = this.#tried.part(0, many);
    tried.data.set(turns.map(BigInt));
    const root = this.#root(observed);
    if (!this.#kernel.begin(root, this.none, rollouts, tried, seed, first, games))
      throw new NoDeterminizationError(`no game agrees with what seat ${observed.seat} knows`);
    this.#kernel.play(rollouts, this.record, this.#player, this.policy ? cut : TO_THE_END, 0, games * many);
    const result = rollouts.result.data, width = rollouts.result.shape[1], side = this.rules.side(observed.seat);
    return Array.from({ length: games }, (_, game) => turns.map((_, k) => result[(game * many + k) * width + side]));
  }

  /** @param {Observed} observed */
  #root({ view, seat }) {
    this.#view.copy(view);
    return { seen: this.#view, rules: this.record, seat, judged: this.pinned, horizon: 0 };
  }
}

/**
 * The best turn, which is another if that is better for sure; what the others lose to it, and the standard error of that.
 *
 * @param {number[][]} results
 * @param {number} best
 */
function compared(results, best) {
  const { loss, error } = losses(results, best);
  const bounds = loss.map((one, i) => one + STRICT * error[i]), better = bounds.indexOf(Math.min(...bounds));
  return bounds[better] < 0 ? { best: better, ...losses(results, better) } : { best, loss, error };
}

/**
 * @param {number[][]} results
 * @param {number} best
 */
function losses(results, best) {
  /** @type {number[]} */
  const loss = [], error = [];
  for (let i = 0; i < results[0].length; i++) {
    const differences = results.map((row) => row[best] - row[i]).filter((one) => !Number.isNaN(one));
    const count = differences.length, middle = mean(differences), variance = mean(differences.map((one) => (one - middle) ** 2));
    const spread = (count * variance + FEWEST * SPREAD ** 2) / (count + FEWEST);
    loss.push(middle);
    error.push(i === best ? 0 : Math.sqrt(spread / count));
  }
  return { loss, error };
}

/** @param {number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
