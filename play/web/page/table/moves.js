// The moves that a person can make: the cards of each, its description, and the actions of the catalogue that it
// consists of.

import { BUILD, CAPTURE, CAPTURE_HIGH, DISCARD, END, RAISE, actionText } from "../casino/src/game/actions.js";
import { cardName, cardsOf, countOf, hasCard, without } from "../casino/src/game/cards.js";
import { factOf } from "../words/facts.js";
import { Look, SORTING, isMiddle } from "../words/look.js";
import { say } from "../words/message.js";
import { describeMove, describePlan } from "../words/moves.js";
import { actionsOf, legal, play } from "../casino/src/kernels/engine.js";
import { TooManyTurnsError, findTurns } from "../casino/src/game/turns.js";
import { changedRules } from "./setup.js";

/** @import { Values } from "../casino/src/kernels/kernels.js" */
/** @import { Rules } from "../casino/src/game/rules.js" */
/** @import { Names } from "../words/names.js" */
/** @import { Fact } from "../words/facts.js" */
/** @import { Message } from "../words/message.js" */
/** @import { Move } from "./shapes.js" */

const ORDER = ["capture", "raise", "add", "build", "pick", "sort", "discard"]; // order of the offer; others come last

/** All moves of the seat that decides, one for each result: the largest captures first, discards last.
 * @param {Values} record of the game @param {Rules} rules @param {Names} names @returns {Move[]} */
export function movesOf(record, rules, names) {
  const before = new Look(record), found = paths(before, rules).map((path) => described(before, path, rules, names));
  return found
    .map((move) => ({ move, rank: rankOf(move, before) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])
    .map(({ move }) => move);
}

/** The facts of actions: one for each move. @param {Values} record @param {Rules} rules @param {number[]} actions
 * @returns {Fact[]} */
export function factsOf(record, rules, actions) {
  const facts = [];
  /** @type {number[]} */
  let pending = [];
  let here = record, before = record;
  for (const action of actions) {
    here = tried(here, rules, [action]);
    pending.push(action);
    if (isMiddle(new Look(here).mode)) continue;
    facts.push(factFrom(before, rules, pending));
    [before, pending] = [here, []];
  }
  if (pending.length) facts.push(factFrom(before, rules, pending));
  return facts;
}

/** The fact of one move. @param {Values} record @param {Rules} rules @param {number[]} actions @returns {Fact} */
export function factFrom(record, rules, actions) {
  return factOf(new Look(record), new Look(unswept(record, rules, actions)), actions, rules.players);
}

/** A turn in the imperative: "lay down the 5♣; build 9 with …". @param {Values} record @param {Rules} rules
 * @param {number[]} actions @param {Names} names @returns {Message} */
export const planWords = (record, rules, actions, names) =>
  describePlan(factsOf(record, rules, actions), names);

/** @param {Move} move @param {Look} before */
function rankOf(move, before) {
  const inBuilds = move.builds.reduce((sum, value) => sum + countOf(before.num("build_cards", value)), 0),
    place = ORDER.indexOf(move.do);
  return [place < 0 ? ORDER.length : place, -move.cards.length - inBuilds];
}

/** The action sequences of complete moves; if there are too many, the single actions, so that cards are picked one by
 * one. @param {Look} before @param {Rules} rules @returns {number[][]} */
function paths(before, rules) {
  try {
    return atRest(before.record, rules).flatMap((path) => [path, ...drifts(before, path, rules)]);
  } catch (error) {
    if (!(error instanceof TooManyTurnsError)) throw error;
    return actionsOf(legal(before.record, rules)).map((action) => [action]);
  }
}

/** @param {Values} record @param {Rules} rules */
const atRest = (record, rules) => findTurns([record], rules, "AT_REST").map(({ actions }) => actions);

/** Laying a hand card on a card of its rank is two sets but one gesture: return the continuations of the first set by
 * the second. @param {Look} before @param {number[]} path @param {Rules} rules @returns {number[][]} */
function drifts(before, path, rules) {
  const [first, card, ...more] = path, hand = before.num("hands", before.actor);
  if (more.length || !isBuild(first) || hasCard(hand, card)) return [];
  return atRest(tried(before.record, rules, path), rules)
    .filter(([then, held, ...others]) => then === first && !others.length && hasCard(hand, held))
    .map((rest) => [...path, ...rest]);
}

/** @param {number} action */
const isBuild = (action) => action >= BUILD && action < RAISE;

/** @param {Look} before @param {number[]} path @param {Rules} rules @param {Names} names @returns {Move} */
function described(before, path, rules, names) {
  const first = path[0], after = new Look(tried(before.record, rules, path));
  const plain = first < END ? null : /** @type {Move["do"]} */ (actionText(first)); // without cards
  const fact = factFrom(before.record, rules, path), ends = isMiddle(before.mode) ? "do.stop" : "do.end";
  const words = first === END ? say(ends) : (describeMove(fact, names, true) ?? say("do.end"));
  const cards = plain ? [] : [...touched(before, after, path)].sort((a, b) => b - a).map(cardName),
    builds = buildsOf(before, after, path);
  return {
    do: plain ?? verb(before, path),
    words,
    cards,
    builds,
    tokens: [...cards, ...builds.map((value) => `b${value}`)],
    actions: path.map(actionText),
  };
}

/** @param {Look} before @param {number[]} path */
function verb(before, path) {
  const first = path[0];
  if (first < DISCARD) return before.mode === SORTING ? "sort" : "pick";
  if (first < CAPTURE) return "discard";
  if (first < BUILD) return "capture";
  if (first >= RAISE) return "raise";
  return before.num("build_sets", first - BUILD + 1) ? "add" : "build";
}

/** The cards that a move plays, picks or takes along. @param {Look} before @param {Look} after
 * @param {number[]} path @returns {Set<number>} */
export function touched(before, after, path) {
  const named = new Set(path.filter((action) => action < BUILD).map(cardOf));
  if (!path.some((action) => action >= CAPTURE && action < BUILD) || isMiddle(after.mode)) return named;
  for (const card of cardsOf(without(before.num("layout"), after.num("layout")))) named.add(card);
  for (let seat = 0; seat < 6; seat++) {
    const top = before.num("pile_top", seat);
    if (top >= 0 && !after.has("piles", seat, top)) named.add(top);
  }
  return named;
}

/** @param {number} action */
const cardOf = (action) => action - ([CAPTURE_HIGH, CAPTURE, DISCARD].find((first) => first <= action) ?? 0);

/** The values of standing builds that a move changes or takes. @param {Look} before @param {Look} after
 * @param {number[]} path @returns {number[]} */
function buildsOf(before, after, path) {
  const found = [];
  for (let value = 1; value <= 14; value++) {
    if (before.num("build_top", value) < 0) continue;
    const changed = before.num("build_top", value) !== after.num("build_top", value);
    if (changed || path.includes(BUILD + value - 1) || path.includes(RAISE + value - 1)) found.push(value);
  }
  return found;
}

// --- the results of actions ------------------------------------------------------------------------------------------

/** The record after these actions, which must be legal. @param {Values} record @param {Rules} rules
 * @param {number[]} actions @param {{ [field: string]: number }} [fields] of the record to set beforehand
 * @returns {Values} */
export function tried(record, rules, actions, fields = {}) {
  const out = record.clone();
  for (const [name, value] of Object.entries(fields)) out.set(0, name, value);
  for (const action of actions) play(out, rules, action, false);
  return out;
}

/** Cache of the same rules, but with leftovers that stay on the table. @type {WeakMap<Rules, Rules>} */
const still = new WeakMap();

/** The record after actions, but before leftovers are taken or a new deal begins. @param {Values} record
 * @param {Rules} rules @param {number[]} actions */
export function unswept(record, rules, actions) {
  const kept = still.get(rules) ?? changedRules(rules, { leftovers: "nobody" });
  still.set(rules, kept);
  return tried(record, kept, actions, { match: 0 });
}
