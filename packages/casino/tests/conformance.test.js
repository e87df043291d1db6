/** The vectors of `casino env conformance`: what Python's engine says of positions, this one says as well. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Memory } from "../src/agents/base.js";
import { makeLayout } from "../src/agents/layout.js";
import { layoutRecord } from "../src/agents/policy.js";
import { actionText, Game, loadKernels, nextView, observe, viewOf } from "../src/index.js";

const kernels = await loadKernels();
const text = gunzipSync(readFileSync(new URL("../conformance.jsonl.gz", import.meta.url))).toString();
const [header, ...vectors] = text.trim().split("\n").map((line) => JSON.parse(line));
const tables = grouped(vectors);

function grouped(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row.table, [...(groups.get(row.table) ?? []), row]);
  return groups;
}

/** The features that are on in what a seat sees of a game. */
function features(game, seat) {
  const memory = new Memory(kernels), seats = memory.array("i64", 1), views = memory.records("GAME", 1), rules = memory.records("RULES", 1);
  rules.copy(game.rules.record);
  views.copy(observe(game, seat).view);
  seats.data[0] = BigInt(seat);
  const layout = makeLayout(kernels, game.rules, (field) => Number(game.rules.record.get(0, field)));
  const dense = memory.array("i8", 1, layout.size);
  kernels.entry("knowledge.encode.encode_views")(views, rules, layoutRecord(memory, layout), seats, memory.array("i16", layout.most), dense);
  const found = [...dense.data].flatMap((on, feature) => (on ? [feature] : []));
  memory.close();
  return found;
}

test("the vectors are of these rules", () => {
  const { rules, actions, "knowledge.layout": layout } = kernels.facts.constants;
  assert.deepEqual(header.versions, { rules: rules.RULES_VERSION, actions: actions.ACTIONS_VERSION, observation: layout.OBSERVATION_VERSION });
  assert.ok(vectors.length >= 200);
});

for (const [table, rows] of tables) {
  test(`vectors of ${table}`, () => {
    for (const { position, seat, legal, scores, looks, view, features: on, after } of rows) {
      const game = Game.fromJson(position, { skipForced: false });
      assert.deepEqual(game.toJson(), position);
      assert.deepEqual([game.seat, game.legal().map(actionText), game.scores()], [seat, legal, scores]);
      assert.deepEqual(viewOf(game, looks), view);
      assert.deepEqual(features(game, looks), on);
      assert.deepEqual(after.map(({ action }) => action), legal);
      for (const next of after) {
        const then = game.clone();
        then.apply(next.action);
        assert.deepEqual(then.toJson(), next.position);
        assert.deepEqual(nextView(view, next.action, next.told).view, next.view);
      }
    }
  });
}
