/** Compute the digests of random deals that tests/golden.json pins, in node or in a browser. */

import { Memory } from "../src/kernels/memory.js";
import { makeLayout } from "../src/agents/layout.js";
import { loadKernels } from "../src/kernels/kernels.js";
import { tables } from "../src/game/rules.js";

const DEALS = 20;

/** The CRC-32 of a table's name, which is the first seed of its deals. */
function crc32(text) {
  let crc = -1;
  for (const letter of text) {
    crc ^= letter.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ -1) >>> 0;
}

function digest(kernels, name, rules) {
  const memory = new Memory(kernels);
  const row = memory.records("RULES", 1);
  row.copy(rules.record);
  const layout = makeLayout(kernels, rules);
  const record = memory.copies(layout.record);
  const work = memory.workspace("Afterstates");
  const found = kernels.entry("golden.digest_deals")(
    memory.records("GAME", 2), row, record, work, memory.array("i16", layout.most), crc32(name), DEALS,
  );
  memory.close();
  return found.map((word) => BigInt.asUintN(64, BigInt(word)).toString(16).padStart(16, "0")).join(" ");
}

/** Digests by table: of positions, complete turns, observations and points. */
export async function digests() {
  const kernels = await loadKernels();
  return Object.fromEntries(Object.entries(tables()).map(([name, rules]) => [name, digest(kernels, name, rules)]));
}
