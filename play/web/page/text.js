// Words on the page: messages, made text by one speaker.

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

/** The language that was chosen, before anything is said; where it cannot be fetched, English. */
export async function learn() {
  const wanted = languages.find(({ code }) => code === settings.language && code !== "en");
  if (!wanted) return;
  try {
    catalogue = (await import(`./languages/${wanted.code}.js`)).words;
  } catch { // without a network, and never loaded before
    return;
  }
  signs = new Speaker(catalogue, english);
  names = new Speaker(catalogue, english, "name");
  document.documentElement.lang = catalogue.locale;
}

export { say };

/** A text of the page's own. @param {string} key @param {{ [name: string]: any }} [args] */
export const t = (key, args) => signs.parts(say(`page.${key}`, args)).map(({ text }) => text).join("");

/** @param {Message} message */
const begun = (message) => capitalised(signs.parts(message), catalogue.locale);

/** As text, with a large letter first. @param {Message} message */
export const plain = (message) => textOf(signs, message);

/** To be read aloud. @param {Message} message */
export const spoken = (message) => textOf(names, message);

/** As an element, with its cards drawn and seats set off. Cards are text too, so that copies keep their suits.
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

/** Points with one digit. @param {number} value */
export const decimal = (value) => signs.decimal(value);

/** With the sign of plus or minus. @param {number} value */
export const signed = (value) => `${value < 0 ? "−" : "+"}${decimal(Math.abs(value))}`;

/** With two digits, and the sign of minus. @param {number} value */
export const decimals = (value) =>
  value.toLocaleString(catalogue.locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).replace("-", "−");

/** Something could not be fetched; each browser has its own words for that. @param {unknown} error */
export const isOffline = (error) =>
  error instanceof Error && /Failed to fetch|NetworkError|Load failed/.test(error.message);

/** What went wrong, in words. @param {unknown} error */
export function wrong(error) {
  if (isOffline(error)) return t("offline.none");
  const words = /** @type {{ words?: Message }} */ (error)?.words;
  return words ? plain(words) : error instanceof Error ? error.message : `${error}`;
}
