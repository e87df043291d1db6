/** Random deals end here as they do in Python, to the bit: positions, complete turns, observations, points. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { digests } from "./golden.js";

const GOLDEN = JSON.parse(readFileSync(new URL("../../../tests/golden.json", import.meta.url), "utf8"));
const found = await digests();

test("there are the same tables", () => assert.deepEqual(Object.keys(found).sort(), Object.keys(GOLDEN).sort()));

for (const [name, digest] of Object.entries(found)) test(`golden deals of ${name}`, () => assert.equal(digest, GOLDEN[name]));
