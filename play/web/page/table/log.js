// The log: one sentence for each turn.

import { say } from "../words/message.js";
import { describeTurn } from "../words/moves.js";

/** @import { Names } from "../words/names.js" */
/** @import { Event, Line, News, Sheet } from "./shapes.js" */
/** @import { Fact } from "../words/facts.js" */

/** The lines of the log; the end of a deal is a separate line. @param {Event[]} events @param {Names} names
 * @param {number} [from] the first event @returns {Line[]} */
export function linesOf(events, names, from = 0) {
  /** @type {Line[]} */
  const lines = [];
  for (let first = from; first < events.length; ) {
    const next = turnEnd(events, first), { ended } = events[next - 1];
    const words = describeTurn(settled(events.slice(first, next)), names);
    if (words) lines.push({ seat: events[first].seat, words, first, next, ended: null });
    if (ended) lines.push({ seat: -1, words: endWords(ended), first: next, next, ended });
    first = next;
  }
  return lines;
}

/** The first event after a seat's turn. Answers without words by others do not interrupt a turn.
 * @param {Event[]} events @param {number} first */
function turnEnd(events, first) {
  let next = first + 1;
  while (next < events.length && !events[next - 1].ended
    && (isSilent(events[next]) || sameTurn(events[first], events[next]))) next++;
  return next;
}

/** The facts of a turn; a capture no longer waits if others let it pass. @param {Event[]} events @returns {Fact[]} */
function settled(events) {
  const { seat } = events[0];
  return events.flatMap(({ fact, seat: by }, at) => {
    if (by !== seat) return [];
    const over = fact.waits && events.slice(at + 1)
      .some((other) => isSilent(other) && other.seat !== seat && !other.fact.open);
    return [over ? { ...fact, waits: false } : fact];
  });
}

/** @param {Event} event */
const isSilent = ({ words, fact }) => words === null && fact.do === "no";

/** @param {Event} one @param {Event} other */
const sameTurn = (one, other) => one.seat === other.seat && one.turn === other.turn && one.deal === other.deal;

/** @param {Sheet} sheet */
function endWords(sheet) {
  return say("sheet.line",
    { scores: sheet.sides.map(({ name }, side) => say("sheet.score", { side: name, points: sheet.points[side] })) });
}

/** What the others did since the person's last turn. @param {Event[]} events @param {Names} names
 * @returns {News} */
export function newsOf(events, names) {
  let from = events.length;
  while (from > 0 && events[from - 1].seat !== names.you && !(events[from - 1].ended && from < events.length)) from--;
  /** @type {{ [token: string]: number }} */
  const cards = {};
  for (const event of events.slice(from)) for (const card of event.cards) cards[card] = event.seat;
  return { lines: linesOf(events, names, from).filter(({ ended }) => !ended), cards };
}
