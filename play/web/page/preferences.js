// The sheet of settings, and the buttons of the head that show some of them.

import { h } from "./dom.js";
import { change, settings } from "./settings.js";
import { sheet } from "./sheet.js";
import { click } from "./sound.js";
import { plain, t } from "./text.js";

/** @typedef {import("./settings.js").Settings} Settings */

/** @param {keyof Settings} name @param {[string, string][]} all values with words */
function select(name, all) {
  const made = /** @type {HTMLSelectElement} */ (h("select", { id: `set-${name}`, onchange: () => change(name, /** @type {any} */ (made.value)) }, all.map(([value, words]) => h("option", { value }, words))));
  made.value = `${settings[name]}`;
  if (made.selectedIndex < 0) made.selectedIndex = 0;
  return h("label", {}, t(`set.${name}`), made);
}

/** @param {keyof Settings} name @param {() => void} [then] */
function check(name, then = () => {}) {
  const made = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: `set-${name}`, checked: settings[name] === true, onchange: () => {
    change(name, /** @type {any} */ (made.checked));
    then();
  } }));
  return h("label", { class: "check" }, made, t(`set.${name}`));
}

/** @param {import("./opponents.js").AgentAbout[]} advisers who can give hints here beside the judge; none where no game is open
 * @param {() => void} changed */
export async function showSettings(advisers, changed) {
  await sheet(t("settings"), [
    select("theme", [["system", t("set.theme.system")], ["light", t("set.theme.light")], ["dark", t("set.theme.dark")]]),
    check("fourColours"),
    select("pace", [["slow", t("set.pace.slow")], ["normal", t("set.pace.normal")], ["fast", t("set.pace.fast")]]),
    check("autoEnd"), check("sound", () => click("take")),
    advisers.length ? select("adviser", [["", t("set.adviser.judge")], ...advisers.map(({ spec, title }) => /** @type {[string, string]} */ ([spec, plain(title)]))]) : null,
    h("p", { class: "keys" }, t("keys.game")), h("p", { class: "keys" }, t("keys.replay")),
  ], [], t("done"));
  changed();
}
