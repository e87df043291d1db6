// Puzzles: endings in which the exact solver finds a single best turn. There is a file for each game; a puzzle is a
// seed and the actions so far (tools/puzzles.js makes them). Also the puzzle and the deal of the day.

import { Game } from "../casino/src/game/game.js";
import { use } from "../casino/src/kernels/kernels.js";
import { bytesOf } from "./code.js";
import { TableError } from "./setup.js";

/** @import { Fact } from "../words/facts.js" */
/** The theme of a best turn, the rarest first.
 * @typedef {"raise" | "steal" | "defend" | "build" | "take" | "discard"} Theme */
/** @typedef {[seed: number, played: string, theme: Theme, rating: number]} Puzzle rating: difficulty, on the scale of
 *   the players' ratings */
/**
 * @typedef {object} PuzzleFile
 * @property {string} format
 * @property {number} rulesVersion
 * @property {string} variant
 * @property {number} players
 * @property {Puzzle[]} puzzles
 */
/** The numbers of puzzles by game and theme, and the ratings of the levels, easy to strong.
 * @typedef {{ levels: number[], games: { [variant: string]: { [theme: string]: number } } }} PuzzleIndex */

export const PUZZLES = "casino-puzzles 2";
const DAY = 86_400_000;

/** Read a file of puzzles; throw if its rules version differs. @param {any} data @returns {PuzzleFile} */
export function readPuzzles(data) {
  if (data?.format !== PUZZLES || !Array.isArray(data.puzzles)) throw new TableError("error.puzzles");
  if (data.rulesVersion !== use().constant("rules", "RULES_VERSION")) throw new TableError("error.puzzles");
  return data;
}

/** The game of a puzzle, at its position. @param {PuzzleFile} file @param {number} number */
export function gameOf({ variant, players, puzzles }, number) {
  const [seed, played] = puzzles[number], game = new Game(variant, players, seed, { skipForced: false });
  for (const action of bytesOf(played)) game.apply(action);
  return game;
}

/** The position, theme and rating of a puzzle. @param {PuzzleFile} file @param {number} number */
export function puzzleAt(file, number) {
  const [, , theme, rating] = file.puzzles[number], game = gameOf(file, number);
  return { position: game.toJson(), seat: game.seat, theme, rating };
}

/** @type {[Theme, (fact: Fact, seat: number) => boolean][]} */
const THEMES = [
  ["raise", (fact) => fact.do === "raise"],
  ["steal", ({ groups = [], sets = [], piles = [] }, seat) => piles.length > 0
    || [...groups, ...sets].flat().some(({ from }) => from >= 0 && from !== seat)],
  ["defend", ({ builds = [] }, seat) => builds.some(({ owner }) => owner !== seat)],
  ["build", (fact) => ["begin", "build", "add"].includes(fact.do)],
  ["take", (fact) => fact.do === "capture"],
];

/** @type {Theme[]} */
export const THEME_NAMES = [...THEMES.map(([name]) => name), "discard"];

/** The theme of a turn. defend: it takes a build of another seat. @param {Fact[]} facts of its moves
 * @param {number} seat whose turn it is @returns {Theme} */
export const themeOf = (facts, seat) =>
  THEMES.find(([, is]) => facts.some((fact) => is(fact, seat)))?.[0] ?? "discard";

// --- of the day ------------------------------------------------------------------------------------------------------

/** Days since 1970-01-01, in local time. @param {Date} date */
export const dayNumber = (date) => Math.floor((date.getTime() - date.getTimezoneOffset() * 60_000) / DAY);

/** The number of puzzles of a game. @param {PuzzleIndex} index @param {string} variant */
export const puzzleCount = ({ games }, variant) => Object.values(games[variant]).reduce((sum, n) => sum + n, 0);

/** The next puzzle: of those not tried yet, the nearest to the player's rating; null if there is none.
 * @param {PuzzleFile} file @param {{ [number: number]: boolean }} tried @param {number} rating
 * @param {string} [theme] only puzzles of this theme */
export function nextPuzzle({ puzzles }, tried, rating, theme = "") {
  const far = (/** @type {number} */ number) => Math.abs(puzzles[number][3] - rating);
  const left = [...puzzles.keys()].filter((number) => !(number in tried) && (!theme || puzzles[number][2] === theme));
  return left.length ? left.reduce((one, other) => (far(other) < far(one) ? other : one)) : null;
}

/** The puzzle of a day: of the game `mine`, or of a different game each day; each game's puzzles come in order.
 * @param {PuzzleIndex} index @param {Date} date @param {string} [mine] */
export function puzzleOfTheDay(index, date, mine = "") {
  const games = mine in index.games ? [mine] : Object.keys(index.games).sort();
  const day = dayNumber(date), variant = games[day % games.length];
  return { variant, number: Math.floor(day / games.length) % puzzleCount(index, variant) };
}

/** The deal of a day: the same cards for everybody. @param {string[]} games @param {Date} date */
export function dealOfTheDay(games, date) {
  const day = dayNumber(date);
  return { variant: games[day % games.length], seed: 1_000_000 + day };
}

/** The id under which the deal of a day is stored. @param {number} day @param {string} variant */
export const idOfDay = (day, variant) => `day-${day}-${variant}`;

/** The day of such an id; null for other ids. @param {string} id */
export function dayOfId(id) {
  const [, day] = /^day-(\d+)-/.exec(id) ?? [];
  return day ? Number(day) : null;
}

/** The length of the current streak, in active days: single missed days do not end it, two in a row do.
 * @param {number[]} days active days @param {number} today */
export function streakOf(days, today) {
  const all = [...new Set(days)].filter((day) => day <= today).sort((one, other) => other - one);
  let last = today, length = 0;
  for (const day of all) {
    if (last - day > 2) break;
    last = day;
    length += 1;
  }
  return length;
}
