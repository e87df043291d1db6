// The addresses of the page's files: beside its scripts, so that all files of a visit have the same version.

/** @import { Facts } from "./casino/src/kernels/kernels.js" */

/** @param {string} place */
export const here = (place) => new URL(place, import.meta.url);

export const policies = here("policies/").href;

/** What lies in a file. @param {string} place @param {string} none what is said where it cannot be had
 * @returns {Promise<any>} */
export async function fetchJson(place, none) {
  const response = await fetch(here(place));
  if (!response.ok) throw new Error(none);
  return response.json();
}

/** Fetch the engine, once for page and worker. @returns {Promise<{ wasm: Uint8Array, facts: Facts }>} */
export async function fetchEngine() {
  const [wasm, facts] = await Promise.all(["casino.wasm", "facts.json"].map(unpacked));
  return { wasm, facts: JSON.parse(new TextDecoder().decode(facts)) };
}

/** Fetch and decompress a file; it is stored compressed, as not every host compresses. @param {string} name */
async function unpacked(name) {
  const response = await fetch(here(`casino/dist/${name}.gz`));
  if (!response.ok || !response.body) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  const plain = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}
