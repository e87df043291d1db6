// The texts that a speaker sends are put into the catalogue.

import assert from "node:assert/strict";
import test from "node:test";

import { rewritten } from "../tools/catalogue.js";

const SOURCE = 'export const words = {\n  "a.b": "old \\"x\\"", "a.bc": "stays",\n};\n';

test("texts change where they stand, others come at the end", () => {
  const out = rewritten(SOURCE, { "a.b": "new $1 “y”", c: "added\n" });
  assert.equal(out, 'export const words = {\n  "a.b": "new $1 “y”", "a.bc": "stays",\n  "c": "added\\n",\n};\n');
  assert.equal(rewritten(SOURCE, {}), SOURCE);
});

test("what is no text is refused", () => {
  for (const texts of [{ 'a"': "x" }, { a: 1 }]) assert.throws(() => rewritten(SOURCE, texts), /is not a text/);
});
