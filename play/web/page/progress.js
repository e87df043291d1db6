// The person's progress: points lost at a decision, as a curve beside the levels; luck and play.

import { ANCHORS, curveOf, levelName, levelOf, lostOf } from "./table/index.js";
import { drawn, h } from "./dom.js";
import { decimals, plain, say, t } from "./text.js";

/** @import { Result } from "./store.js" */
/** @typedef {Result & { lost: number, decisions: number }} Reviewed */

const WIDE = 480, HIGH = 150, LEFT = 88;
const RECENT = 10; // number of games over which the numbers are averaged

/** @param {number} level */
const nameOf = (level) => plain(level < 0 ? say("level.below") : levelName(level));

/** The reviewed games, oldest first. @param {Result[]} results */
const reviewed = (results) =>
  /** @type {Reviewed[]} */ (results.filter(({ lost, decisions }) => lost !== undefined && decisions))
  .sort((one, other) => (one.when ?? 0) - (other.when ?? 0));

/** @param {number[]} values @param {number[]} anchors of the levels @param {string} told @param {number} [lowest] */
function curve(values, anchors, told, lowest = 0) {
  const most = 1.1 * Math.max(...values, ...anchors), least = Math.min(lowest, ...values);
  const x = (/** @type {number} */ at) => LEFT
    + (values.length > 1 ? (at / (values.length - 1)) * (WIDE - LEFT - 8) : 0);
  const y = (/** @type {number} */ value) => 8 + (1 - (value - least) / (most - least)) * (HIGH - 16);
  const levels = anchors.map((anchor, level) => [
    drawn("line", { class: "level", x1: LEFT, x2: WIDE, y1: y(anchor), y2: y(anchor) }),
    drawn("text", { x: 0, y: y(anchor) + (level === 2 ? 14 : 2) }, [nameOf(level)])]);
  const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const dots = values.map((value, at) => drawn("circle", { cx: x(at), cy: y(value), r: 3.5 }));
  return drawn("svg", { class: "curve", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": told },
    [...levels.flat(), drawn("polyline", { points: points.join(" ") }), ...dots]);
}

/** @param {number[]} values */
const lostCurve = (values) => curve(values, ANCHORS, t("progress.curve",
  { first: decimals(values[0]), last: decimals(/** @type {number} */ (values.at(-1))), n: values.length }));

/** The curve of ratings at puzzles; null before the second puzzle. @param {number[]} past @param {number[]} levels */
export function solving(past, levels) {
  const told = { first: past[0], last: /** @type {number} */ (past.at(-1)), n: past.length };
  return past.length > 1 ? curve(past, levels, t("progress.rating", told), Math.min(...past, ...levels) - 100) : null;
}

/** The person's numbers in a line: points lost at a decision, and the rating at puzzles; "" if there are none.
 * @param {Result[]} results @param {string} puzzles */
export function numbers(results, puzzles) {
  const recent = reviewed(results).slice(-RECENT), lost = lostOf(recent);
  return [recent.length ? t("progress.short", { lost: decimals(lost), level: nameOf(levelOf(lost)) }) : "", puzzles]
    .filter(Boolean).join(" · ");
}

/** @param {Result[]} results @returns {Node[]} */
export function progress(results) {
  const games = reviewed(results), recent = games.slice(-RECENT),
    lucky = results.filter(({ luck }) => luck !== undefined);
  const mean = (/** @type {"luck" | "play"} */ part) =>
    lucky.reduce((sum, each) => sum + (each[part] ?? 0), 0) / lucky.length;
  const lost = lostOf(recent);
  const parts = games.length
    ? [h("p", { id: "one-number" }, t("progress.lost", { lost: decimals(lost), deal: decimals(recent.reduce((sum,
      each) => sum + each.lost, 0) / recent.length), level: nameOf(levelOf(lost)), n: recent.length })),
      lostCurve(curveOf(games))]
    : [h("p", {}, t("progress.none"))];
  if (lucky.length) parts.push(h("p", {},
    t("progress.parts", { luck: decimals(mean("luck")), play: decimals(mean("play")), n: lucky.length })));
  return parts;
}
