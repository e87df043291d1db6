// The translation sheet: a speaker checks all texts of a language beside the English, with a picture of each place and
// missing texts first. Changes stay in this browser and reach the project as a file, which tools/speak.js puts into the
// catalogue.

import { en } from "./languages/en.js";
import { SAME, languages } from "./languages/languages.js";
import { h } from "./dom.js";
import { local } from "./local.js";
import { here } from "./places.js";
import { settings } from "./settings.js";
import { sheet } from "./sheet.js";
import { download } from "./store.js";
import { t } from "./text.js";
import { argumentsOf } from "./words/message.js";

/** @import { Catalogue } from "./words/message.js" */
/** Texts that were written here, and keys of texts that were confirmed.
 * @typedef {{ texts: { [key: string]: string }, right: string[] }} Written */

/** @type {Catalogue} */
const english = en;

// Places: name of the picture in pictures/, key of the title, pattern. A key belongs to the first pattern that it fits.
/** @type {[string, string, RegExp][]} */
const PLACES = [
  ["home", "games", /^(game|kind|sitting)\b|^page\.(home|store|offline|statistics|progress|deal|update|loading)/],
  ["new", "new", /^(switch|switches|refused|agent|level)\b|^page\.new/],
  ["lesson", "lesson", /^(lesson|board)\b|^page\.(lesson|lessons|tour)\b/],
  ["rules", "rules", /^(rules|rule|points|aim)\b|^page\.rules/],
  ["result", "after.result", /^(sheet|goal|match)\b|^page\.(result|after|worth|share\.)/],
  ["review", "after.review", /^(review|hint)\b|^page\.(review|replay|past|record|try)/],
  ["puzzles", "puzzles", /^look\b|^page\.(puzzle|puzzles|theme)\b/],
  ["settings", "settings", /^page\.(set|keys|speak)\b/],
  ["friends", "live.invite", /^link\b|^page\.(live|link|challenge|pass)\b/],
  ["table", "label.table", /^(?!error)/],
  ["", "new.others", /./],
];

/** @param {any} data @returns {Written} */
const read = (data) => ({ texts: {}, right: [], ...data });

/** What is wrong with a template; null where nothing is. @param {string} key @param {string} text */
function wrongWith(key, text) {
  const names = argumentsOf(english[key]);
  try {
    const used = argumentsOf(text);
    const fits = used.every((name) => names.includes(name))
      && names.every((name) => name === "n" || used.includes(name));
    return fits ? null : t("speak.names", { names: names.map((name) => `{${name}}`).join(" ") || "–" });
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/** @param {Catalogue} words @param {string} key */
const lacks = (words, key) => !(key in words) && !SAME.test(key);

export async function showSpeaker() {
  const { code, name } = languages.find((each) => each.code === settings.language) ?? languages[0];
  /** @type {Catalogue} */
  const words = (await import(`./languages/${code}.js`)).words, { now, keep } = local(`casino-words-${code}`, read);
  const keys = Object.keys(english).filter((key) => key !== "locale");
  const missing = (/** @type {string[]} */ some) => some.filter((key) => lacks(words, key) && !now.texts[key]).length;
  const places = PLACES.map(([picture, title]) => ({ picture, title, keys: /** @type {string[]} */ ([]) }));
  for (const key of keys) places[PLACES.findIndex(([, , pattern]) => pattern.test(key))].keys.push(key);
  places.sort((a, b) => missing(b.keys) - missing(a.keys));
  const file = () => JSON.stringify({ format: "casino-words 1", language: code, ...now }, null, 1);
  await sheet(t("speak.of", { name }), [
    h("p", {}, t("speak.about", { missing: missing(keys), all: keys.length })),
    h("div", { class: "speak" }, places.map((each) => place(each, words, now, keep, missing(each.keys))))], [
    { words: t("speak.file"), id: "speak-file", run: () => {
      download(file(), `casino-${code}.json`);
      return true;
    } }]);
}

/** A place, whose texts are drawn when it is opened. @param {{ picture: string, title: string, keys: string[] }} each
 * @param {Catalogue} words @param {Written} now @param {() => void} keep @param {number} missing */
function place({ picture, title, keys }, words, now, keep, missing) {
  const all = h("div", {}), seen = () => (keys.every((key) => now.right.includes(key)) ? " ✓" : "");
  const summary = h("summary", {}, t(title), missing ? ` · ${t("speak.missing", { n: missing })}` : seen());
  const right = () => {
    now.right = [...new Set([...now.right, ...keys])];
    keep();
    summary.textContent = t(title) + seen();
  };
  const open = (/** @type {Event} */ event) => {
    if (!(/** @type {HTMLDetailsElement} */ (event.target).open) || all.childElementCount) return;
    const sorted = [...keys].sort((a, b) => Number(lacks(words, b)) - Number(lacks(words, a)));
    if (picture) all.append(h("img", { src: here(`pictures/${picture}.png`).href, alt: t("speak.place") }));
    all.append(...sorted.map((key) => row(key, words, now, keep)), h("button", { type: "button", onclick: right },
      t("speak.right")));
  };
  return h("details", { ontoggle: open, "data-place": title }, summary, all);
}

/** @param {string} key @param {Catalogue} words @param {Written} now @param {() => void} keep */
function row(key, words, now, keep) {
  const wrong = h("span", { class: "error", role: "alert" }), lines = Math.ceil(english[key].length / 60);
  const text = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: Math.min(6, lines), lang: words.locale,
    "data-words": key, "aria-label": english[key], oninput: () => {
    wrong.textContent = text.value ? wrongWith(key, text.value) ?? "" : "";
    delete now.texts[key];
    if (text.value && !wrong.textContent && text.value !== words[key]) now.texts[key] = text.value;
    keep();
  } }));
  text.value = now.texts[key] ?? words[key] ?? "";
  return h("div", { class: `words ${lacks(words, key) ? "lacking" : ""}` },
    h("p", { lang: "en" }, english[key], " ", h("small", {}, key)), text, wrong);
}
