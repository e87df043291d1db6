/** Random deals end here as they do in Python, to the bit: positions, complete turns, observations, points. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Memory } from "../src/agents/base.js";
import { makeLayout } from "../src/agents/layout.js";
import { layoutRecord } from "../src/agents/policy.js";
import { newAfterstates } from "../src/agents/workspaces.js";
import { loadKernels } from "../src/kernels.js";
import { tables } from "../src/rules.js";

const kernels = await loadKernels();
const GOLDEN = JSON.parse(readFileSync(new URL("../../../tests/golden.json", import.meta.url), "utf8"));
const DEALS = 20;

/** CRC-32 of a name: the first seed of its deals. */
function crc32(text) {
  let crc = -1;
  for (const letter of text) {
    crc ^= letter.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ -1) >>> 0;
}

function digest(name, rules) {
  const memory = new Memory(kernels);
  const row = memory.records("RULES", 1);
  row.copy(rules.record);
  const layout = makeLayout(kernels, rules, (field) => Number(rules.record.get(0, field)));
  const record = layoutRecord(memory, layout);
  const work = newAfterstates(memory, row);
  const found = kernels.entry("golden.digest_deals")(
    memory.records("GAME", 2), row, record, work, memory.array("i16", layout.most), crc32(name), DEALS,
  );
  memory.close();
  return found.map((word) => BigInt.asUintN(64, BigInt(word)).toString(16).padStart(16, "0")).join(" ");
}

test("there are the same tables", () => assert.deepEqual(Object.keys(tables()).sort(), Object.keys(GOLDEN).sort()));

for (const [name, rules] of Object.entries(tables())) test(`golden deals of ${name}`, () => assert.equal(digest(name, rules), GOLDEN[name]));
