// Facts: the effects of a move as plain data (cards, piles, builds), from which moves.js makes words.

import { BUILD, CAPTURE, CAPTURE_HIGH, COUNT_OUT, DISCARD, END, NO, RAISE, YES } from "../casino/src/game/actions.js";
import { both, cardName, cardsOf, countOf, hasCard, without } from "../casino/src/game/cards.js";
import { BUNDLE, CAPTURING, COMPLETE, GRANT, INSIST_CAPTURE, MAXIMAL, REQUEST, SORTING } from "./look.js";

/** @import { Look } from "./look.js" */

/** A card and the seat of its pile; -1: the table, -2: the hand. @typedef {{ card: string, from: number }} Source */
/** A build and its owner (-1: nobody). @typedef {{ value: number, owner: number }} Standing */

/** The effects of a move. @typedef {object} Fact
 * @property {number} seat
 * @property {"end" | "yes" | "no" | "claim" | "sort" | "pick" | "discard" | "capture" | "begin" | "build" | "add" |
 *   "raise"} do
 * @property {string} [card] the hand card
 * @property {boolean} [high] whether an ace counts as 14
 * @property {boolean} [waits] the capture is not complete: a choice or a question comes before cards are taken
 * @property {Source[][]} [groups] captured cards, in groups that each add up to the value of the hand card
 * @property {number[]} [piles] seats whose whole piles are captured
 * @property {Standing[]} [builds] captured builds
 * @property {number} [value] of the build
 * @property {number} [owner] of the build that is added to
 * @property {Source[][]} [sets] laid for a build
 * @property {Standing} [raised]
 * @property {Standing | null} [joined] the build that a raised one joins
 * @property {string[]} [cards] of an unfinished set, or of a pile that is being sorted
 * @property {number} [mode] of a question
 * @property {boolean} [take] the question is about a build, not loose cards
 * @property {boolean} [open] another question follows
 * @property {number} [mover]
 * @property {number} [partner]
 */

/** The fact of one move. @param {Look} before @param {Look} after before leftovers are taken or a new deal begins
 * @param {number[]} actions @param {number} players @returns {Fact} */
export function factOf(before, after, actions, players) {
  const first = actions[0], seat = before.actor, mode = before.mode;
  if (first === YES || first === NO) return answered(before, after, first === YES, players);
  if (first === COUNT_OUT) return { seat, do: "claim" };
  if (first === END) return { seat, do: "end" };
  if (first < DISCARD) {
    return { seat, do: mode === SORTING ? "sort" : "pick", cards: actions.filter((action) => action < DISCARD)
      .map(cardName) };
  }
  if (first < CAPTURE) return { seat, do: "discard", card: cardName(first - DISCARD) };
  return first < BUILD ? captured(before, after, first, players) : laid(before, actions, players);
}

/** @param {Look} before @param {Look} after @param {boolean} yes @param {number} players @returns {Fact} */
function answered(before, after, yes, players) {
  return {
    seat: before.actor,
    do: yes ? "yes" : "no",
    mode: before.mode,
    value: before.num("open_value"),
    take: before.num("take_build") !== 0,
    open: ASKING.includes(after.mode),
    mover: before.num("to_move"),
    partner: (before.actor + 2) % players,
  };
}

const ASKING = [REQUEST, GRANT, INSIST_CAPTURE, COMPLETE];

// --- captures --------------------------------------------------------------------------------------------------------

const WAITING = [REQUEST, INSIST_CAPTURE, CAPTURING, MAXIMAL, BUNDLE, GRANT];

/** @param {Look} before @param {Look} after @param {number} first @param {number} players @returns {Fact} */
function captured(before, after, first, players) {
  const high = first >= CAPTURE_HIGH, card = first - (high ? CAPTURE_HIGH : CAPTURE);
  const waits = WAITING.includes(after.mode), value = high ? 14 : (card >> 2) + 1;
  // if the capture waits: the cards that it is going to take
  const gone = (/** @type {number} */ had, /** @type {number} */ has) =>
    (waits ? both(had, after.num("picked")) : without(had, has));
  const lost = Array.from({ length: players }, (_, seat) => gone(before.num("piles", seat), after.num("piles", seat)));
  const whole = (/** @type {number} */ seat) => countOf(lost[seat]) > 1 && lost[seat] === before.num("piles", seat);
  const stolen = lost.flatMap((cards, seat) => (whole(seat) ? [] : cardsOf(cards)));
  const cards = [...cardsOf(gone(before.num("layout"), after.num("layout"))), ...stolen].sort((a, b) => b - a);
  const sets = partition(cards, value) ?? cards.map((each) => [each]);
  return {
    seat: before.actor,
    do: "capture",
    card: cardName(card),
    high,
    waits,
    groups: sets.map((group) => group.map((each) => ({ card: cardName(each), from: before.pileOf(each, players) }))),
    piles: lost.flatMap((_, seat) => (whole(seat) ? [seat] : [])),
    builds: taken(before, after, waits, players),
  };
}

/** @param {Look} before @param {Look} after @param {boolean} waits @param {number} players */
function taken(before, after, waits, players) {
  const wanted = waits && after.num("take_build") ? after.num("open_value") : 0, out = [];
  for (let value = 1; value <= 14; value++) {
    if (before.num("build_top", value) < 0) continue;
    if (value === wanted || after.num("build_top", value) < 0) out.push({ value, owner: before.owner(value, players) });
  }
  return out;
}

/** Partition cards (highest first) into groups that each add up to the value; null if impossible.
 * @param {number[]} cards @param {number} value @returns {number[][] | null} */
export function partition(cards, value) {
  if (!cards.length) return [];
  for (const group of beginning(cards, value)) {
    const rest = partition(
      cards.filter((card) => !group.includes(card)),
      value,
    );
    if (rest) return [group, ...rest];
  }
  return null;
}

/** The groups with the first card that add up to the value, small ones first. @param {number[]} cards
 * @param {number} value */
function beginning(cards, value) {
  const first = cards[0], worth = (first >> 2) + 1;
  if (worth === value || (worth === 1 && value === 14)) return [[first]];
  /** @type {number[][]} */
  const found = [];
  /** @type {[number[], number, number][]} */
  const stack = [[[first], 1, value - worth]];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const [group, from, left] = top;
    if (left === 0) found.push(group);
    for (let k = from; left > 0 && k < cards.length; k++)
      stack.push([[...group, cards[k]], k + 1, left - ((cards[k] >> 2) + 1)]);
  }
  return found.sort((a, b) => a.length - b.length);
}

// --- builds ----------------------------------------------------------------------------------------------------------

/** @param {Look} before @param {number[]} actions @param {number} players @returns {Fact} */
function laid(before, actions, players) {
  const seat = before.actor, hand = before.num("hands", seat);
  const standing = (/** @type {number} */ value) => ({ value, owner: before.owner(value, players) });
  const value = (actions.find((action) => action >= BUILD && action < RAISE) ?? BUILD - 1) - BUILD + 1;
  const raise = actions.find((action) => action >= RAISE && action < END);
  const cards = actions
    .filter((action) => action < DISCARD)
    .map((card) => ({ card: cardName(card), from: hasCard(hand, card) ? -2 : before.pileOf(card, players) }));
  const set = [...cards.filter(({ from }) => from === -2), ...cards.filter(({ from }) => from !== -2)];
  const stands = value > 0 && before.num("build_sets", value) > 0;
  if (raise !== undefined) {
    return { seat, do: "raise", raised: standing(raise - RAISE + 1), value, sets: [set], joined: stands
      ? standing(value) : null };
  }
  if (!cards.length) return { seat, do: "begin", value };
  return { seat, do: stands ? "add" : "build", value, owner: stands ? before.owner(value, players) : seat,
    sets: [set] };
}
