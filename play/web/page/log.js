// Draw the log, turn by turn, and hints.

import { draw, h } from "./dom.js";
import { said, t } from "./text.js";

/** @import { Line, Hint, HintRow } from "./table/shapes.js" */

/** @param {Element} list @param {Line[]} log @param {number} [now] number of the next event
 * @param {(event: number) => void} [go] */
export function drawLog(list, log, now = -1, go) {
  const length = list.childElementCount, current = log.findIndex(({ first, next }) => now >= first && now < next);
  draw(list, log.map((line, at) => h("li",
    { class: `${line.seat < 0 ? "deal" : `by-${line.seat}`} ${at === current ? "now" : ""}`, key: `line-${at}` },
    go ? h("button", { class: "line", onclick: () => go(line.first) }, said(line.words)) : said(line.words),
    line.ended?.left && h("p", {}, said(line.ended.left)))));
  const wanted = list.querySelector(".now");
  if (wanted instanceof HTMLElement) list.scrollTop = wanted.offsetTop - list.clientHeight / 2;
  else if (log.length !== length) list.scrollTop = list.scrollHeight;
}

const MOST_ROWS = 6;

/** @param {HTMLElement} box @param {Hint | null} hint */
export function drawHint(box, hint) {
  box.hidden = !hint;
  draw(box, hint && hintRows(hint));
}

/** @param {Hint} hint */
export function hintRows(hint) {
  const rows = hint.rows.slice(0, MOST_ROWS);
  return [
    h("p", {}, said({ key: "hint.title", args: { agent: hint.agent, turn: hint.words } })),
    hint.value && h("p", { class: "value" }, said(hint.value)),
    ...rows.map((row) => h("div", { class: `row ${row.best ? "best" : ""}` }, said(row.words),
      h("span", { class: "worth" }, worth(row)),
      h("span", { class: "bar", style: `width: ${Math.round(100 * row.share)}%`,
        title: t("share", { percent: Math.round(100 * row.share) }) }))),
  ];
}

/** @param {HintRow} row */
function worth(row) {
  if (row.value === null) return t("share", { percent: Math.round(100 * row.share) });
  const args = { value: row.value < 0 ? "minus" : "plus", points: Math.abs(row.value), error: row.error };
  return said({ key: row.error ? "hint.row.error" : "hint.row.value", args });
}
