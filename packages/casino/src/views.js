/**
 * What one seat may know, as plain data: a position in which the cards that it cannot see are numbers of cards.
 *
 * An app that knows one hand hands in such a view. The unseen cards are put where they may lie, so that there is a game
 * to ask agents and rules about; agents get what the seat may know of it, which is the same wherever they have been put.
 */

import { cardNames, cardsOf, RANKS } from "./cards.js";
import { Game } from "./game.js";
import { observe } from "./observed.js";
import { rulesFromJson, toJson } from "./position.js";
import { intIn, isObject, shortRepr } from "./validate.js";

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {Record<string, any>} Data */
/** @typedef {import("./observed.js").Memory} Memory */

const DECLARED = ["hand_card", "picked", "required"]; // cards of the mover that all have seen, while its turn is open

// --- out -----------------------------------------------------------------------------------------------------------

/** The view of a seat, made from nothing but what it knows. @param {Game} game @param {number} seat @returns {Data} */
export function viewOf(game, seat) {
  const seen = observe(game, seat).view;
  /** @type {Data} */
  const view = { ...toJson(seen, game.rules), seat };
  view.hands = view.hands.map((/** @type {string[]} */ hand, /** @type {number} */ other) => {
    return other === seat ? hand : hand.length + seen.get(0, "hidden_hand", other);
  });
  view.stock = view.stock.length + seen.get(0, "hidden_stock");
  if (game.rules.stacking === "face_down") {
    view.piles = seen.list(0, "piles").slice(0, game.rules.players).map((pile) => cardNames(cardsOf(pile)));
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
  if (!isObject(view) || !Object.hasOwn(view, "seat")) {
    throw new Error("a view is a JSON object like a position, with the seat that looks: seat is missing");
  }
  const { seat: looks, ...table } = view;
  const rules = rulesFromJson(table);
  const seat = intIn(looks, "seat", 0, rules.players - 1);
  const closed = list(table.piles).some(Number.isInteger);
  if (closed && rules.stacking !== "face_down") throw new Error("piles: they lie face up in this game; list their cards");
  return { game: Game.fromJson(filled(table, seat, rules)), seat, memory: closed ? "none" : "perfect" };
}

/** The position with all cards in it: those that the view does not name lie where it counts them. */
/** @param {Data} table @param {number} seat @param {Rules} rules @returns {Data} */
function filled(table, seat, rules) {
  const none = Array.from({ length: rules.players }, () => []);
  const seen = rows(table.hands, "hands", rules.players);
  if (!Array.isArray(seen[seat])) {
    throw new Error(`hands[${seat}]: ${shortRepr(seen[seat])}; the seat that looks knows its cards: list them`);
  }
  const given = rows(table.piles && !isNothing(table.piles) ? table.piles : none, "piles", rules.players);
  const named = texts([seen[seat], given, table.layout, table.builds]);
  const hands = seen.map((row, other) => (other === seat ? row : count(row, `hands[${other}]`)));
  const piles = given.map((row, i) => (Array.isArray(row) ? row : count(row, `piles[${i}]`)));
  const stock = count(Object.hasOwn(table, "stock") ? table.stock : 0, "stock");
  let unseen = cardNames(cardsOf(rules.record.get(0, "deck"))).filter((card) => !named.has(card));
  const hidden = [...hands, ...piles].reduce((sum, row) => (typeof row === "number" ? sum + row : sum), stock);
  if (hidden !== unseen.length) {
    throw new Error(`hands, piles, stock: ${hidden} cards are counted as hidden, but ${unseen.length} of the deck are nowhere in sight`);
  }
  const shown = hands.map((_, other) => {
    const cards = other === seat ? [] : promised(table, other, rules, unseen);
    unseen = unseen.filter((card) => !cards.includes(card));
    return cards;
  });
  /** So many cards, these among them; what is a list already stays as it is. */
  const dealt = (/** @type {any} */ row, /** @type {string[]} */ first, /** @type {string} */ where) => {
    if (Array.isArray(row)) return row;
    if (row < first.length) throw new Error(`${where}: ${row} cards, but what this seat has built and shown takes ${first.length}`);
    return [...first, ...unseen.splice(0, row - first.length)];
  };
  return {
    ...table,
    hands: hands.map((row, other) => dealt(row, shown[other], `hands[${other}]`)),
    piles: piles.map((row) => dealt(row, [], "piles")),
    stock: dealt(stock, [], "stock"),
  };
}

/** The unseen cards that a seat must have: those it has declared, and one for each build and proven rank. */
/** @param {Data} table @param {number} seat @param {Rules} rules @param {string[]} unseen @returns {string[]} */
function promised(table, seat, rules, unseen) {
  const { turn } = table;
  const moves = isObject(turn) && seat === (Object.hasOwn(table, "to_move") ? table.to_move : 0);
  const declared = moves ? texts(DECLARED.map((name) => turn[name])) : new Set();
  const cards = unseen.filter((card) => declared.has(card));
  if (!rules.keep_backing) return cards;
  const builds = list(table.builds).filter((row) => isObject(row) && row.owner === seat);
  const values = [...builds.map((row) => row.value), ...list(list(table.proven)[seat])];
  const ranks = new Set(values.filter((value) => Number.isInteger(value) && value > 0 && value < 15).map((value) => `${RANKS}A`[value - 1]));
  for (const rank of [...ranks].sort()) {
    cards.push(...unseen.filter((card) => card[0] === rank && !cards.includes(card)).slice(0, 1));
  }
  return cards;
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
function texts(data) {
  if (typeof data === "string") return new Set([data]);
  const inner = isObject(data) ? Object.values(data) : list(data);
  return new Set(inner.flatMap((each) => [...texts(each)]));
}
