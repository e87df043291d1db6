// The page without a network: what has been loaded once is kept (sw.js), and a new version is offered when it is there.

import { banner } from "./sheet.js";
import { t } from "./text.js";

/** Resolves when what is fetched from now on is kept, or when it is clear that nothing can be. */
export async function offline() {
  if (!("serviceWorker" in navigator)) return;
  try {
    const first = !navigator.serviceWorker.controller;
    navigator.serviceWorker.addEventListener("message", ({ data }) => {
      if (data === "update") banner(t("update"), t("update.load"), () => location.reload());
    });
    await navigator.serviceWorker.register(new URL("./sw.js", document.baseURI), { type: "module" });
    const { active } = await navigator.serviceWorker.ready;
    if (!first) return;
    if (!navigator.serviceWorker.controller) await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }));
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.startsWith(location.origin));
    active?.postMessage({ keep: [new URL("./", document.baseURI).href, ...new Set(loaded)] });
  } catch { // a browser that keeps nothing: the page works all the same
  }
}
