/** Racing: the turns of a seat that cannot see all cards, tried in determinizations of what it knows. All are tried in the
 * same ones, and whatever falls clearly behind is left out. See agents/search/racing.py. */

import { largest } from "./base.js";

/** @typedef {import("./base.js").Kernels} Kernels */
/**
 * A part of a race.
 *
 * @typedef {{ cut: number, games: number, doubt: number, byBot?: boolean }} Heat cut: turns that are played in a game before
 *   the network judges; games: at most; doubt: points by which the difference of two turns is wrong after any number of
 *   such games; byBot: a bot plays on
 */

/**
 * @param {Kernels} kernels
 * @param {number} players
 * @param {number | undefined} cut of a single heat
 * @param {number} horizon of its games
 * @returns {Heat[]}
 */
export function heatsOf(kernels, players, cut, horizon = 0) {
  const { _MANY: many, _HEATS: heats, _TO_HORIZON: shorter } = kernels.facts.constants["agents.search.racing"];
  if (cut !== undefined) return [{ cut, games: many, doubt: 0 }];
  if (horizon)
    return shorter.map((/** @type {[boolean, number, number]} */ [byBot, games, doubt]) => ({ cut: many, games, doubt, byBot }));
  return heats.map((/** @type {number[]} */ [rounds, games, doubt]) => ({ cut: rounds * players - 1, games, doubt }));
}

/** What is known of some turns: what was expected of each at first, and what it came to in the games so far. */
export class Race {
  #c;
  #trust;
  #doubt = 0;
  /** @type {number[]} */
  #expected = [];
  /** @type {number[]} */
  #sums = [];
  /** @type {number[][]} */
  #products = [];
  total = 0; // games of all heats
  games = 0; // of this one

  /**
   * @param {Kernels} kernels
   * @param {number[]} expected points
   * @param {number} trust the standard error of the difference of two of them; the greater, the less the expectation
   *   counts beside the games
   */
  constructor(kernels, expected, trust) {
    this.#c = kernels.facts.constants["agents.search.racing"];
    this.worth = expected.slice();
    this.#trust = trust;
    this.running = expected.map((_, k) => k);
    this.leader = largest(expected);
    this.#begin();
  }

  /**
   * What has been found out is now what is expected.
   *
   * @param {number} doubt
   */
  nextHeat(doubt) {
    if (this.games) {
      this.#trust = Math.hypot(this.#doubt, Math.max(...this.#behind().error));
      this.#begin();
    }
    this.#doubt = doubt;
  }

  #begin() {
    this.#expected = this.worth.slice();
    this.games = 0;
    this.#sums = this.worth.map(() => 0);
    this.#products = this.worth.map(() => this.worth.map(() => 0));
  }

  /**
   * A row for each game, in points of the turns that are running; says who leads then, and who is out.
   *
   * @param {number[][]} results
   */
  add(results) {
    const running = this.running;
    for (const row of results) {
      const more = row.map((points, i) => points - this.#expected[running[i]]);
      running.forEach((one, i) => {
        this.#sums[one] += more[i];
        running.forEach((other, j) => (this.#products[one][other] += more[i] * more[j]));
      });
    }
    this.games += results.length;
    this.total += results.length;
    const before = this.#behind().behind;
    this.leader = running[largest(before.map((points) => -points))];
    const { behind, error } = this.#behind();
    const weight = this.games / (this.games + this.#c._FEWEST);
    const leads = this.#expected[this.leader] + (weight * this.#sums[this.leader]) / this.games;
    running.forEach((one, i) => (this.worth[one] = leads - behind[i]));
    if (this.games >= this.#c._FEWEST)
      this.running = running.filter((_, i) => behind[i] <= this.#c._STRICT * Math.hypot(error[i], this.#doubt));
  }

  /** By how much those that run are behind the leader, and the standard error of that. */
  #behind() {
    const count = this.games, lead = this.leader, { _FEWEST: fewest, _SPREAD: usual } = this.#c;
    /** @type {number[]} */
    const behind = [], error = [];
    for (const one of this.running) {
      const gap = (this.#sums[lead] - this.#sums[one]) / count, p = this.#products;
      const squares = (p[lead][lead] + p[one][one] - 2 * p[lead][one]) / count;
      const spread = (count * Math.max(0, squares - gap ** 2) + fewest * usual ** 2) / (count + fewest);
      const sure = count / spread, guessed = 1 / this.#trust ** 2;
      behind.push(this.#expected[lead] - this.#expected[one] + (gap * sure) / (sure + guessed));
      error.push(Math.sqrt(1 / (sure + guessed)));
    }
    return { behind, error };
  }
}
