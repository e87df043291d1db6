// What an agent would do, and what it expects.

import { draw, h } from "./dom.js";
import { said, t } from "./text.js";

const MOST_ROWS = 6;

/** @import { Hint, HintRow } from "./table/shapes.js" */

/** @param {HTMLElement} box @param {Hint | null} hint */
export function drawHint(box, hint) {
  box.hidden = !hint;
  if (!hint) return draw(box);
  const rows = hint.rows.slice(0, MOST_ROWS);
  draw(box,
    h("p", {}, said({ key: "hint.title", args: { agent: hint.agent, turn: hint.words } })),
    hint.value && h("p", { class: "value" }, said(hint.value)),
    rows.map((row) => h("div", { class: `row ${row.best ? "best" : ""}` }, said(row.words), h("span", { class: "worth" }, worth(row)),
      h("span", { class: "bar", style: `width: ${Math.round(100 * row.share)}%`, title: t("share", { percent: Math.round(100 * row.share) }) }))));
}

/** @param {HintRow} row */
function worth(row) {
  if (row.value === null) return t("share", { percent: Math.round(100 * row.share) });
  const args = { value: row.value < 0 ? "minus" : "plus", points: Math.abs(row.value), error: row.error };
  return said({ key: row.error ? "hint.row.error" : "hint.row.value", args });
}
