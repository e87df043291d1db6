// Notes on this device's live games, for reconnecting: numbers, keys, and the other's door. They are never exported
// with games.

import { inStore, openDatabase } from "../store.js";

/** @import { Deal } from "./agreement.js" */
/** @import { Key } from "./connection.js" */
/** @import { Way } from "./signalling.js" */

/** opening: known to the guest once the host has told it; door: the other's waiting offer; key: its key.
 * @typedef {Deal & { id: string, role: "host" | "guest", certificate: RTCCertificate, touched: number,
 * door?: Way, key?: Key }} Note */

const KEPT = 30 * 86_400_000; // milliseconds: as long as a certificate lasts
/** @type {Promise<IDBDatabase> | null} */
let opened = null;
/** @type {Map<string, Note>} In memory, for browsers without storage. */
const here = new Map();

/** @template T @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest<T>} work
 * @returns {Promise<T>} */
async function within(mode, work) {
  opened ??= openDatabase("casino-live", "notes");
  return inStore(await opened, "notes", mode, work);
}

/** @param {string} id @returns {Promise<Note | undefined>} */
export const noteOf = async (id) =>
  here.get(id) ?? await within("readonly", (store) => store.get(id)).catch(() => undefined);

/** @param {Note} note */
export async function keepNote(note) {
  note.touched = Date.now();
  here.set(note.id, note);
  try {
    await within("readwrite", (store) => store.put(note));
    const all = await within("readonly", (store) => store.getAll());
    const old = all.filter(({ touched }) => Date.now() - touched > KEPT);
    for (const { id } of old) await within("readwrite", (store) => store.delete(id));
  } catch { // the note lasts until the page is closed
  }
}
