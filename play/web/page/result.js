// The result of a deal as a table of sides, and the end of a game.

import { $, h } from "./dom.js";
import { celebrate } from "./motion.js";
import { still } from "./settings.js";
import { sheet } from "./sheet.js";
import { click } from "./sound.js";
import * as store from "./store.js";
import { cardFace } from "./cards.js";
import { plain, said, t } from "./text.js";
import { tellWorth } from "./worth.js";

/** @import { Seen, Sheet } from "./table/shapes.js" */

/** @param {Sheet} ended */
function resultTable(ended) {
  const { sides, rows, points, counts, match } = ended;
  let told = 0; // rows so far: they appear one after the other
  /** @param {Node | string} name @param {(number | string)[]} cells @param {string} [kind] */
  const row = (name, cells, kind = "") =>
    h("tr", { class: kind, style: `--row: ${told++}` }, h("th", { scope: "row" }, name),
      cells.map((cell) => h("td", {}, cell)));
  return h("table", { class: "result" },
    h("thead", {}, h("tr", {}, h("td", {}),
      sides.map(({ name, you }) => h("th", { scope: "col", class: you ? "you" : null }, plain(name))))),
    h("tbody", {},
      rows.map(({ words, points: each }) => row(said(words), each)),
      row(t("result.points"), points, "sum"),
      match && row(plain(match.goal),
        match.after.map((after, side) => `${after} (${match.before[side]} + ${after - match.before[side]})`), "match"),
      counts.map(({ words, counts: each }) => row(said(words), each, "captured"))));
}

const COUNT = 1800; // milliseconds in which the largest pile is counted

/** Count up each side's captured cards, card by card; without motion, show all at once. @param {Sheet} ended */
function pilesCounted({ sides, piles }) {
  const most = Math.max(1, ...piles.map(({ length }) => length)), step = COUNT / most;
  const numbers = piles.map(({ length }) => h("strong", {}, still() ? length : 0));
  if (!still()) {
    const ticks = setInterval(() => {
      const done = numbers.filter((number, side) => {
        number.textContent = `${Math.min(piles[side].length, Number(number.textContent) + 1)}`;
        return Number(number.textContent) === piles[side].length;
      });
      if (done.length === numbers.length || !numbers[0].isConnected) clearInterval(ticks);
    }, step);
  }
  return h("div", { class: "counting", "aria-hidden": "true" }, sides.map(({ name }, side) =>
    h("div", {}, h("p", {}, plain(name), " ", numbers[side]),
      h("div", { class: "counted", style: `--n: ${piles[side].length}` }, piles[side].map((card, at) => {
        const made = cardFace(card);
        made.style.animationDelay = `${step * at}ms`;
        return made;
      })))));
}

/** @param {Sheet} ended */
const body = (ended) => [pilesCounted(ended), resultTable(ended), h("p", { class: "worth about", role: "status" }),
  ended.left && h("p", {}, said(ended.left))];

/** Show the result between two deals of a match. @param {Sheet} ended */
export const showDeal = (ended) => sheet(t("result.deal", { deal: ended.deal, verdict: plain(ended.verdict) }),
  body(ended), [], t("result.next"));

/** @param {store.Kept} kept @param {Seen} seen @param {[string, () => void][]} afterwards */
export function showOver(kept, seen, afterwards) {
  const ended = /** @type {Sheet} */ (seen.sheet), yours = ended.sides.findIndex(({ you }) => you),
    won = ended.winners.includes(yours);
  const crown = won ? h("p", { class: "crown", "aria-hidden": "true" },
    h("span", { class: "prize" }, ["TD", "AS", "2S"].map((card) => cardFace(card)))) : null;
  sheet(plain(ended.verdict), [crown, ...body(ended)],
    afterwards.filter(([id]) => id !== "result")
      .map(([id, run]) => ({ words: t(`after.${id}`), id: `after-${id}`, run })));
  tellWorth(kept, $("sheet")).catch(() => {}); // the person has left: computed again the next time
  if (won) {
    click("win");
    celebrate();
  }
}

/** Store the verdict and, once, the result of a finished game. @param {store.Kept} kept @param {Seen} seen */
export async function noteOver(kept, seen) {
  const ended = /** @type {Sheet} */ (seen.sheet), yours = ended.sides.findIndex(({ you }) => you);
  kept.over = true;
  kept.how = ended.verdict;
  await store.keep(kept);
  const { variant, rules, seats, position } = kept.saved.setup;
  // do not count games begun from a position, shared by several people, played as a lesson, or played elsewhere
  if (position || yours < 0 || seats.includes("person") || kept.lesson || kept.elsewhere) return;
  const totals = ended.match?.after ?? ended.points;
  if ((await store.results()).some(({ id }) => id === kept.id)) return;
  await store.count({
    id: kept.id, when: Date.now(), variant, match: ended.match !== null, house: Object.keys(rules).length > 0,
    against: seats.filter((spec) => spec !== "you").sort(),
    won: ended.winners.includes(yours), own: totals[yours],
    best: Math.max(...totals.filter((_, side) => side !== yours)),
  });
}
