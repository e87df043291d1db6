/** Views: what one seat may know, as plain data. A view is a position in which hidden cards are replaced by their
 * number. An app that knows one hand passes a view; the hidden cards are then put in possible places, which gives a
 * game for the rules and agents. Agents observe only what the seat may know, so these places do not affect them. */

import { cardNames, CARDS, cardsOf } from "./cards.js";
import { buildRecord, fillView } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { uncheckedGame } from "./game.js";
import { observe } from "./observed.js";
import { Reader, refuse, rulesFromJson, toJson } from "./position.js";
import { intIn, isObject, shortRepr } from "./validate.js";

/** @typedef {Record<string, any>} Data */
/** @import { Game } from "./game.js" */
/** @import { Memory } from "./observed.js" */
/** @import { Rules } from "./rules.js" */

// --- out -----------------------------------------------------------------------------------------------------------

/** The view of a seat (without one: of the one that decides), made from nothing but what it knows. memory: of face-down
 * piles. @param {Game} game @param {number} [seat] @param {{ memory?: Memory }} [options] @returns {Data} */
export function viewOf(game, seat, options = {}) {
  const { view: seen, seat: looks } = observe(game, seat, options);
  /** @type {Data} */
  const view = { ...toJson(seen, game.rules), seat: looks };
  view.hands = view.hands.map((/** @type {string[]} */ hand, /** @type {number} */ other) => {
    return other === looks ? hand : hand.length + seen.get(0, "hidden_hand", other);
  });
  view.stock = view.stock.length + seen.get(0, "hidden_stock");
  if (game.rules.stacking === "face_down") {
    const piles = options.memory === "none" ? seen.list(0, "hidden_pile")
      : seen.list(0, "piles").map((pile) => cardNames(cardsOf(pile)));
    view.piles = piles.slice(0, game.rules.players);
  }
  if (view.match) view.match = { deals: view.match.deals };
  return view;
}

// --- in ------------------------------------------------------------------------------------------------------------

/** A game that agrees with the view, its seat, and the seat's memory of face-down piles. @param {unknown} view
 * @returns {{ game: Game, seat: number, memory: Memory }} */
export function gameOf(view) {
  const sight = new Sight(view);
  return { game: sight.game(), seat: sight.seat, memory: sight.memory };
}

/** Reads a view, in which numbers replace the cards that its seat cannot see. */
class ViewReader extends Reader {
  each = "lists or numbers of cards";
  /** @type {number[]} */
  counts = new Array(use().constant("knowledge.sights", "COUNTS")).fill(0);

  /** @param {Data} data @param {Rules} rules @param {number} looks */
  constructor(data, rules, looks) {
    super(data, rules);
    this.looks = looks;
  }

  /** @param {unknown} items @param {string} where @param {number} place @param {number} [part] */
  cards(items, where, place, part = 0) {
    const { HANDS, PILES, PROVEN, STOCK } = use().constants("engine.flat_form"), mine = HANDS + this.looks;
    if (place === STOCK) this.counts[this.counts.length - 1] = count(Array.isArray(items) && !items.length ? 0 : items,
      where);
    else if (place >= HANDS && place < PILES && place !== mine) this.counts[place] = count(items, where);
    else if (place >= PILES && place < PROVEN && !Array.isArray(items)) {
      if (this.rules.stacking !== "face_down")
        throw new Error("piles: they are face up in this game; list their cards");
      this.counts[place] = count(items, where);
    } else if (place === mine && !Array.isArray(items)) {
      throw new Error(`${where}: ${shortRepr(items)}; the view's seat sees these cards; list them`);
    } else super.cards(items, where, place, part);
  }
}

/** A parsed view: the record of the cards that it names and the numbers of the others. */
export class Sight {
  #read;

  /** @param {unknown} view */
  constructor(view) {
    if (!isObject(view) || !Object.hasOwn(view, "seat")) {
      throw new Error("a view must be a JSON object like a position, with its seat: seat is missing");
    }
    const { seat: looks, ...table } = view;
    this.rules = rulesFromJson(table);
    this.seat = intIn(looks, "seat", 0, this.rules.players - 1);
    this.#read = new ViewReader(table, this.rules, this.seat).read();
    this.piles = /** @type {(string[] | number)[]} */ (this.#read.perSeat("piles"));
    /** @type {Memory} */
    this.memory = this.piles.every(Array.isArray) ? "perfect" : "none";
    const { record, found } = buildRecord(this.rules, this.#read, this.seat);
    refuse(found, this.rules);
    this.view = record;
  }

  /** The record of a game that agrees with the view. hands: for some seats, the least set of cards that they hold, in
   * place of the cards that they must hold. @param {Map<number, number>} [hands] @param {number} [said] */
  record(hands = new Map(), said = 0) {
    const { record, found } = fillView(this.view, this.rules, this.seat, hands, this.#read.said | said);
    refuse(found, this.rules);
    record.set(0, "rng", this.#read.stream);
    return record;
  }

  /** A game that agrees with the view; plays no forced action. @param {Map<number, number>} [hands]
   * @param {{ skipForced?: boolean }} [options] */
  game(hands, options) {
    return uncheckedGame(this.record(hands), this.rules, options);
  }
}

/** @param {unknown} number @param {string} where @returns {number} */
function count(number, where) {
  if (Array.isArray(number)) throw new Error(`${where}: the view's seat cannot see these cards; give their number`);
  return intIn(number, where, 0, CARDS);
}

/** Collect all strings in nested data: the cards that it names. @param {unknown} data @returns {Set<string>} */
export function texts(data) {
  if (typeof data === "string") return new Set([data]);
  const inner = isObject(data) ? Object.values(data) : Array.isArray(data) ? data : [];
  return new Set(inner.flatMap((each) => [...texts(each)]));
}
