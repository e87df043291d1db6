// Puzzles on the page: their files are fetched when they are wanted, and which were found is kept in this browser.

import { exerciseTable, puzzleAt, puzzleOfTheDay, readPuzzles } from "./table/index.js";
import { h } from "./dom.js";
import { ExerciseView } from "./exercise.js";
import { ladder } from "./opponents.js";
import { here } from "./places.js";
import { sheet, toast } from "./sheet.js";
import { settings } from "./settings.js";
import * as store from "./store.js";
import { plain, say, t, wrong } from "./text.js";

/** @import { PuzzleIndex } from "./table/puzzles.js" */

const SECONDS = 20; // the solver ends far sooner

/** @param {string} name @returns {Promise<any>} */
async function file(name) {
  const response = await fetch(here(`puzzles/${name}.json`));
  if (!response.ok) throw new Error(t("puzzle.none"));
  return response.json();
}

/** @returns {Promise<PuzzleIndex>} */
const index = () => file("index");

/** The first that has not been tried. @param {string} variant @param {number} count */
function nextOf(variant, count) {
  const tried = store.puzzles()[variant] ?? {}, all = Array.from({ length: count }, (_, number) => number);
  return all.find((number) => !(number in tried)) ?? 0;
}

/** The address of one. @param {string} variant @param {number} number */
const place = (variant, number) => `puzzle=${variant}.${number + 1}`;

/** Today's, for whoever opens the page today. */
export async function todays() {
  const { variant, number } = puzzleOfTheDay(await index(), new Date(), settings.game);
  return place(variant, number);
}

/** A list of games with puzzles. */
export async function showPuzzles() {
  const rows = Object.entries(await index()).map(([variant, count]) => {
    const tried = Object.values(store.puzzles()[variant] ?? {});
    return h("li", {}, h("a", { class: "game", href: `#${place(variant, nextOf(variant, count))}`, "data-puzzles": variant },
      h("strong", {}, plain(say(`game.${variant}`))),
      h("span", {}, t("puzzle.tried", { tried: tried.length, of: count, solved: tried.filter(Boolean).length }))));
  });
  sheet(t("puzzles"), [h("p", {}, t("puzzle.about")), h("ul", { class: "games" }, rows)]);
}

/** @param {string} id such as swazi.12, counted from 1
 * @param {{ rules: () => void, moved: (id: string) => void }} page */
export async function puzzleView(id, page) {
  const [variant, text] = id.split("."), data = readPuzzles(await file(variant)), { players, puzzles } = data;
  const at = Math.min(Math.max(0, Number(text ?? 1) - 1), puzzles.length - 1),
    against = ladder(variant, players)[2].spec;
  /** @param {number} number */
  const exercise = (number) => {
    const { position, seat, rating } = puzzleAt(data, number);
    const specs = Array.from({ length: players }, (_, other) => (other === seat ? "you" : against));
    const task = [h("p", {}, t("puzzle.task")), h("p", {}, t("puzzle.rating", { rating }))];
    return { table: () => exerciseTable(position, specs, true), task, how: { seconds: SECONDS } };
  };
  return new ExerciseView({ count: puzzles.length, at: exercise }, {
    title: t("puzzle.of", { game: plain(say(`game.${variant}`)) }), leave: "#", rules: page.rules,
    others: () => showPuzzles().catch((error) => toast(wrong(error))),
    moved: (number) => page.moved(`${variant}.${number + 1}`),
    tried: (number, solved) => store.notePuzzles({ [variant]: { [number]: solved } }),
  }, at);
}
