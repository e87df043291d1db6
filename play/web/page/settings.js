// What somebody has chosen for all games on this device: kept by the browser, read anew by every page.

import { local } from "./local.js";

/** @typedef {object} Settings
 * @property {"system" | "light" | "dark"} theme
 * @property {boolean} fourColours diamonds blue and clubs green
 * @property {"1" | "1.25" | "1.5" | "2"} text how large it is, in sizes of the browser's
 * @property {"right" | "left"} hand that holds the device: the controls are on its side
 * @property {"slow" | "normal" | "fast"} pace
 * @property {boolean} autoEnd a turn ends by itself when nothing else is left
 * @property {boolean} sound
 * @property {string} adviser spec of the agent that gives hints; "" for the one that reviews
 * @property {string} language code of words/languages.js
 * @property {number} level of the opponents that were chosen last, 0 to 3
 * @property {string} game that was dealt last; "" for somebody new
 */

/** @type {Settings} */
const USUAL = { theme: "system", fourColours: false, text: "1", hand: "right", pace: "normal", autoEnd: true,
  sound: false, adviser: "", language: "en", level: 1, game: "" };
const PACES = { slow: 1500, normal: 800, fast: 150 };

/** @type {{ [name: string]: unknown[] }} */
const CHOICES = { theme: ["system", "light", "dark"], text: ["1", "1.25", "1.5", "2"],
  hand: ["right", "left"], pace: Object.keys(PACES), level: [0, 1, 2, 3] };

const kept = local("casino-settings", read);
export const settings = kept.now;

/** What is kept, as far as it can be a setting. @param {any} kept @returns {Settings} */
function read(kept) {
  const fits = (/** @type {string} */ name, /** @type {unknown} */ usual) =>
    typeof kept?.[name] === typeof usual && (CHOICES[name]?.includes(kept[name]) ?? true);
  return /** @type {Settings} */ (Object.fromEntries(Object.entries(USUAL).map(([name, usual]) =>
    [name, fits(name, usual) ? kept[name] : usual])));
}

/** @template {keyof Settings} K @param {K} name @param {Settings[K]} value */
export function change(name, value) {
  settings[name] = value;
  kept.keep();
  show();
}

/** Milliseconds of a move; `?pace=0` in the address for tests. */
export function pace() {
  const asked = new URLSearchParams(location.search).get("pace");
  return asked === null ? PACES[settings.pace] ?? PACES.normal : Number(asked);
}

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** No motion is wanted. */
export const still = () => stillness.matches || !(pace() > 0);

/** What the style goes by; theme.js does the same before the first frame. */
export function show() {
  const { theme, fourColours, text, hand } = settings;
  Object.assign(document.documentElement.dataset, { theme, colours: fourColours ? "four" : "two", size: text, hand });
}
