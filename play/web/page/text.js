// Texts of the page: format messages in the chosen language.

import { en } from "./languages/en.js";
import { capitalised, say, Speaker, textOf } from "./words/message.js";
import { h } from "./dom.js";
import { settings } from "./settings.js";
import { languages } from "./languages/languages.js";

/** @import { Catalogue, Message } from "./words/message.js" */

/** @type {Catalogue} */
const english = en;
let catalogue = english;
let signs = new Speaker(english);
let names = new Speaker(english, english, "name");

/** Load the chosen language, before any text is formatted; if that fails, use English. */
export async function learn() {
  const wanted = languages.find(({ code }) => code === settings.language && code !== "en");
  if (!wanted) return;
  try {
    catalogue = (await import(`./languages/${wanted.code}.js`)).words;
  } catch { // offline, and never loaded before
    return;
  }
  signs = new Speaker(catalogue, english);
  names = new Speaker(catalogue, english, "name");
  document.documentElement.lang = catalogue.locale;
}

export { say };

/** A text of the page itself. @param {string} key @param {{ [name: string]: any }} [args] */
export const t = (key, args) => signs.parts(say(`page.${key}`, args)).map(({ text }) => text).join("");

/** @param {Message} message */
const begun = (message) => capitalised(signs.parts(message), catalogue.locale);

/** Format as text with a capital first letter. @param {Message} message */
export const plain = (message) => textOf(signs, message);

/** Format for screen readers. @param {Message} message */
export const spoken = (message) => textOf(names, message);

/** Format as an element with drawn cards and bold seats. Cards are text too, so that copied text has their suits.
 * @param {Message} message */
export function said(message) {
  return h("span", { class: "said" }, begun(message).map(({ text, card, seat }) => {
    if (card !== undefined)
      return h("span", { class: `inline ${inkOf(card)}`, role: "img", "aria-label": cardName(card) }, signs.card(card));
    return seat === undefined ? text : h("strong", {}, text);
  }));
}

/** @param {string} card */
export const cardName = (card) => names.card(card);

/** @param {string} card */
export const inkOf = (card) => `suit-${card[1]}`;

/** Format with one decimal place. @param {number} value */
export const decimal = (value) => signs.decimal(value);

/** With the sign of plus or minus. @param {number} value */
export const signed = (value) => `${value < 0 ? "−" : "+"}${decimal(Math.abs(value))}`;

/** Format with two decimal places and a proper minus sign. @param {number} value */
export const decimals = (value) =>
  value.toLocaleString(catalogue.locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).replace("-", "−");

/** Whether an error is a failed fetch, by the messages of different browsers. @param {unknown} error */
export const isOffline = (error) =>
  error instanceof Error && /Failed to fetch|NetworkError|Load failed/.test(error.message);

/** The message of an error, in the chosen language if possible. @param {unknown} error */
export function wrong(error) {
  if (isOffline(error)) return t("offline.none");
  const words = /** @type {{ words?: Message }} */ (error)?.words;
  return words ? plain(words) : error instanceof Error ? error.message : `${error}`;
}
