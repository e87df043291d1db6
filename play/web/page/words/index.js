// The words of a table: messages with arguments, and the languages that make them text.

import { en } from "../languages/en.js";
import { Speaker, capitalised } from "./message.js";

export { en } from "../languages/en.js";
export { cardArg, rankArg, say } from "./message.js";
export { Names, agentLine, agentTitle, namesOf, seatNames } from "./names.js";
export { describeMove, describePlan, describeTurn } from "./moves.js";
export { question } from "./questions.js";
export { rulesText } from "./rules.js";
export { whyNot } from "./why.js";

/** @import { Catalogue, Message, Part } from "./message.js" */

/** @type {WeakMap<Catalogue, Map<string, Speaker>>} */
const speakers = new WeakMap();

/** @param {Catalogue} catalogue @param {"sign" | "name" | "code"} cards */
function speaker(catalogue, cards) {
  const known = speakers.get(catalogue) ?? new Map();
  speakers.set(catalogue, known);
  const found = known.get(cards) ?? new Speaker(catalogue, en, cards);
  known.set(cards, found);
  return found;
}

/** A message as text: "Counter takes 7♦ with the 7♠". @param {Catalogue} catalogue @param {Message} message
 * @param {"sign" | "name" | "code"} [cards] 7♦, 7 of diamonds or 7D */
export function format(catalogue, message, cards = "sign") {
  return parts(catalogue, message, cards)
    .map(({ text }) => text)
    .join("");
}

/** The same to be read aloud: "Counter takes 7 of diamonds with the 7 of spades". @param {Catalogue} catalogue @param {Message} message */
export const speak = (catalogue, message) => format(catalogue, message, "name");

/** The same in parts, its cards and seats apart, to be drawn. @param {Catalogue} catalogue @param {Message} message
 * @param {"sign" | "name" | "code"} [cards] @returns {Part[]} */
export function parts(catalogue, message, cards = "sign") {
  return capitalised(speaker(catalogue, cards).parts(message), catalogue.locale);
}
