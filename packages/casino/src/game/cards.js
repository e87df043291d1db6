/** Cards as integers from 0 to 51, rank-major, so that comparing cards compares ranks first; sets as 52-bit masks. */

import { shortRepr } from "./validate.js";

/** @typedef {number} Card */
/** @typedef {number} CardSet */

export const RANKS = "A23456789TJQK";
export const SUITS = "SHDC";
export const CARDS = 52;
const HIGH = 2 ** 32;

/** @param {Card} card */
export function cardName(card) {
  if (!(Number.isInteger(card) && card >= 0 && card < CARDS))
    throw new Error(`${shortRepr(card)} is not a card; cards are 0 to ${CARDS - 1}`);
  return RANKS[card >> 2] + SUITS[card & 3];
}

/** @param {Card[]} cards */
export function cardNames(cards) {
  return cards.map(cardName);
}

/** @param {unknown} text @returns {Card} */
export function parseCard(text) {
  if (typeof text === "string" && text.length === 2) {
    const [rank, suit] = [RANKS.indexOf(text[0]), SUITS.indexOf(text[1])];
    if (rank >= 0 && suit >= 0) return rank * 4 + suit;
  }
  throw new Error(`${shortRepr(text)} is not a card; write its rank then its suit, e.g. TD for the ten of diamonds`);
}

/** The cards of a set, lowest first. @param {CardSet} set @returns {Card[]} */
export function cardsOf(set) {
  const cards = [];
  for (let half = 0, bits = set >>> 0; half < 2; half++, bits = Math.floor(set / HIGH) >>> 0) {
    for (; bits; bits = (bits & (bits - 1)) >>> 0) cards.push(32 * half + 31 - Math.clz32(bits & -bits));
  }
  return cards;
}

/** @param {Iterable<Card>} cards @returns {CardSet} */
export function maskOf(cards) {
  let set = 0;
  for (const card of new Set(cards)) set += 2 ** card;
  return set;
}

/** @param {CardSet} set @param {Card} card */
export function hasCard(set, card) {
  return Math.floor(set / 2 ** card) % 2 === 1;
}

/** How many cards a set has. @param {CardSet} set */
export function countOf(set) {
  return cardsOf(set).length;
}

/** The cards that are in both sets. @param {CardSet} one @param {CardSet} two @returns {CardSet} */
export function both(one, two) {
  return without(one, without(one, two));
}

/** The cards of the first set that are not in the second. @param {CardSet} one @param {CardSet} two
 * @returns {CardSet} */
export function without(one, two) {
  return ((Math.floor(one / HIGH) & ~Math.floor(two / HIGH)) >>> 0) * HIGH + ((one & ~two) >>> 0);
}
