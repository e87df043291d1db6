/** Search over complete turns, by a policy over afterstates: a race in determinizations, or where all cards are known
 * alpha-beta with iterative deepening. See agents/search/turn_search.py. */

import { END } from "../game/actions.js";
import { actionsOf } from "../kernels/engine.js";
import { NoDeterminizationError } from "../game/observed.js";
import { Fitted, Memory, equally, numbersOf } from "./base.js";
import { horizonOf } from "./horizon.js";
import { OpponentHistory, importanceWeights } from "./importance.js";
import { mostOf } from "./policy.js";
import { Race, heatsOf } from "./racing.js";
import { newRolloutPolicy, withBot } from "./rollouts.js";

/** @typedef {import("./base.js").Kernels} Kernels */
/** @typedef {import("./base.js").Rules} Rules */
/** @typedef {import("./base.js").Observed} Observed */
/** @typedef {import("./base.js").Analysis} Analysis */
/** @typedef {import("./settings.js").Budget} Budget */
/** @typedef {import("./policy.js").Policy} Policy */
/** @typedef {import("../kernels/kernels.js").Records} Records */
/** @typedef {import("../kernels/kernels.js").Numbers} Numbers */

/**
 * A game, and the workspace to think about it.
 *
 * @typedef {object} Fit
 * @property {Records} rules
 * @property {any} judge
 * @property {any} player who plays on
 * @property {any} bot the same, but a bot plays on
 * @property {any} levels
 * @property {any} pinned the levels
 * @property {any} judged pinned: afterstates that can be left
 */

/** Thinks about complete turns. */
export class TurnSearch {
  #memory;
  #fit;
  #rollouts;
  #seen;
  #games; // determinizations with weights
  #weights; // logarithms of these, then cumulated
  #tried;
  #history;
  #done; // what one action did
  #kernel;
  // The rest of a turn that has been thought through, by what the seat will see: it is played without thinking again, if
  // all comes as expected.
  /** @type {Map<string, Analysis>} */
  #plan = new Map();

  /**
   * @param {Kernels} kernels
   * @param {Policy} policy
   * @param {{ cut?: number, horizon?: string, importance: number }} settings without cut a race has heats, without
   *   importance no determinization has a weight
   */
  constructor(kernels, policy, { cut, horizon, importance }) {
    const c = (this.c = kernels.facts.constants["agents.search.turn_search"]), memory = (this.#memory = new Memory(kernels));
    this.kernels = kernels;
    this.policy = policy;
    this.cut = cut;
    this.horizon = horizon;
    this.importance = importance;
    this.#rollouts = memory.workspace("Rollouts", { games: c._BATCH });
    this.#seen = memory.records("GAME", 1);
    this.#games = memory.records("GAME", importance ? c._MOST_WEIGHTED : 0);
    this.#weights = memory.array("f64", importance ? c._MOST_WEIGHTED : 0);
    this.#tried = memory.array("i64", c._RUNNERS);
    this.#history = new OpponentHistory(memory);
    this.#fit = new Fitted(kernels, (own, rules, record) => {
      const rollout = newRolloutPolicy(own, policy, rules, record), { judge } = rollout.player, { shape } = policy.weights;
      const levels = own.workspace("Levels", { features: mostOf(judge), ...c.DEEP_LEVELS, ...shape.sizes });
      return {
        rules: record, judge: kernels.pin("Judge", judge), player: kernels.pin("RolloutPolicy", rollout),
        bot: kernels.pin("RolloutPolicy", withBot(own, rollout, rules, record)), levels,
        pinned: kernels.pin("Levels", levels), judged: kernels.pin("Judged", levels.judged),
      };
    });
    this.#kernel = {
      list: kernels.entry("agents.search.racing.list_turns"), begin: kernels.entry("agents.search.racing.begin_rollouts"),
      play: kernels.entry("agents.search.rollouts.roll_out"),
      draw: kernels.entry("agents.search.importance_weights.draw_weighted"),
      legal: kernels.entry("engine.entrypoints.legal"), act: kernels.entry("engine.entrypoints.play"),
    };
    this.#done = memory.array("i16", 1, 3);
  }

  /** Another game begins. */
  forget() {
    this.#plan.clear();
    this.#history.forget();
  }

  /** A decision that it is not asked for. @param {Observed} observed */
  watch(observed) {
    this.#history.see(observed);
  }

  /** What it needs for a game, before the time of a decision begins. @param {Rules} rules */
  prepare(rules) {
    this.#fit.to(rules);
  }

  /**
   * At the beginning of a turn about all of it; the rest of it is then a plan.
   *
   * @param {Observed} observed
   * @param {Budget} budget
   * @param {bigint} seed
   * @param {(done: number) => void} [progress]
   */
  think(observed, budget, seed, progress) {
    const planned = this.#plan.get(planKey(observed.rules, observed.view.bytes(0)));
    if (planned) return planned;
    const fit = this.#fit.to(observed.rules);
    this.#history.see(observed);
    this.#seen.write(0, observed.view.bytes(0));
    return this.policy.looksAhead(observed)
      ? this.#deepen(observed, budget, fit, progress)
      : this.#race(observed, budget, seed, fit, progress);
  }

  // --- hidden cards ------------------------------------------------------------------------------------------------------

  /**
   * @param {Observed} observed
   * @param {Budget} budget
   * @param {bigint} seed
   * @param {Fit} fit
   * @param {(done: number) => void} [progress]
   */
  #race(observed, budget, seed, fit, progress) {
    const { valueScale } = this.policy.weights, { _RUNNERS, _TRUST } = this.c, { rules, seat } = observed;
    const horizon = horizonOf(this.kernels, rules, this.horizon);
    const root = { seen: this.#seen, rules: fit.rules, seat, judged: fit.judged, horizon };
    const found = this.#kernel.list(root, fit.judge), worth = Array.from(fit.levels.judged.worth.data.subarray(0, found), Number);
    const turns = worth.map((_, k) => k).sort((one, other) => worth[other] - worth[one]).slice(0, _RUNNERS);
    const race = new Race(this.kernels, turns.map((k) => worth[k] * valueScale), _TRUST);
    const sides = numbersOf(rules)("sides"), side = seat % sides;
    const weighted = this.#draw(root, budget, seed, fit);
    for (const heat of heatsOf(this.kernels, rules.players, this.cut, horizon)) {
      race.nextHeat(heat.doubt);
      while (race.running.length > 1 && race.games < heat.games) {
        const games = share(race, budget, this.c._BATCH);
        if (!games) break;
        this.#begin(root, weighted, race.running.map((k) => turns[k]), seed, race.total, games);
        race.add(this.#play(fit, heat, games, race.running.length, side));
        progress?.(budget.done);
      }
    }
    const { records, walk } = fit.levels.judged.afterstates;
    this.#history.expect(observed, records, turns[race.leader]);
    return this.#chosen(observed, fit, walk, 0, turns, race.worth, race.leader);
  }

  /**
   * @param {any} root
   * @param {any} weighted
   * @param {number[]} turns
   * @param {bigint} seed
   * @param {number} first
   * @param {number} games
   */
  #begin(root, weighted, turns, seed, first, games) {
    const tried = this.#tried.part(0, turns.length);
    tried.data.set(turns.map(BigInt));
    if (!this.#kernel.begin(root, weighted, this.#rollouts, tried, seed, first, games))
      throw new NoDeterminizationError(`no game agrees with what seat ${root.seat} knows`);
  }

  /**
   * @param {Fit} fit
   * @param {import("./racing.js").Heat} heat
   * @param {number} games
   * @param {number} running
   * @param {number} side
   * @returns {number[][]} a row for each game, in points of the turns that are running
   */
  #play(fit, { cut, byBot }, games, running, side) {
    this.#kernel.play(this.#rollouts, fit.rules, byBot ? fit.bot : fit.player, cut, 0, games * running);
    const result = this.#rollouts.result.data, width = this.#rollouts.result.shape[1];
    const row = (/** @type {number} */ game) =>
      Array.from({ length: running }, (_, k) => result[(game * running + k) * width + side]);
    return Array.from({ length: games }, (_, game) => row(game));
  }

  /**
   * Determinizations with importance weights by what the others have done, where there is time for that.
   *
   * @param {any} root
   * @param {Budget} budget
   * @param {bigint} seed
   * @param {Fit} fit
   * @returns {{ games: Records, cumulated: Numbers }}
   */
  #draw(root, budget, seed, fit) {
    const { _WEIGHTED_AT_ONCE: once, _MOST_WEIGHTED: most } = this.c;
    let many = 0;
    if (this.#history.count && this.importance) {
      const turns = this.#history.turns;
      while (budget.isYoung(this.importance)) {
        const some = budget.share(Math.min(once, most - many));
        if (!some) break;
        const games = this.#games.part(many, some), weights = this.#weights.part(many, some);
        if (!this.#kernel.draw(root, turns, fit.player, seed, many, games, weights))
          throw new NoDeterminizationError(`no game agrees with what seat ${root.seat} knows`);
        many += some;
      }
    }
    const cumulated = this.#weights.part(0, many);
    if (many) {
      let total = 0;
      const sums = importanceWeights(this.kernels, Array.from(cumulated.data, Number)).map((one) => (total += one));
      cumulated.data.set(sums.map((one) => one / total));
    }
    return { games: this.#games.part(0, many), cumulated };
  }

  // --- all cards known ---------------------------------------------------------------------------------------------------

  /**
   * @param {Observed} observed
   * @param {Budget} budget
   * @param {Fit} fit
   * @param {(done: number) => void} [progress]
   */
  #deepen(observed, budget, fit, progress) {
    const { valueScale } = this.policy.weights, { levels } = fit;
    deepen(this.kernels, fit.pinned, fit.rules, fit.judge, this.policy.play, this.#seen, {
      share: (most) => {
        progress?.(budget.done);
        return budget.share(most);
      },
    }, levels.state);
    const found = levels.worth.data.subarray(0, levels.frames.get(0, "found"));
    const worth = Array.from(found, (/** @type {number} */ one) => one * valueScale);
    return this.#chosen(observed, fit, levels.walks, 0, worth.map((_, k) => k), worth, levels.state.get(0, "chosen"));
  }

  // --- what comes of it --------------------------------------------------------------------------------------------------

  /**
   * What turns are worth, as what their first actions are; the rest of the chosen one is kept as a plan. What has been
   * looked at less may still be thought better of than it is: never more than of the chosen one.
   *
   * @param {Observed} observed
   * @param {Fit} fit
   * @param {Records} walks
   * @param {number} level
   * @param {number[]} turns
   * @param {number[]} worth
   * @param {number} chosen
   * @returns {Analysis}
   */
  #chosen(observed, fit, walks, level, turns, worth, chosen) {
    /** @type {Map<number, number>} */
    const values = new Map();
    turns.forEach((k, i) => {
      const first = stepsOf(walks, level, k)[0];
      values.set(first, Math.max(values.get(first) ?? -Infinity, Math.min(worth[i], worth[chosen])));
    });
    const [now, ...later] = stepsOf(walks, level, turns[chosen]), value = values.get(now) ?? null;
    /** @type {Analysis[]} */
    const steps = [{ action: now, chances: equally([now]), value, values }];
    for (const action of later)
      steps.push({ action, chances: equally([action]), value, values: new Map(value === null ? [] : [[action, value]]) });
    this.#plan.clear();
    this.#seen.write(0, observed.view.bytes(0));
    for (const step of steps) {
      const legal = actionsOf(this.#kernel.legal(this.#seen, fit.rules));
      if (this.#seen.get(0, "actor") !== observed.seat || !legal.includes(step.action)) break;
      this.#plan.set(planKey(observed.rules, this.#seen.bytes(0)), step);
      this.#kernel.act(this.#seen, fit.rules, step.action, 0, this.#done);
    }
    return steps[0];
  }

  close() {
    this.#fit.close();
    this.#memory.close();
  }
}

/**
 * First as the policy looks by itself, however short the time; then half a turn deeper each time, and the less deep the
 * worse an afterstate is judged, until there is nothing left that has not been followed to the end.
 *
 * @param {Kernels} kernels
 * @param {any} levels perhaps pinned
 * @param {Records} rules
 * @param {any} judge
 * @param {import("./files.js").PlaySettings} play
 * @param {Records} seen what the seat sees
 * @param {{ share: (most: number) => number, told?: () => void, window?: number }} how share: how many turns to list
 *   next, of so many at most; 0: enough. told: is called when all that was looked at is as deep. window: by how much
 *   afterstates may be behind the best one, in units of the value, and still be told exactly
 * @param {Records} state of the levels
 */
export function deepen(kernels, levels, rules, judge, play, seen, { share, told, window = 0 }, state = levels.state) {
  const { _LISTINGS: some, _DEEPEST: deepest, _PENALTY } = kernels.facts.constants["agents.search.turn_search"];
  const { TURN: turn, LISTINGS: fewest } = kernels.facts.constants["agents.policy.lookahead"];
  const look = kernels.entry("agents.policy.lookahead.look_further");
  let depth = play.turns * turn, width = play.width, penalty = 0, alone = true, anew = true;
  const found = kernels.entry("agents.policy.lookahead.list_and_judge")(levels, rules, judge, seen);
  state.set(0, "window", window);
  while (found > 1 && depth < deepest) {
    const must = alone && state.get(0, "listings") < fewest, many = share(some) || (must ? some : 0);
    if (!many) return;
    anew = look(levels, rules, judge, depth, width, penalty, many, Number(anew));
    if (!anew) continue;
    told?.();
    if (!state.get(0, "open")) return;
    [depth, width, penalty, alone] = [depth + Math.floor(turn / 2), kernels.constant("engine.afterstates", "MOST"), _PENALTY, false];
  }
}

/**
 * In how many determinizations to try next all turns that run, before the clock is looked at again; each turn is tried
 * once at least.
 *
 * @param {Race} race
 * @param {Budget} budget
 * @param {number} batch
 */
function share(race, budget, batch) {
  const some = budget.share(batch), running = race.running.length;
  const games = Math.max(Math.floor(some / running), Number(!race.total && some > 0));
  if (games) budget.done += games * running - some;
  return games;
}

/**
 * The actions that lead to an afterstate, and the end of the turn.
 *
 * @param {Records} walks
 * @param {number} level
 * @param {number} k
 */
function stepsOf(walks, level, k) {
  const [, , [, depth]] = walks.fields.paths, many = walks.get(level, "lengths", k);
  return [...Array.from({ length: many }, (_, i) => walks.get(level, "paths", k * depth + i)), END];
}

/**
 * @param {Rules} rules
 * @param {Uint8Array} view
 */
function planKey(rules, view) {
  return `${rules.key} ${String.fromCharCode(...view)}`;
}

