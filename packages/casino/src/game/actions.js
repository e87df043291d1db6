/** The action catalogue: 192 micro-actions, the same for every variant, each with a text form (docs/actions.md). */

import { cardName, parseCard, RANKS } from "./cards.js";
import { BLANKS, shortRepr } from "./validate.js";

export const DISCARD = 52;
export const CAPTURE = 104;
export const CAPTURE_HIGH = 156;
export const BUILD = 160;
export const RAISE = 174;
export const END = 188;
export const YES = 189;
export const NO = 190;
export const COUNT_OUT = 191;
export const ACTIONS = 192;
const PLAIN = ["end", "yes", "no", "count out"];

/** @param {number} action */
export function actionText(action) {
  if (!(Number.isInteger(action) && action >= 0 && action < ACTIONS)) {
    throw new Error(`${shortRepr(action)} is not an action; actions are 0 to ${ACTIONS - 1}`);
  }
  if (action < DISCARD) return `card ${cardName(action)}`;
  if (action < CAPTURE) return `discard ${cardName(action - DISCARD)}`;
  if (action < CAPTURE_HIGH) return `capture ${cardName(action - CAPTURE)}`;
  if (action < BUILD) return `capture ${cardName(action - CAPTURE_HIGH)} as ${RANKS.length + 1}`;
  if (action < RAISE) return `build ${action - BUILD + 1}`;
  return action < END ? `raise ${action - RAISE + 1}` : PLAIN[action - END];
}

const BY_TEXT = new Map(Array.from({ length: ACTIONS }, (_, action) => [actionText(action), action]));

/** @param {string} text @returns {number} */
export function parseAction(text) {
  const words = typeof text === "string" ? text.split(BLANKS).filter(Boolean) : [];
  const action = BY_TEXT.get(words.join(" "));
  if (action !== undefined) return action;
  // throws an error that names the wrong card
  if (words.length >= 2 && ["card", "discard", "capture"].includes(words[0])) parseCard(words[1]);
  throw new Error(
    `${shortRepr(text)} is not an action; write card C, discard C, capture C, capture C as 14, build V, raise V, end, yes, no, count out`,
  );
}
