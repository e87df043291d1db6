// The service worker: caches loaded files, so that the page opens at once and offline.
//
// All files of a visit have the same version: they lie under v/VERSION/ and come from the newest complete cache. At
// most once an hour a visit asks the host for the first page. If that has changed, the files are cached again in a
// second cache, which the next visit uses; files that are the same in both versions are not fetched again.

/// <reference lib="webworker" />
/** @type {ServiceWorkerGlobalScope} */
const worker = /** @type {any} */ (self);

const PREFIX = "casino-", COMPLETE = "./complete", HOUR = 3_600_000;

/** The numbers of the caches, newest first. They are counted, not dated: clocks may be wrong. */
const numbers = async () => (await caches.keys()).map((name) => Number(/^casino-(\d+)$/.exec(name)?.[1] ?? NaN))
  .filter((number) => Number.isSafeInteger(number)).sort((a, b) => b - a);

/** @param {number} number */
const open = (number) => caches.open(`${PREFIX}${number}`);

/** The newest complete cache, or a new one. */
async function newest() {
  for (const number of await numbers()) {
    const store = await open(number);
    if (await store.match(COMPLETE)) return { number, store };
  }
  const number = 1 + ((await numbers())[0] ?? 0), store = await open(number);
  await finish(store);
  return { number, store };
}

/** @param {Cache} store */
const finish = (store) => store.put(COMPLETE, new Response(`${Date.now()}`));

/** The cache of the open page. @type {Promise<{ number: number, store: Cache }> | null} */
let current = null;

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("message", (event) => {
  if (Array.isArray(event.data?.keep)) event.waitUntil(keep(event.data.keep));
});

/** @param {string[]} urls loaded before this worker was active */
async function keep(urls) {
  const { store } = await (current ??= newest());
  await Promise.all(urls.map(async (url) => (await store.match(url)) || put(store, url, await fetch(url))));
}

/** Cache a response, marked no-store: a copy in the browser's HTTP cache would outlive this version.
 * @param {Cache} store @param {RequestInfo} request @param {Response} response */
async function put(store, request, response) {
  if (response.status !== 200) return;
  const headers = { ...Object.fromEntries(response.headers), "cache-control": "no-store" };
  await store.put(request, new Response(response.body, { headers }));
}

worker.addEventListener("fetch", (event) => {
  const { request } = event, url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin
    || !url.href.startsWith(worker.registration.scope)) return;
  if (request.mode === "navigate") {
    current = newest();
    event.waitUntil(current.then(refresh).catch(() => {}));
  }
  event.respondWith(answer(request, request.mode === "navigate"));
});

/** @param {Request} request @param {boolean} home */
async function answer(request, home) {
  const { store } = await (current ??= newest());
  const kept = await store.match(request, { ignoreSearch: home });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await put(store, home ? request.url.split(/[?#]/)[0] : request, response.clone());
  return response;
}

const HOME = worker.registration.scope;

/** @param {string} page @returns {string[]} the addresses in the first page's HTML */
const named = (page) => [...page.matchAll(/(?:href|src)="([^":#]+)"/g)].map(([, place]) => new URL(place, HOME).href);

/** The folder of the first page's version. @param {string} page */
const folderOf = (page) => named(page).find((url) => url.startsWith(`${HOME}v/`))?.match(/^.*\/v\/\w+\//)?.[0] ?? HOME;

/** @param {Response | undefined} response @returns {Promise<{ [place: string]: [string, number] }>} */
const digests = (response) => (response?.ok ? response.json() : Promise.resolve({}));

/** Check for a new version; if there is one, cache it.
 * @param {{ number: number, store: Cache }} now */
async function refresh({ number, store }) {
  const looked = Number(await (await store.match(COMPLETE))?.text());
  if (Math.abs(Date.now() - looked) < HOUR) return; // abs(): the clock may have been wrong
  const fresh = (/** @type {string} */ url) => fetch(url, { cache: "no-cache" });
  const home = await fresh(HOME), page = await home.clone().text();
  if (!home.ok) return;
  await finish(store);
  const before = await (await store.match(HOME))?.text() ?? "";
  if (page === before) return;
  const from = folderOf(before), to = folderOf(page), same = from === to;
  const old = same ? {} : await digests(await store.match(`${from}files.json`));
  const now = same ? {} : await digests(await fresh(`${to}files.json`));
  const kept = (await store.keys()).map(({ url }) => url).filter((url) => !url.endsWith("/complete") && url !== HOME);
  const next = await open(1 + (await numbers())[0]);
  await put(next, HOME, home);
  const wanted = new Set([`${to}files.json`, ...named(page), ...kept.map((url) => url.replace(from, to))]);
  await Promise.all([...wanted].map(async (url) => {
    const place = url.slice(to.length), there = url.startsWith(to) && old[place]?.[0];
    const copy = there && there === now[place]?.[0] ? await store.match(from + place) : undefined;
    await put(next, url, copy ?? await fresh(url));
  }));
  await finish(next);
  for (const other of await numbers()) if (other < number) await caches.delete(`${PREFIX}${other}`);
  for (const client of await worker.clients.matchAll()) client.postMessage("update");
}
