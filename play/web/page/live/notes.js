// What this device has to know of its live games to come back to them: numbers, keys, where the other waits. It never
// travels in a file of games.

import { inStore, openDatabase } from "../store.js";

/** @import { Deal } from "./agreement.js" */
/** @import { Key } from "./connection.js" */
/** @import { Way } from "./signalling.js" */

/** Opening: of the host, and of the guest once it is told. Door: where the other waits, and the key to it.
 * @typedef {Deal & { id: string, role: "host" | "guest", certificate: RTCCertificate, touched: number,
 * door?: Way, key?: Key }} Note */

const KEPT = 30 * 86_400_000; // milliseconds: as long as a certificate lasts
/** @type {Promise<IDBDatabase> | null} */
let opened = null;
/** @type {Map<string, Note>} Until the page is closed, where nothing can be kept. */
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
  } catch { // it counts until the page is closed
  }
}
