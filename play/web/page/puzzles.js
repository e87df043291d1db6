// Puzzles on the page. Their files are fetched on demand; results are stored in this browser.

import { THEME_NAMES, UNSURE, exerciseTable, games, nextPuzzle, puzzleAt, puzzleCount, puzzleOfTheDay, rate,
  readPuzzles } from "./table/index.js";
import { choice, h } from "./dom.js";
import { ExerciseView } from "./exercise.js";
import { ladder } from "./opponents.js";
import { fetchJson } from "./places.js";
import { sheet, told } from "./sheet.js";
import { settings } from "./settings.js";
import * as store from "./store.js";
import { plain, say, t } from "./text.js";

/** @import { PuzzleIndex } from "./table/puzzles.js" */

const SECONDS = 20; // time limit; the solver needs far less
const DEVIATION = 80; // of a puzzle's rating, which forty-eight tries measured

/** @param {string} name */
const file = (name) => fetchJson(`puzzles/${name}.json`, t("puzzle.none"));

/** @returns {Promise<PuzzleIndex>} */
const index = () => file("index");

/** The address of a puzzle. @param {string} variant @param {number} number */
const place = (variant, number) => `puzzle=${variant}.${number + 1}`;

/** The address of today's puzzle. */
export async function todays() {
  const { variant, number } = puzzleOfTheDay(await index(), new Date(), settings.game);
  return place(variant, number);
}

/** The person's rating in words; with a question mark while it is uncertain. */
export function rated() {
  const { rating, deviation } = store.rating();
  return t("puzzle.own", { rating: Math.round(rating), sure: `${deviation < UNSURE}` });
}

/** The ratings of the levels; empty if they cannot be fetched. */
export const levelRatings = () => index().then(({ levels }) => levels, () => []);

/** Show the games with puzzles, and a choice of themes. @param {string} [theme] */
export async function showPuzzles(theme = "") {
  const all = await index(), themes = ["", ...THEME_NAMES], has = (/** @type {string} */ name) =>
    all.games[name] && (!theme || all.games[name][theme]);
  const rows = games().map(({ name }) => name).filter(has).map((variant) => {
    const tried = Object.values(store.puzzles()[variant] ?? {}), of = puzzleCount(all, variant);
    return h("li", {}, h("a", { class: "game", href: `#puzzle=${variant}${theme && `.${theme}`}`, "data-puzzles": variant },
      h("strong", {}, plain(say(`game.${variant}`))),
      h("span", {}, theme ? t("puzzle.some", { n: all.games[variant][theme] })
        : t("puzzle.tried", { tried: tried.length, of, solved: tried.filter(Boolean).length }))));
  });
  const about = choice({ id: "theme" }, themes.map((each) => [each, t(`theme.${each || "all"}`)]), theme,
    (wanted) => told(() => showPuzzles(wanted)));
  sheet(t("puzzles"), [h("p", {}, t("puzzle.about")), h("p", {}, h("strong", {}, rated())),
    h("label", {}, t("theme"), about), h("ul", { class: "games" }, rows)]);
}

/** @param {string} id such as swazi.12, counted from 1; swazi or swazi.steal: the next suitable one
 * @param {{ rules: () => void, moved: (id: string) => void }} page */
export async function puzzleView(id, page) {
  const [variant, text = ""] = id.split("."), data = readPuzzles(await file(variant)), { players, puzzles } = data;
  const theme = THEME_NAMES.find((name) => name === text), against = ladder(variant, players)[2].spec;
  const next = () => nextPuzzle(data, store.puzzles()[variant] ?? {}, store.rating().rating, theme);
  const at = Number(text) ? Math.min(Math.max(1, Number(text)), puzzles.length) - 1 : next() ?? 0;
  /** @param {number} number */
  const exercise = (number) => {
    const { position, seat, rating } = puzzleAt(data, number);
    const specs = Array.from({ length: players }, (_, other) => (other === seat ? "you" : against));
    const task = [h("p", {}, t("puzzle.task")), h("p", {}, t("puzzle.rating", { rating })),
      h("p", { id: "own-rating" }, rated())];
    return { table: () => exerciseTable(position, specs, true), task, how: { seconds: SECONDS } };
  };
  const tried = (/** @type {number} */ number, /** @type {boolean} */ solved) => {
    const [, , about, rating] = puzzles[number], told = t("puzzle.was", { theme: t(`theme.${about}`), rating });
    if (number in (store.puzzles()[variant] ?? {})) return told;
    const before = store.rating(), after = rate(before, [{ rating, deviation: DEVIATION, score: Number(solved) }]);
    const gain = Math.round(after.rating) - Math.round(before.rating);
    store.noteRating(after);
    store.notePuzzles({ [variant]: { [number]: solved } });
    return `${told} ${rated()} (${gain < 0 ? "−" : "+"}${Math.abs(gain)})`;
  };
  const view = new ExerciseView({ count: puzzles.length, at: exercise }, {
    title: t("puzzle.of", { game: plain(say(`game.${variant}`)) }), leave: "#", rules: page.rules,
    others: () => told(() => showPuzzles(theme)),
    moved: (number) => page.moved(`${variant}.${number + 1}`), tried, next,
  }, at);
  if (!Number(text)) page.moved(`${variant}.${at + 1}`);
  return view;
}
