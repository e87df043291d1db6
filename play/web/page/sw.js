// Keeps what the page has loaded, so that it opens at once and without a network.
//
// Everything of one visit is of one version: files are answered from the newest complete store. At most once an hour a
// visit asks the host whether they have changed; if one has, all are fetched into a new store, which the next visit
// uses.

/// <reference lib="webworker" />
/** @type {ServiceWorkerGlobalScope} */
const worker = /** @type {any} */ (self);

const PREFIX = "casino-", COMPLETE = "./complete", HOUR = 3_600_000;

/** The numbers of the stores, the newest first. A new one gets the next number: clocks may be wrong. */
const numbers = async () => (await caches.keys()).map((name) => Number(/^casino-(\d+)$/.exec(name)?.[1] ?? NaN))
  .filter((number) => Number.isSafeInteger(number)).sort((a, b) => b - a);

/** @param {number} number */
const open = (number) => caches.open(`${PREFIX}${number}`);

/** The newest store that is complete; a fresh one where there is none. */
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

/** What the page that is open uses. @type {Promise<{ number: number, store: Cache }> | null} */
let current = null;

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("message", (event) => {
  if (Array.isArray(event.data?.keep)) event.waitUntil(keep(event.data.keep));
});

/** @param {string[]} urls that were loaded before this worker was there */
async function keep(urls) {
  const { store } = await (current ??= newest());
  await Promise.all(urls.map(async (url) => {
    if (await store.match(url)) return;
    const response = await fetch(url);
    if (response.ok) await store.put(url, response);
  }));
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
  if (response.ok && response.status === 200)
    await store.put(home ? request.url.split(/[?#]/)[0] : request, response.clone());
  return response;
}

/** @param {Response} response */
const version = (response) => ["etag", "last-modified", "content-length"].map((name) => response.headers.get(name))
  .join(" ");

/** Looks whether anything has changed, and fetches all of it if so. @param {{ number: number, store: Cache }} now */
async function refresh({ number, store }) {
  const looked = Number(await (await store.match(COMPLETE))?.text());
  if (Math.abs(Date.now() - looked) < HOUR) return; // later than now: the clock was wrong
  const requests = (await store.keys()).filter(({ url }) => !url.endsWith("/complete"));
  const responses = await Promise.all(requests.map((request) => fetch(request.url, { cache: "no-cache" })));
  if (responses.some(({ status }) => status >= 500)) return;
  await finish(store);
  const old = await Promise.all(requests.map((request) => store.match(request)));
  if (responses.every((response, at) => version(response) === version(/** @type {Response} */ (old[at])))) return;
  const next = await open(1 + (await numbers())[0]);
  await Promise.all(responses.map((response, at) => (response.ok ? next.put(requests[at], response) : null)));
  await finish(next);
  for (const other of await numbers()) if (other < number) await caches.delete(`${PREFIX}${other}`);
  for (const client of await worker.clients.matchAll()) client.postMessage("update");
}
