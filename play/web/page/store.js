// Games and results, kept in this browser (IndexedDB), and as files.

import { oneLine } from "./casino/src/game/validate.js";
import { Table } from "./table/index.js";

/** @import { Saved } from "./table/shapes.js" */
/** @import { Message } from "./words/message.js" */

/** A game that was begun here.
 * @typedef {object} Kept
 * @property {string} id
 * @property {Saved} saved
 * @property {number} begun when, in milliseconds
 * @property {number} touched
 * @property {boolean} over
 * @property {Message | null} how it ended
 * @property {Reviewed} [review] once it has been looked at again
 * @property {string[]} [lesson] a first lesson: what has been explained so far
 * @property {boolean} [challenged] a friend has sent the deal
 * @property {boolean} [elsewhere] the person's moves came with a link: it does not count as a result
 * @property {Duplicate} [duplicate] whose result on the same deal is shown beside one's own
 */

/** @typedef {object} Duplicate
 * @property {string} by an agent's spec, or "friend"
 * @property {number[] | null} points by side; null: not played yet
 */

/** What a review has found.
 * @typedef {object} Reviewed
 * @property {number} decisions
 * @property {number} lost points in all, gains taken off
 * @property {number} error half of the interval of that
 * @property {number[]} worst steps at which a turn was a mistake, the worst first
 */

/** What a finished game came to for the person.
 * @typedef {object} Result
 * @property {string} id
 * @property {string} variant
 * @property {boolean} match
 * @property {boolean} house by other rules than the preset's
 * @property {string[]} against
 * @property {boolean} won
 * @property {number} own points
 * @property {number} best of the others
 * @property {number} [when] it ended, in milliseconds
 * @property {number} [luck] points above the average that the cards were worth
 * @property {number} [play] and what was made of them
 * @property {number} [lost] points by decisions, as its review says
 * @property {number} [decisions] of the review
 */

const FILE = "casino-games 1";
/** @type {Promise<IDBDatabase> | null} */
let opened = null;

function database() {
  opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open("casino", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("games", { keyPath: "id" });
      asked.result.createObjectStore("results", { keyPath: "id" });
    };
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  return opened;
}

/** @template T @param {"games" | "results"} store @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} work @returns {Promise<T>} */
async function within(store, mode, work) {
  const transaction = (await database()).transaction(store, mode);
  const asked = work(transaction.objectStore(store));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error ?? asked.error);
  });
}

/** Newest first. @returns {Promise<Kept[]>} */
export const games = async () => (await within("games", "readonly", (store) => store.getAll()))
  .sort((a, b) => b.touched - a.touched);

/** @param {string} id @returns {Promise<Kept | undefined>} */
export const game = (id) => within("games", "readonly", (store) => store.get(id));

/** @param {Kept} kept */
export const keep = (kept) => within("games", "readwrite", (store) => store.put(kept));

/** An id like another that no game here has. @param {string} id */
export async function freeId(id) {
  for (let number = 2; ; number++) {
    const free = `${id.slice(0, 32)}-${number}`;
    if (!(await game(free))) return free;
  }
}

/** Keep a game that comes from elsewhere, beside one of the same id that differs. @param {Kept} kept */
export async function add(kept) {
  const known = await game(kept.id);
  if (known && JSON.stringify(known.saved) === JSON.stringify(kept.saved)) return;
  await keep(known ? { ...kept, id: await freeId(kept.id) } : kept);
}

/** @param {string} id */
export const forget = (id) => within("games", "readwrite", (store) => store.delete(id));

/** @returns {Promise<Result[]>} */
export const results = () => within("results", "readonly", (store) => store.getAll());

/** Once for each game, however often it is looked at. @param {Result} result */
export const count = (result) => within("results", "readwrite", (store) => store.put(result));

/** Something more is known of a result. @param {string} id @param {Partial<Result>} more */
export async function amend(id, more) {
  const known = await within("results", "readonly", (store) => store.get(id));
  if (known) await count({ ...known, ...more });
}

export const clearResults = () => within("results", "readwrite", (store) => store.clear());

// --- files -----------------------------------------------------------------------------------------------------------

/** @param {Kept[]} kept */
export const asFile = (kept) => JSON.stringify({ format: FILE, games: kept }, null, 1);

/** The games of a file; fails where it is none, or one of them cannot be played. @param {string} text
 * @returns {Kept[]} */
export function fromFile(text) {
  const data = JSON.parse(text);
  if (data?.format !== FILE || !Array.isArray(data.games))
    throw new Error(`this is no file of games: its format is not ${FILE}`);
  return data.games.map((/** @type {any} */ row, /** @type {number} */ at) => {
    try {
      return keptOf(row);
    } catch (error) {
      throw new Error(`game ${at + 1} of this file cannot be read: ${oneLine(error, 200)}`, { cause: error });
    }
  });
}

/** @param {any} row @returns {Kept} */
function keptOf({ id, saved, begun, touched }) {
  if (typeof id !== "string" || !/^[\w-]{1,40}$/.test(id)) throw new Error("it has no id");
  const table = Table.load(saved), { sheet } = table.seen();
  return { id, saved: table.save(), begun: Number(begun) || Date.now(), touched: Number(touched) || Date.now(),
    over: table.over, how: sheet?.verdict ?? null };
}

/** Gives a text to the person as a file. @param {string} text @param {string} name */
export function download(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
