// Puzzles: endings in which the exact solver knows one best turn. They lie in files, one a game, each a deal by its
// seed and what was played until then; tools/puzzles.js makes them. And what the day gives to everybody.

import { Game } from "../casino/src/game/game.js";
import { use } from "../casino/src/kernels/kernels.js";
import { bytesOf } from "./code.js";
import { TableError } from "./setup.js";

/** @import { Fact } from "../words/facts.js" */
/** What a best turn does, the rarest first.
 * @typedef {"raise" | "steal" | "defend" | "build" | "take" | "discard"} Theme */
/** @typedef {[seed: number, played: string, theme: Theme, rating: number]} Puzzle rating: how hard it is, as those who
 *   solve it are rated */
/**
 * @typedef {object} PuzzleFile
 * @property {string} format
 * @property {number} rulesVersion
 * @property {string} variant
 * @property {number} players
 * @property {Puzzle[]} puzzles
 */
/** How many puzzles there are, by games and themes, and how the levels are rated, easy to strong.
 * @typedef {{ levels: number[], games: { [variant: string]: { [theme: string]: number } } }} PuzzleIndex */

export const PUZZLES = "casino-puzzles 2";
const DAY = 86_400_000;

/** The puzzles of a file; fails for those of other rules. @param {any} data @returns {PuzzleFile} */
export function readPuzzles(data) {
  if (data?.format !== PUZZLES || !Array.isArray(data.puzzles)) throw new TableError("error.puzzles");
  if (data.rulesVersion !== use().constant("rules", "RULES_VERSION")) throw new TableError("error.puzzles");
  return data;
}

/** The game in which a puzzle waits. @param {PuzzleFile} file @param {number} number */
export function gameOf({ variant, players, puzzles }, number) {
  const [seed, played] = puzzles[number], game = new Game(variant, players, seed, { skipForced: false });
  for (const action of bytesOf(played)) game.apply(action);
  return game;
}

/** The position of a puzzle, what it is about, and how hard it is. @param {PuzzleFile} file @param {number} number */
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

/** What a turn is about. defend: it takes what somebody else has built. @param {Fact[]} facts of its moves
 * @param {number} seat whose turn it is @returns {Theme} */
export const themeOf = (facts, seat) =>
  THEMES.find(([, is]) => facts.some((fact) => is(fact, seat)))?.[0] ?? "discard";

// --- what the day gives ----------------------------------------------------------------------------------------------

/** Days since the first of 1970, as the calendar of this place has it. @param {Date} date */
export const dayNumber = (date) => Math.floor((date.getTime() - date.getTimezoneOffset() * 60_000) / DAY);

/** How many a game has. @param {PuzzleIndex} index @param {string} variant */
export const puzzleCount = ({ games }, variant) => Object.values(games[variant]).reduce((sum, n) => sum + n, 0);

/** The one to be tried next: of those that have not been, the nearest to how somebody is rated; null if there is none.
 * @param {PuzzleFile} file @param {{ [number: number]: boolean }} tried @param {number} rating @param {string} [theme]
 * of all that are asked for */
export function nextPuzzle({ puzzles }, tried, rating, theme = "") {
  const far = (/** @type {number} */ number) => Math.abs(puzzles[number][3] - rating);
  const left = [...puzzles.keys()].filter((number) => !(number in tried) && (!theme || puzzles[number][2] === theme));
  return left.length ? left.reduce((one, other) => (far(other) < far(one) ? other : one)) : null;
}

/** Of the game that somebody plays; else every day another game. Of each in turn the next of its puzzles.
 * @param {PuzzleIndex} index @param {Date} date @param {string} [mine] */
export function puzzleOfTheDay(index, date, mine = "") {
  const games = mine in index.games ? [mine] : Object.keys(index.games).sort();
  const day = dayNumber(date), variant = games[day % games.length];
  return { variant, number: Math.floor(day / games.length) % puzzleCount(index, variant) };
}

/** The same cards for everybody who plays the game. @param {string[]} games @param {Date} date */
export function dealOfTheDay(games, date) {
  const day = dayNumber(date);
  return { variant: games[day % games.length], seed: 1_000_000 + day };
}

/** The id of a game of that deal, by which it is found again. @param {number} day @param {string} variant */
export const idOfDay = (day, variant) => `day-${day}-${variant}`;

/** The day of such an id; null for other games. @param {string} id */
export function dayOfId(id) {
  const [, day] = /^day-(\d+)-/.exec(id) ?? [];
  return day ? Number(day) : null;
}

/** Days in a row, up to today or yesterday, on which somebody did something: one day that is left out is forgiven, two
 * are not. @param {number[]} days @param {number} today */
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
