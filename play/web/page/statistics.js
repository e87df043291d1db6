// Statistics of the person's finished games, by game and opponents, from this browser only.

import { introduce } from "./table/index.js";
import { h } from "./dom.js";
import { progress, solving } from "./progress.js";
import { levelRatings, rated } from "./puzzles.js";
import { sheet } from "./sheet.js";
import * as store from "./store.js";
import { decimal, plain, say, t } from "./text.js";

/** @typedef {store.Result} Result */

/** Group results by game, rules and opponents, the most frequent first. @param {Result[]} rows */
function grouped(rows) {
  /** @type {Map<string, Result[]>} */
  const groups = new Map();
  for (const row of rows) {
    const key = JSON.stringify([row.variant, row.match, row.house, row.against]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** @param {number[]} numbers */
const mean = (numbers) => decimal(numbers.reduce((sum, number) => sum + number, 0) / numbers.length);

/** @param {Result[]} rows */
function line(rows) {
  const [{ variant, match, house, against }] = rows, names = against.map((spec) => plain(introduce(spec).title));
  const who = [...new Set(names)].map((name) => {
    const often = names.filter((other) => other === name).length;
    return often > 1 ? `${often} × ${name}` : name;
  }).join(", ");
  const cells = [rows.length, rows.filter(({ won }) => won).length, mean(rows.map(({ own }) => own)),
    mean(rows.map(({ best }) => best))];
  const game = [plain(say(`game.${variant}`)), match && t("statistics.match"), house && t("statistics.house")]
    .filter(Boolean).join(", ");
  const head = h("th", { scope: "row" }, game, h("br"), h("span", { class: "of" }, t("statistics.against", { who })));
  return h("tr", {}, head, cells.map((cell) => h("td", {}, cell)));
}

export async function showStatistics() {
  const results = await store.results(), groups = grouped(results);
  const { past } = store.rating(), solved = past.length ? [h("h3", {}, t("puzzles")), h("p", {}, rated()),
    solving(past, await levelRatings())] : [];
  if (!groups.length) return sheet(t("statistics"), [h("p", {}, t("statistics.none")), ...solved]);
  const head = ["game", "played", "won", "own", "best"].map((key) => h("th", { scope: "col" }, t(`statistics.${key}`)));
  let sure = false;
  return sheet(t("statistics"), [h("h3", {}, t("progress")), ...progress(results), ...solved,
    h("h3", {}, t("progress.games")), h("p", { class: "about" }, t("statistics.about")),
    h("table", { id: "statistics" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, groups.map(line)))], [{
    words: t("statistics.clear"), id: "statistics-clear", run: async () => {
      if (!sure) { // the first click asks, the second clears
        sure = true;
        /** @type {HTMLElement} */ (document.getElementById("statistics-clear")).textContent = t("statistics.sure");
        return true;
      }
      await store.clearResults();
      await showStatistics();
      return true;
    },
  }]);
}
