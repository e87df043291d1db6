// The settings for all games on this device, stored by the browser.

import { local } from "./local.js";

/** @typedef {object} Settings
 * @property {"system" | "light" | "dark"} theme
 * @property {boolean} fourColours diamonds blue and clubs green
 * @property {"1" | "1.25" | "1.5" | "2"} text size, relative to the browser's
 * @property {"right" | "left"} hand the hand that holds the device: the controls are on its side
 * @property {"slow" | "normal" | "fast"} pace
 * @property {boolean} autoEnd a turn ends by itself when nothing else is left
 * @property {boolean} sound
 * @property {string} adviser spec of the agent that gives hints; "": the judge
 * @property {string} language a code of languages/languages.js
 * @property {number} level the last chosen level of opponents, 0 to 3
 * @property {string} game the variant that was played last; "": none yet
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

/** The duration of a move, in milliseconds; tests set `?pace=0` in the address. */
export function pace() {
  const asked = new URLSearchParams(location.search).get("pace");
  return asked === null ? PACES[settings.pace] ?? PACES.normal : Number(asked);
}

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** No motion is wanted. */
export const still = () => stillness.matches || !(pace() > 0);

/** Set the attributes that style sheets depend on; theme.js does the same before the first frame. */
export function show() {
  const { theme, fourColours, text, hand } = settings;
  Object.assign(document.documentElement.dataset, { theme, colours: fourColours ? "four" : "two", size: text, hand });
}
