// What has happened, turn by turn, in words.

import { draw, h } from "./dom.js";
import { said } from "./text.js";

/** @import { Line } from "./table/shapes.js" */

/** @param {Element} list @param {Line[]} log @param {number} [now] the event that comes next @param {(event: number) => void} [go] */
export function drawLog(list, log, now = -1, go) {
  const length = list.childElementCount, current = log.findIndex(({ first, next }) => now >= first && now < next);
  draw(list, log.map((line, at) => h("li", { class: `${line.seat < 0 ? "deal" : `by-${line.seat}`} ${at === current ? "now" : ""}`, key: `line-${at}` },
    go ? h("button", { class: "line", onclick: () => go(line.first) }, said(line.words)) : said(line.words),
    line.ended?.left && h("p", {}, said(line.ended.left.words)))));
  const wanted = list.querySelector(".now");
  if (wanted instanceof HTMLElement) list.scrollTop = wanted.offsetTop - list.clientHeight / 2;
  else if (log.length !== length) list.scrollTop = list.scrollHeight;
}
