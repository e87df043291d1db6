// The graph of a game: the points of the sides over time, and below them the cost of each decision.

import { drawn, h } from "./dom.js";
import { decimal, t } from "./text.js";

/** @import { TimeLine } from "./table/replay.js" */
/** @import { Verdict } from "./table/shapes.js" */

const WIDE = 480, POINTS = 90, COSTS = 60, GAP = 14;
const LEAST = 2; // least range of the axes, in points, so that small losses look small

/** @param {TimeLine} line @param {Verdict[]} found @param {number} step the step on the table
 * @param {(step: number) => unknown} go */
export function graph(line, found, step, go) {
  const { stops } = line, last = Math.max(1, stops.length - 1), [yours, others] = line.scores();
  const x = (/** @type {number} */ at) => (at / last) * WIDE;
  const at = (/** @type {number} */ wanted) => Math.max(0, stops.findLastIndex((stop) => stop <= wanted));
  const most = Math.max(LEAST, ...yours, ...others);
  const path = (/** @type {number[]} */ points) => points.map((value, k) =>
    `${k ? `H${x(k).toFixed(1)}V` : "M0 "}${(POINTS - (value / most) * (POINTS - 6)).toFixed(1)}`).join("");
  const worst = Math.max(LEAST, ...found.map(({ lost }) => lost)), base = POINTS + GAP;
  const bars = found.filter(({ kind, lost }) => kind === "unsure" || lost > 0).map(({ kind, lost, step: where }) =>
    drawn("rect", { class: kind, x: (x(at(where)) - 3).toFixed(1), y: base, width: 6,
      height: (kind === "unsure" ? 4 : Math.max(4, (lost / worst) * COSTS)).toFixed(1) }));
  const told = t("review.graph", { yours: yours.at(-1) ?? 0, others: others.at(-1) ?? 0,
    cost: decimal(found.filter(({ kind }) => kind === "mistake").reduce((sum, { lost }) => sum + lost, 0)) });
  const onclick = (/** @type {MouseEvent} */ { clientX, currentTarget }) => {
    const { left, width } = /** @type {Element} */ (currentTarget).getBoundingClientRect();
    go(stops[Math.round(Math.min(1, Math.max(0, (clientX - left) / width)) * last)]);
  };
  return h("div", { class: "graph", key: "graph", onclick }, drawn("svg", { viewBox: `0 0 ${WIDE} ${base + COSTS}`,
    role: "img", "aria-label": told }, [
    drawn("line", { class: "base", x1: 0, x2: WIDE, y1: base, y2: base }),
    drawn("path", { class: "theirs", d: path(others) }), drawn("path", { class: "yours", d: path(yours) }), ...bars,
    drawn("line", { class: "here", x1: x(at(step)), x2: x(at(step)), y1: 0, y2: base + COSTS })]),
  h("p", { class: "legend" }, h("span", { class: "yours" }, t("review.graph.yours")),
    h("span", { class: "theirs" }, t("review.graph.others")), h("span", { class: "mistake" }, t("review.graph.cost"))));
}
