// Store games and results in this browser (IndexedDB), and export and import them as files.

import { oneLine } from "./casino/src/game/validate.js";
import { local } from "./local.js";
import { Table, UNRATED } from "./table/index.js";

/** @import { Saved } from "./table/shapes.js" */
/** @import { Rated } from "./table/rating.js" */
/** @import { Message } from "./words/message.js" */

/** A game that was begun here.
 * @typedef {object} Kept
 * @property {string} id
 * @property {Saved} saved
 * @property {number} begun time of its beginning, in milliseconds
 * @property {number} touched time of the last change
 * @property {boolean} over
 * @property {Message | null} how it ended
 * @property {Reviewed} [review] the review, if it was reviewed
 * @property {string[]} [lesson] in a first deal with a coach: the topics explained so far
 * @property {boolean} [challenged] a friend sent the deal
 * @property {boolean} [elsewhere] the person's moves came with a link: it does not count as a result
 * @property {boolean} [live] with a friend whose page may be connected (live/room.js)
 * @property {Duplicate} [duplicate] somebody else's result on the same deal, shown beside the person's
 */

/** @typedef {object} Duplicate
 * @property {string} by an agent's spec, or "friend"
 * @property {number[] | null} points by side; null: not played yet
 */

/** The findings of a review.
 * @typedef {object} Reviewed
 * @property {number} decisions number of decisions that could be judged
 * @property {number} lost net points lost
 * @property {number} error half-width of the interval of `lost`
 * @property {number[]} worst steps at which a turn was a mistake, the worst first
 */

/** The person's result of a finished game.
 * @typedef {object} Result
 * @property {string} id
 * @property {string} variant
 * @property {boolean} match
 * @property {boolean} house whether the rules differ from the preset's
 * @property {string[]} against
 * @property {boolean} won
 * @property {number} own the person's points
 * @property {number} best most points of another side
 * @property {number} [when] time of its end, in milliseconds
 * @property {number} [luck] points above the average that the cards were worth
 * @property {number} [play] points above the average that play added
 * @property {number} [lost] points lost by decisions, from the review
 * @property {number} [decisions] number of decisions, from the review
 */

const FILE = "casino-games 1";
/** @type {Promise<IDBDatabase | null> | null} */
let opened = null;

/** Stores of rows with an id. @param {string} name @param {...string} stores @returns {Promise<IDBDatabase>} */
export const openDatabase = (name, ...stores) => new Promise((resolve, reject) => {
  const asked = indexedDB.open(name, 1);
  asked.onupgradeneeded = () => stores.forEach((store) => asked.result.createObjectStore(store, { keyPath: "id" }));
  asked.onsuccess = () => resolve(asked.result);
  asked.onerror = () => reject(asked.error);
});

/** @param {IDBDatabase} database @param {string} store @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest} work @returns {Promise<any>} */
export function inStore(database, store, mode, work) {
  const transaction = database.transaction(store, mode), asked = work(transaction.objectStore(store));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(asked?.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error ?? asked?.error);
  });
}

/** The database; null if this browser allows none. */
function database() {
  opened ??= openDatabase("casino", "games", "results").catch(() => null);
  return opened;
}

/** Whether stored data outlast this visit. */
export const lasts = async () => (await database()) !== null;

/** The interface of an object store. @template T
 * @typedef {object} Shelf
 * @property {() => T[]} getAll
 * @property {(id: string) => T | undefined} get
 * @property {(row: T) => unknown} put
 * @property {(id: string) => unknown} delete
 * @property {() => unknown} clear */

/** An in-memory store, which lasts until the page is closed. @returns {Shelf<any>} */
function shelf() {
  const rows = new Map();
  return { getAll: () => structuredClone([...rows.values()]), get: (id) => structuredClone(rows.get(id)),
    put: (row) => rows.set(row.id, structuredClone(row)), delete: (id) => rows.delete(id), clear: () => rows.clear() };
}

const shelves = { games: shelf(), results: shelf() };

/** @param {"games" | "results"} store @param {IDBTransactionMode} mode @param {(store: Shelf<any>) => any} work
 * @returns {Promise<any>} */
async function within(store, mode, work) {
  const found = await database();
  return found ? inStore(found, store, mode, /** @type {any} */ (work)) : work(shelves[store]);
}

/** Newest first. @returns {Promise<Kept[]>} */
export const games = async () => (await within("games", "readonly", (store) => store.getAll()))
  .sort((/** @type {Kept} */ one, /** @type {Kept} */ other) => other.touched - one.touched);

/** @param {string} id @returns {Promise<Kept | undefined>} */
export const game = (id) => within("games", "readonly", (store) => store.get(id));

/** @param {Kept} kept */
export const keep = (kept) => within("games", "readwrite", (store) => store.put(kept));

/** Derive an unused id from another id. @param {string} id */
export async function freeId(id) {
  const taken = new Set((await games()).map((kept) => kept.id));
  for (const free of alike(id)) if (free !== id && !taken.has(free)) return free;
  return id;
}

/** Yield an id, then numbered variants of it. @param {string} id */
function* alike(id) {
  yield id;
  for (let number = 2; ; number++) yield `${id.slice(0, 32)}-${number}`;
}

/** Add games from a file, all or none; one whose id belongs to a different game gets a new id. @param {Kept[]} more */
async function addGames(more) {
  const here = new Map((await games()).map((kept) => [kept.id, kept]));
  const rows = more.flatMap((kept) => {
    for (const id of alike(kept.id)) {
      const known = here.get(id);
      if (known && JSON.stringify(known.saved) === JSON.stringify(kept.saved)) return [];
      if (known) continue;
      const row = { ...kept, id };
      here.set(id, row);
      return [row];
    }
    return [];
  });
  await keepAll("games", rows);
}

/** @param {"games" | "results"} store @param {{ id: string }[]} rows */
const keepAll = (store, rows) => within(store, "readwrite", (shelf) => rows.map((row) => shelf.put(row)).at(-1));

/** @param {string} id */
export const forget = (id) => within("games", "readwrite", (store) => store.delete(id));

/** @returns {Promise<Result[]>} */
export const results = () => within("results", "readonly", (store) => store.getAll());

/** @param {string} id @returns {Promise<Result | undefined>} */
export const result = (id) => within("results", "readonly", (store) => store.get(id));

/** Store a result; there is one for each game. @param {Result} result */
export const count = (result) => within("results", "readwrite", (store) => store.put(result));

/** Add details to a result. @param {string} id @param {Partial<Result>} more */
export async function amend(id, more) {
  const known = await within("results", "readonly", (store) => store.get(id));
  if (known) await count({ ...known, ...more });
}

export const clearResults = () => within("results", "readwrite", (store) => store.clear());

// --- puzzles and lessons ---------------------------------------------------------------------------------------------

/** @typedef {{ [variant: string]: { [number: number]: boolean } }} Solved true: solved at the first try */
/** @typedef {{ [variant: string]: string[] }} Learnt ids of boards */
/** @typedef {Rated & { past: number[] }} Rating past: the rating after each puzzle, the newest last */

const MOST_PAST = 200;

const solved = local("casino-puzzles", solvedOf), learnt = local("casino-lessons", learntOf);
const rated = local("casino-rating", ratedOf);

/** The puzzles that have been tried. */
export const puzzles = () => solved.now;

/** Note results of puzzles; only the first try of each counts. @param {Solved} more */
export function notePuzzles(more) {
  for (const [variant, numbers] of Object.entries(more)) solved.now[variant] = { ...numbers, ...solved.now[variant] };
  solved.keep();
}

/** The person's rating at puzzles, and its history. */
export const rating = () => rated.now;

/** @param {Rated} more */
export function noteRating(more) {
  Object.assign(rated.now, more, { past: [...rated.now.past, Math.round(more.rating)].slice(-MOST_PAST) });
  rated.keep();
}

/** The boards of lessons that have been solved. */
export const lessons = () => learnt.now;

/** @param {string} variant @param {...string} ids */
export function noteLesson(variant, ...ids) {
  learnt.now[variant] = [...new Set([...learnt.now[variant] ?? [], ...ids])];
  learnt.keep();
}

// --- files -----------------------------------------------------------------------------------------------------------

/** @param {Kept[]} kept */
export const asFile = (kept) => JSON.stringify({ format: FILE, games: kept }, null, 1);

/** Export all of a person's data: games, results, puzzles, lessons. */
export const allAsFile = async () => JSON.stringify({ format: FILE, games: await games(), results: await results(),
  puzzles: solved.now, lessons: learnt.now, rating: rated.now }, null, 1);

/** Parse an exported file; throw if any part of it is invalid. @param {string} text
 * @returns {{ games: Kept[], results: Result[], puzzles: Solved, lessons: Learnt,
 *   rating: Rating }} */
export function fromFile(text) {
  const data = JSON.parse(text);
  if (data?.format !== FILE || !Array.isArray(data.games))
    throw new Error(`not a file of games: its format is not ${FILE}`);
  return { games: rowsOf("game", data.games, keptOf), results: rowsOf("result", data.results ?? [], resultOf),
    puzzles: solvedOf(data.puzzles ?? {}), lessons: learntOf(data.lessons ?? {}),
    rating: ratedOf(data.rating ?? {}) };
}

/** Add the contents of a file to the stored data. @param {ReturnType<typeof fromFile>} file */
export async function addFile({ games, results: more, puzzles, lessons, rating: other }) {
  await addGames(games);
  const known = new Set((await results()).map(({ id }) => id));
  await keepAll("results", more.filter(({ id }) => !known.has(id)));
  notePuzzles(puzzles);
  if (other.past.length > rated.now.past.length) Object.assign(rated.now, other); // keep the longer history
  rated.keep();
  for (const [variant, ids] of Object.entries(lessons)) noteLesson(variant, ...ids);
}

/** @template T @param {string} what @param {any[]} rows @param {(row: any) => T} read @returns {T[]} */
const rowsOf = (what, rows, read) => rows.map((row, at) => {
  try {
    return read(row);
  } catch (error) {
    throw new Error(`${what} ${at + 1} of this file cannot be read: ${oneLine(error, 200)}`, { cause: error });
  }
});

/** @param {any} id @returns {string} */
function idOf(id) {
  if (typeof id !== "string" || !/^[\w-]{1,40}$/.test(id)) throw new Error("its id is missing or invalid");
  return id;
}

/** @param {any} row @returns {Kept} */
function keptOf({ id, saved, begun, touched, review, lesson }) {
  const table = Table.load(saved), { sheet } = table.seen();
  const when = (/** @type {any} */ time) => Number(time) || Date.now();
  return { id: idOf(id), saved: table.save(), begun: when(begun), touched: when(touched), over: table.over,
    how: sheet?.verdict ?? null, ...(review && { review: reviewOf(review) }),
    ...(Array.isArray(lesson) && { lesson: lesson.map(String) }) };
}

/** @param {any} review @returns {Reviewed} */
const reviewOf = ({ decisions, lost, error, worst }) => ({ decisions: numberOf(decisions), lost: numberOf(lost),
  error: numberOf(error), worst: worst.map(numberOf) });

/** @param {any} row @returns {Result} */
function resultOf({ id, variant, match, house, against, won, own, best, ...more }) {
  if (typeof variant !== "string" || !Array.isArray(against)) throw new Error("its game or its opponents are missing");
  const known = ["when", "luck", "play", "lost", "decisions"].filter((name) => more[name] !== undefined);
  return { id: idOf(id), variant, match: match === true, house: house === true, against: against.map(String),
    won: won === true, own: numberOf(own), best: numberOf(best),
    ...Object.fromEntries(known.map((name) => [name, numberOf(more[name])])) };
}

/** @param {any} value @returns {number} */
function numberOf(value) {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new Error(`${value} is not a number`);
  return value;
}

/** @param {any} data @returns {Solved} */
function solvedOf(data) {
  return Object.fromEntries(Object.entries(data).map(([variant, numbers]) => [variant,
    Object.fromEntries(Object.entries(numbers).map(([number, first]) => [Number(number), first === true]))]));
}

/** @param {any} data @returns {Rating} */
function ratedOf(data) {
  const { rating, deviation, volatility, past = [] } = { ...UNRATED, ...data };
  return { rating: numberOf(rating), deviation: numberOf(deviation), volatility: numberOf(volatility),
    past: past.map(numberOf) };
}

/** @param {any} data @returns {Learnt} */
function learntOf(data) {
  return Object.fromEntries(Object.entries(data).map(([variant, ids]) => [variant, ids.map(String)]));
}

/** Offer a text as a file to download. @param {string} text @param {string} name */
export function download(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
