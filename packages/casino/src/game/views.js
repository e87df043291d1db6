/**
 * What one seat may know, as plain data: a position in which the cards that it cannot see are numbers of cards.
 *
 * An app that knows one hand hands in such a view. The unseen cards are put where they may lie, so that there is a game
 * to ask agents and rules about; agents get what the seat may know of it, which is the same wherever they have been put.
 */

import { cardNames, cardsOf, RANKS } from "./cards.js";
import { stateNumbers } from "../kernels/engine.js";
import { Game } from "./game.js";
import { observe } from "./observed.js";
import { rulesFromJson, toJson } from "./position.js";
import { intIn, isObject, shortRepr } from "./validate.js";

/** @typedef {Record<string, any>} Data */
/** @typedef {Map<string, number>} Counts by rank */
/** @typedef {import("./observed.js").Memory} Memory */

const DECLARED = ["hand_card", "picked", "required"]; // cards of the mover that all have seen, while its turn is open

// --- out -----------------------------------------------------------------------------------------------------------

/**
 * The view of a seat, made from nothing but what it knows. memory: of face-down piles.
 * @param {Game} game
 * @param {number} seat
 * @param {{ memory?: Memory }} [options]
 * @returns {Data}
 */
export function viewOf(game, seat, { memory = "perfect" } = {}) {
  const seen = observe(game, seat, { memory }).view;
  /** @type {Data} */
  const view = { ...toJson(seen, game.rules), seat };
  view.hands = view.hands.map((/** @type {string[]} */ hand, /** @type {number} */ other) => {
    return other === seat ? hand : hand.length + seen.get(0, "hidden_hand", other);
  });
  view.stock = view.stock.length + seen.get(0, "hidden_stock");
  if (game.rules.stacking === "face_down") {
    const piles = memory === "none" ? seen.list(0, "hidden_pile") : seen.list(0, "piles").map((pile) => cardNames(cardsOf(pile)));
    view.piles = piles.slice(0, game.rules.players);
  }
  if (view.match) view.match = { deals: view.match.deals };
  return view;
}

// --- in ------------------------------------------------------------------------------------------------------------

/**
 * A game that the view may be of, its seat, and what that remembers of face-down piles.
 * @param {unknown} view
 * @returns {{ game: Game, seat: number, memory: Memory }}
 */
export function gameOf(view) {
  const sight = new Sight(view);
  return { game: Game.fromJson(sight.filled()), seat: sight.seat, memory: sight.memory };
}

/** A view as it was sent: the cards that it names, and how many there are of the others. */
export class Sight {
  /** @type {string[]} */
  #declared;

  /** @param {unknown} view */
  constructor(view) {
    if (!isObject(view) || !Object.hasOwn(view, "seat")) {
      throw new Error("a view is a JSON object like a position, with the seat that looks: seat is missing");
    }
    const { seat: looks, ...table } = view;
    /** @type {Data} */
    this.table = table;
    this.rules = rulesFromJson(table);
    this.seat = intIn(looks, "seat", 0, this.rules.players - 1);
    const closed = list(table.piles).some(Number.isInteger);
    if (closed && this.rules.stacking !== "face_down") throw new Error("piles: they lie face up in this game; list their cards");
    /** @type {Memory} */
    this.memory = closed ? "none" : "perfect";
    /** @type {Data} */
    this.turn = isObject(table.turn) ? table.turn : {};
    this.mover = Object.hasOwn(table, "to_move") ? table.to_move : 0;
    const { seat, rules } = this;
    const hands = rows(table.hands, "hands", rules.players);
    if (!Array.isArray(hands[seat])) {
      throw new Error(`hands[${seat}]: ${shortRepr(hands[seat])}; the seat that looks knows its cards: list them`);
    }
    const none = Array.from({ length: rules.players }, () => []);
    const piles = rows(table.piles && !isNothing(table.piles) ? table.piles : none, "piles", rules.players);
    const declared = texts(DECLARED.map((name) => this.turn[name]));
    const named = texts([hands[seat], piles, table.layout, table.builds]);
    if (this.turn.mode === stateNumbers().SORTING) declared.forEach((card) => named.add(card)); // on their way to the pile
    /** @type {(number | string[])[]} */
    this.hands = hands.map((row, other) => (other === seat ? row : count(row, `hands[${other}]`)));
    /** @type {(number | string[])[]} */
    this.piles = piles.map((row, i) => (Array.isArray(row) ? row : count(row, `piles[${i}]`)));
    this.stock = count(Object.hasOwn(table, "stock") ? table.stock : 0, "stock");
    this.unseen = cardNames(cardsOf(rules.record.get(0, "deck"))).filter((card) => !named.has(card));
    this.#declared = this.unseen.filter((card) => declared.has(card));
    const hidden = [...this.hands, ...this.piles].reduce((/** @type {number} */ sum, row) => (typeof row === "number" ? sum + row : sum), this.stock);
    if (hidden !== this.unseen.length) {
      throw new Error(`hands, piles, stock: ${hidden} cards are counted as hidden, but ${this.unseen.length} of the deck are nowhere in sight`);
    }
  }

  /** The cards that all have seen in the hand of a seat. @param {number} seat */
  declared(seat) {
    return seat === this.mover ? this.#declared : [];
  }

  /**
   * By rank how many cards a seat must have beside those that it has declared, for what it has built and shown (as
   * lacking() in knowledge/view.py counts them).
   * @param {number} seat
   * @returns {Counts}
   */
  needs(seat) {
    const { table, turn, mover } = this;
    if (!this.rules.keep_backing) return new Map();
    const builds = list(table.builds).filter((row) => isObject(row) && row.owner === seat).map((row) => row.value);
    const held = countBy(this.declared(seat)), free = new Map(held);
    if (seat === mover) {
      if (!builds.includes(turn.debt)) builds.push(turn.debt);
      const card = turn.hand_card;
      if (this.#declared.includes(card) && !turn.take_build) free.set(card[0], (free.get(card[0]) ?? 0) - 1); // it is leaving the hand
    }
    const asks = turn.mode === stateNumbers().GRANT && seat === (mover + 2) % 4;
    if (asks && !builds.includes(turn.open_value)) builds.push(turn.open_value); // it can take it; its own with the card that it keeps for it
    const owed = ranksOf(builds), proven = new Set(ranksOf(list(list(table.proven)[seat])).keys()); // one ace has proven 1 and 14
    /** @type {Counts} */
    const out = new Map();
    for (const rank of new Set([...owed.keys(), ...proven])) {
      const lacking = [(owed.get(rank) ?? 0) - (free.get(rank) ?? 0), (proven.has(rank) ? 1 : 0) - (held.get(rank) ?? 0)];
      if (Math.max(...lacking) > 0) out.set(rank, Math.max(...lacking));
    }
    return out;
  }

  /**
   * The position with all cards in it: those that the view does not name lie where it counts them. given: what some
   * seats hold at least, in place of what they must.
   * @param {Map<number, string[]>} [given]
   * @returns {Data}
   */
  filled(given = new Map()) {
    const told = new Set([...given.values()].flat());
    let rest = this.unseen.filter((card) => !told.has(card));
    const first = this.hands.map((row, other) => {
      const cards = [...(given.get(other) ?? [])];
      if (!Array.isArray(row) && !cards.length) {
        cards.push(...this.declared(other).filter((card) => rest.includes(card)));
        for (const [rank, need] of [...this.needs(other)].sort(([one], [two]) => (one < two ? -1 : 1))) {
          cards.push(...rest.filter((card) => card[0] === rank && !this.#declared.includes(card)).slice(0, need));
        }
      }
      rest = rest.filter((card) => !cards.includes(card));
      return cards;
    });
    /** So many cards, these among them; what is a list already stays as it is. */
    const dealt = (/** @type {any} */ row, /** @type {string[]} */ cards, /** @type {string} */ where) => {
      if (Array.isArray(row)) return row;
      if (row < cards.length) throw new Error(`${where}: ${row} cards, but what this seat has built and shown takes ${cards.length}`);
      return [...cards, ...rest.splice(0, row - cards.length)];
    };
    return {
      ...this.table,
      hands: this.hands.map((row, other) => dealt(row, first[other], `hands[${other}]`)),
      piles: this.piles.map((row) => dealt(row, [], "piles")),
      stock: dealt(this.stock, [], "stock"),
    };
  }
}

/** How many cards there are of each rank. @param {string[]} cards @returns {Counts} */
export function countBy(cards) {
  const counts = new Map();
  for (const [rank] of cards) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  return counts;
}

/** How many there are of the cards that take these values. @param {unknown[]} values */
function ranksOf(values) {
  return countBy(values.flatMap((value) => (Number.isInteger(value) && Number(value) > 0 && Number(value) < 15 ? [`${RANKS}A`[Number(value) - 1]] : [])));
}

/** @param {unknown} number @param {string} where @returns {number} */
function count(number, where) {
  if (Array.isArray(number)) throw new Error(`${where}: the seat that looks cannot see these cards; give their number`);
  return intIn(number, where, 0, 52);
}

/** @param {unknown} given @param {string} key @param {number} players @returns {any[]} */
function rows(given, key, players) {
  if (!Array.isArray(given) || given.length !== players) {
    throw new Error(`${key}: must be a list of ${players}, one a seat: cards, or how many there are`);
  }
  return given;
}

/** Other kinds are refused once the position is read. @param {unknown} value @returns {any[]} */
function list(value) {
  return Array.isArray(value) ? value : [];
}

/** @param {unknown} value */
function isNothing(value) {
  return Array.isArray(value) && !value.length;
}

/** Every text in nested data: the cards that it names. @param {unknown} data @returns {Set<string>} */
export function texts(data) {
  if (typeof data === "string") return new Set([data]);
  const inner = isObject(data) ? Object.values(data) : list(data);
  return new Set(inner.flatMap((each) => [...texts(each)]));
}
