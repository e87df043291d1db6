// Split a result into luck and play, computed when the game is over, and compare it with another player's on the same
// deal.

import { Table, levelsOf, partsOf, playedBy } from "./table/index.js";
import { apart } from "./agents.js";
import { h } from "./dom.js";
import * as store from "./store.js";
import { decimal, plain, say, signed, t } from "./text.js";

/** @import { Kept } from "./store.js" */

/** @param {string} words @param {(number | string)[]} cells @param {string} kind */
const row = (words, cells, kind) =>
  h("tr", { class: kind }, h("th", { scope: "row" }, words), cells.map((cell) => h("td", {}, cell)));

/** Add rows and an explanation to a result's sheet, once they are computed. @param {Kept} kept
 * @param {HTMLElement} sheet */
export async function tellWorth(kept, sheet) {
  const rows = sheet.querySelector(".result tbody"), about = sheet.querySelector(".worth");
  if (!rows || !about) return;
  about.textContent = t("worth.looking");
  const table = Table.load(kept.saved), others = apart();
  try {
    const { average, luck, play, error } = await partsOf(table, await others.of(levelsOf(table.rules)[0].spec));
    rows.append(row(t("worth.luck"), luck.map(signed), "luck"), row(t("worth.play"), play.map(signed), "play"));
    about.textContent = t("worth.about", { average: decimal(average), error: decimal(1.96 * error[0]) });
    const yours = table.rules.side(table.person);
    await store.amend(kept.id, { luck: luck[yours], play: play[yours] });
    if (kept.duplicate) await duplicated(kept, kept.duplicate, others, rows);
  } finally {
    others.close();
  }
}

/** Add the row of another player on the same deal and seat; a placeholder stands there meanwhile. @param {Kept} kept
 * @param {store.Duplicate} duplicate @param {ReturnType<typeof apart>} others @param {Element} rows */
async function duplicated(kept, { by, points }, others, rows) {
  const who = t("worth.duplicate", { who: plain(say(by === "friend" ? "agent.friend" : "level.3")) });
  const told = (/** @type {(number | string)[]} */ cells) => row(who, cells, "duplicate");
  const waiting = told([...rows.querySelectorAll("tr:first-child td")].map(() => "…"));
  rows.append(waiting);
  waiting.replaceWith(told(points ?? (await playedBy(kept.saved.setup, by, others)).points));
}
