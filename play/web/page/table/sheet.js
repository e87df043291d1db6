// The sheet of a deal: points by category, the cards that they come from, and the score of the match.

import { both, cardNames, cardsOf, countOf, maskOf, parseCard, without } from "../casino/src/game/cards.js";
import { breakdown, scoresOf } from "../casino/src/kernels/engine.js";
import { use } from "../casino/src/kernels/kernels.js";
import { Look, OVER } from "../words/look.js";
import { cardArg, say } from "../words/message.js";
import { tried, unswept } from "./moves.js";

/** @import { Values } from "../casino/src/kernels/kernels.js" */
/** @import { Rules } from "../casino/src/game/rules.js" */
/** @import { Names } from "../words/names.js" */
/** @import { Message } from "../words/message.js" */
/** @import { Sheet, SheetMatch, SheetRow } from "./shapes.js" */

/** The cards of a category; what is counted (cards, sweeps) has none. @param {string} name @param {Rules} rules
 * @returns {number} */
function cardsIn(name, rules) {
  const { _ACES_OF, _SPADES_OF } = use().constants("engine.scoring");
  return name === "big ten" ? maskOf([parseCard(rules.big_ten)]) : _ACES_OF[name] ?? _SPADES_OF[name] ?? 0;
}

/** The seats of each side. @param {Rules} rules @returns {number[][]} */
export function sidesOf(rules) {
  const seats = Array.from({ length: rules.players }, (_, seat) => seat);
  return Array.from({ length: rules.sides }, (_, side) => seats.filter((seat) => rules.side(seat) === side));
}

/** @param {number[]} seats @param {Names} names @returns {Message} */
export const sideName = (seats, names) => say("sheet.side", { seats: seats.map((seat) => names.of(seat)) });

/** How long a match lasts, in words: to a target, a number of deals, or one deal. @param {Rules} rules
 * @returns {Message} */
export function goalOf(rules) {
  if (rules.target) return say("goal.target", { points: rules.target });
  if (rules.match_games) return say("goal.games", { deals: rules.match_games });
  return rules.match_rounds ? say("goal.rounds", { deals: rules.match_rounds * rules.players }) : say("goal.one");
}

/** The score of a match by side. @param {Look} look @param {Rules} rules */
export const matchScore = (look, rules) =>
  Array.from({ length: rules.sides }, (_, side) => look.num("match_score", side));

/** The sheet of the deal that these actions end. @param {Values} record before the actions @param {number[]} actions
 * @param {Values} after in a match with the next deal already dealt @param {Rules} rules @param {Names} names
 * @returns {Sheet} */
export function sheetOf(record, actions, after, rules, names) {
  const last = tried(record, rules, actions, { match: 0 }), then = new Look(last), before = new Look(record),
    now = new Look(after);
  const over = now.mode === OVER, match = before.num("match") !== 0, sides = sidesOf(rules);
  const points = breakdown(last, rules), scores = scoresOf(points, rules), total = sides.map(([seat]) => scores[seat]);
  const winner = match && over ? now.num("winner") : then.num("winner"), winners = winner < 0 ? [] : [winner];
  const scored = rowsOf(points, then, rules);
  return {
    deal: before.num("deals") + 1,
    sides: sides.map((seats) => ({ seats, name: sideName(seats, names), you: seats.includes(names.you) })),
    rows: scored,
    points: total,
    counts: countsOf(then, rules),
    piles: pilesOf(then, rules).map((pile, side) => counted(pile, scored.flatMap(({ cards }) => cards[side]))),
    left: leftOf(new Look(unswept(record, rules, actions)), then, rules, names),
    match: match ? { before: matchScore(before, rules), after: matchScore(now, rules), goal: goalOf(rules) } : null,
    winners,
    verdict: verdictOf(winners, sides, names, match && over),
    over,
  };
}

/** @param {number[]} winners @param {number[][]} sides @param {Names} names @param {boolean} match
 * @returns {Message} */
function verdictOf(winners, sides, names, match) {
  const seats = winners.flatMap((side) => sides[side]), others = seats.filter((seat) => seat !== names.you)
    .map((seat) => names.of(seat));
  let verdict = say("sheet.won", { winners: others, n: others.length });
  if (!seats.length) verdict = say("sheet.tie");
  else if (others.length < seats.length) verdict = others.length ? say("sheet.you.with", { others }) : say("sheet.you");
  return match && seats.length ? say("sheet.match.won", { verdict }) : verdict;
}

/** The rows of the sheet; the four aces share one. @param {Record<string, number[]>} points by seat
 * @param {Look} look @param {Rules} rules @returns {SheetRow[]} */
function rowsOf(points, look, rules) {
  /** @type {Map<string, SheetRow>} */
  const rows = new Map();
  const piles = pilesOf(look, rules);
  for (const [name, bySeat] of Object.entries(points)) {
    const row = sidesOf(rules).map(([seat]) => bySeat[seat]);
    const key = name.startsWith("ace of ") ? "aces" : name, wanted = cardsIn(name, rules);
    const cards = piles.map((pile) => cardNames(cardsOf(both(pile, wanted))));
    const card = cardArg(cardNames(cardsOf(wanted))[0] ?? "");
    const old = rows.get(key)
      ?? { words: say(`sheet.${key}`, { card }), points: row.map(() => 0), cards: row.map(() => []) };
    rows.set(key, {
      ...old,
      points: old.points.map((sum, side) => sum + row[side]),
      cards: old.cards.map((list, side) => [...list, ...cards[side]]),
    });
  }
  return [...rows.values()];
}

/** @param {Look} look @param {Rules} rules @returns {number[]} by side */
function pilesOf(look, rules) {
  return sidesOf(rules).map((seats) => seats.reduce((sum, seat) => sum + look.num("piles", seat), 0));
}

/** @param {number} pile @param {string[]} scoring cards of it @returns {string[]} */
function counted(pile, scoring) {
  const late = (/** @type {string} */ card) => (scoring.includes(card) ? 2 : Number(card[1] === "S"));
  return cardNames(cardsOf(pile)).sort((a, b) => late(a) - late(b));
}

/** @param {Look} look @param {Rules} rules */
function countsOf(look, rules) {
  const piles = pilesOf(look, rules),
    spades = piles.map((pile) => countOf(both(pile, use().constant("engine.reading", "SPADES"))));
  const out = [{ words: say("sheet.count.cards"), counts: piles.map(countOf) }];
  return rules.bundles ? out : [...out, { words: say("sheet.count.spades"), counts: spades }];
}

/** The seat that gets the leftovers, and the cards; null if there are none. @param {Look} before @param {Look} after
 * @param {Rules} rules @param {Names} names */
function leftOf(before, after, rules, names) {
  for (let seat = 0; seat < rules.players; seat++) {
    const cards = cardNames(cardsOf(without(after.num("piles", seat), before.num("piles", seat))));
    if (cards.length) return say("sheet.left", { who: names.of(seat), cards: cards.map(cardArg) });
  }
  return null;
}
