// The sheet of settings.

import { choice, h } from "./dom.js";
import { change, settings } from "./settings.js";
import { sheet } from "./sheet.js";
import { click } from "./sound.js";
import { plain, t } from "./text.js";
import { languages } from "./languages/languages.js";

/** @import { Settings } from "./settings.js" */
/** @import { AgentAbout } from "./table/shapes.js" */

/** @param {keyof Settings} name @param {[string, string][]} all values with words */
const select = (name, all) =>
  h("label", {}, t(`set.${name}`),
    choice({ id: `set-${name}` }, all, `${settings[name]}`, (value) => change(name, /** @type {any} */ (value))));

/** @param {keyof Settings} name @param {() => void} [then] */
function check(name, then = () => {}) {
  const turned = (/** @type {any} */ { target }) => {
    change(name, target.checked);
    then();
  };
  const box = h("input", { type: "checkbox", id: `set-${name}`, checked: settings[name] === true, onchange: turned });
  return h("label", { class: "check" }, box, t(`set.${name}`));
}

/** A button to improve the translation. */
const speak = () => ({ words: t("speak"), id: "speak", run: () => {
  setTimeout(async () => (await import("./speak.js")).showSpeaker());
} });

/** @param {AgentAbout[]} advisers agents that can give hints here, besides the judge; empty if no game is open
 * @param {() => void} changed */
export async function showSettings(advisers, changed) {
  /** @type {[string, string][]} */
  const asked = [["", t("set.adviser.judge")]], { language } = settings;
  for (const { spec, title } of advisers) asked.push([spec, plain(title)]);
  await sheet(t("settings"), [
    select("language", languages.map(({ code, name, draft }) => [code, draft ? t("set.draft", { name }) : name])),
    select("theme",
      [["system", t("set.theme.system")], ["light", t("set.theme.light")], ["dark", t("set.theme.dark")]]),
    check("fourColours"),
    select("text", [["1", "100 %"], ["1.25", "125 %"], ["1.5", "150 %"], ["2", "200 %"]]),
    select("hand", [["right", t("set.hand.right")], ["left", t("set.hand.left")]]),
    select("pace", [["slow", t("set.pace.slow")], ["normal", t("set.pace.normal")], ["fast", t("set.pace.fast")]]),
    check("autoEnd"), check("sound", () => click("take")),
    advisers.length ? select("adviser", asked) : null,
    h("p", { class: "keys" }, t("keys.game")), h("p", { class: "keys" }, t("keys.replay")),
  ], language === "en" ? [] : [speak()], t("done"));
  if (settings.language !== language) location.reload(); // all texts change
  changed();
}
