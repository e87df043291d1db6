// Offline use: ask the service worker (sw.js) to cache files.

import { here } from "./places.js";

const inside = (/** @type {string} */ place) => new URL(place, document.baseURI).href;

/** Resolve once all further fetches are cached, or caching turns out to be impossible.
 * @param {() => void} updated called when there is a new version */
export async function offline(updated) {
  if (!("serviceWorker" in navigator)) return;
  try {
    const first = !navigator.serviceWorker.controller;
    navigator.serviceWorker.addEventListener("message", ({ data }) => {
      if (data === "update") updated();
    });
    await navigator.serviceWorker.register(inside("sw.js"), { type: "module" });
    const { active } = await navigator.serviceWorker.ready;
    if (!first) return;
    if (!navigator.serviceWorker.controller)
      await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }));
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name)
      .filter((name) => name.startsWith(location.origin));
    active?.postMessage({ keep: [inside("./"), here("files.json").href, ...new Set(loaded)] });
  } catch { // the browser allows no cache: the page works without one
  }
}

/** All files of this version: path and size. @returns {Promise<[string, number][]>} */
async function files() {
  const response = await fetch(here("files.json"));
  return Object.entries(await response.json()).map(([place, [, size]]) => [place, size]);
}

/** The total size of all files, in bytes; 0 if they cannot be cached. */
export async function sizeOfAll() {
  if (!navigator.serviceWorker?.controller) return 0;
  return (await files()).reduce((sum, [, size]) => sum + size, 0);
}

/** Fetch all files of this version through the worker, which caches them. @param {(share: number) => void} progress */
export async function keepAll(progress) {
  const all = await files();
  for (let done = 0; done < all.length; done++) {
    const response = await fetch(here(all[done][0]));
    if (!response.ok) throw new Error(`${all[done][0]}: ${response.status}`);
    await response.arrayBuffer();
    progress((done + 1) / all.length);
  }
}
