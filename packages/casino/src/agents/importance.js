/** Importance weights of determinizations: how likely each is by what the other seats have done in it. See
 * agents/search/importance_weights.py. */

import { countOf, union, without } from "../game/cards.js";

/** @typedef {import("./base.js").Kernels} Kernels */
/** @typedef {import("./base.js").Memory} Memory */
/** @typedef {import("./base.js").Observed} Observed */
/** @typedef {import("../kernels/kernels.js").Records} Records */

/**
 * From the logarithms of how likely they are: these, or as high a power of them as leaves a large enough effective
 * sample size.
 *
 * @param {Kernels} kernels
 * @param {number[]} logarithms
 */
export function importanceWeights(kernels, logarithms) {
  const { _FEWEST: least, _HALVINGS: halvings } = kernels.facts.constants["agents.search.importance_weights"];
  const most = Math.max(...logarithms), likely = logarithms.map((one) => one - most);
  const fewest = Math.min(least, logarithms.length / 2);
  let low = 0, high = 1, power = high;
  for (let k = 0; k < halvings; k++) {
    let sum = 0, squares = 0;
    for (const one of likely) {
      const chance = Math.exp(power * one);
      sum += chance;
      squares += chance ** 2;
    }
    if (sum ** 2 / squares >= fewest) low = power; // equally likely ones would tell as much
    else high = power;
    power = (low + high) / 2;
  }
  return likely.map((one) => Math.exp(low * one));
}

/** The turns of others since cards were last dealt, as far as the seat has looked at the game before and after them. With
 * two it does so in its own turns; with more it has to watch. */
export class OpponentHistory {
  #last; // the beginning of the turn that was seen last
  #now;
  #meant = false; // it is not what was seen then, but what this seat meant to leave
  #key = "";
  #seat = -1;
  #count = 0;

  /** @param {Memory} memory */
  constructor(memory) {
    const most = memory.kernels.constant("agents.search.importance_weights", "_MOST");
    this.kernels = memory.kernels;
    this.most = most;
    this.left = memory.records("GAME", most);
    this.came = memory.records("GAME", most);
    this.laid = memory.array("i64", most);
    this.#last = memory.records("GAME", 1);
    this.#now = memory.records("GAME", 1);
  }

  forget() {
    this.#seat = -1;
    this.#count = 0;
  }

  get count() {
    return this.#count;
  }

  /** As kernels have them: where each began, what it left, and what the same seat has laid down in it and since. */
  get turns() {
    const count = this.#count, bySeat = new Map();
    for (let k = count - 1; k >= 0; k--) {
      const seat = this.left.get(k, "to_move");
      const laid = union(bySeat.get(seat) ?? 0, without(onTable(this.came, k), onTable(this.left, k)));
      bySeat.set(seat, laid);
      this.laid.data[k] = BigInt(laid);
    }
    return { left: this.left.part(0, count), came: this.came.part(0, count), laid: this.laid.part(0, count) };
  }

  /**
   * What the seat sees now: before decisions of its own, and of others if it watches them.
   *
   * @param {Observed} observed
   */
  see({ rules, seat, view }) {
    const last = this.#last, now = this.#now, key = rules.key;
    now.write(0, view.bytes(0));
    const of = (/** @type {Records} */ record, /** @type {string} */ name) => record.get(0, name);
    const dealt = of(last, "deals") !== of(now, "deals") || of(last, "hidden_stock") !== of(now, "hidden_stock");
    if (key !== this.#key || seat !== this.#seat || dealt || without(seen(last), seen(now))) {
      this.forget(); // it is another game
      this.#key = key;
      this.#seat = seat;
    } else if (of(now, "actor") !== of(now, "to_move") || (of(now, "turns") === of(last, "turns") && !this.#meant)) {
      return; // in the middle of a turn
    } else if (of(last, "to_move") !== seat && isNext(last, now, seat) && this.#count < this.most) {
      this.left.copy(last, 0, this.#count);
      this.came.copy(now, 0, this.#count);
      this.#count++;
    }
    last.copy(now);
    this.#meant = false;
  }

  /**
   * The seat will leave this, if all comes as expected; until it sees what it has left.
   *
   * @param {Observed} observed
   * @param {Records} afterstates
   * @param {number} k
   */
  expect({ view }, afterstates, k) {
    if (view.get(0, "actor") !== view.get(0, "to_move")) return;
    this.#last.copy(afterstates, k);
    this.#meant = true;
  }
}

/**
 * The cards that have been laid down, as far as their place is known.
 *
 * @param {Records} views
 * @param {number} k
 */
function onTable(views, k) {
  return [...views.list(k, "piles"), ...views.list(k, "build_cards"), views.get(k, "layout")].reduce(union, 0);
}

/** The cards whose place is known. @param {Records} view */
function seen(view) {
  return view.list(0, "hands").reduce(union, onTable(view, 0));
}

/**
 * Of the seat that was to move one turn has been seen from its beginning to its end, as far as that can be told: who asks
 * for advice may have done something else than was advised.
 *
 * @param {Records} last
 * @param {Records} now
 * @param {number} seat
 */
function isNext(last, now, seat) {
  const other = last.get(0, "to_move");
  const held = (/** @type {Records} */ view) =>
    countOf(view.get(0, "hands", other)) + Number(view.get(0, "hidden_hand", other));
  const same = last.get(0, "hands", seat) === now.get(0, "hands", seat);
  return same && now.get(0, "turns") === last.get(0, "turns") + 1 && held(now) === held(last) - 1;
}
