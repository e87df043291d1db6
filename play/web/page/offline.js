// Without a network: what the service worker (sw.js) keeps, and how the page asks it to.

import { here } from "./places.js";

const inside = (/** @type {string} */ place) => new URL(place, document.baseURI).href;

/** Resolves when what is fetched from now on is kept, or when it is clear that nothing can be.
 * @param {() => void} updated there is a new version */
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
  } catch { // a browser that keeps nothing: the page works all the same
  }
}

/** All files of this version by their places, with digest and size. @returns {Promise<[string, number][]>} */
async function files() {
  const response = await fetch(here("files.json"));
  return Object.entries(await response.json()).map(([place, [, size]]) => [place, size]);
}

/** Whether all could be kept, and how many bytes that are. */
export async function sizeOfAll() {
  if (!navigator.serviceWorker?.controller) return 0;
  return (await files()).reduce((sum, [, size]) => sum + size, 0);
}

/** Fetches all of this version by way of the worker, which keeps it. @param {(share: number) => void} progress */
export async function keepAll(progress) {
  const all = await files();
  for (let done = 0; done < all.length; done++) {
    const response = await fetch(here(all[done][0]));
    if (!response.ok) throw new Error(`${all[done][0]}: ${response.status}`);
    await response.arrayBuffer();
    progress((done + 1) / all.length);
  }
}
