// The first lesson, in every game: what is explained can be done, and follows from the game's own switches.

import assert from "node:assert/strict";
import test from "node:test";

import { Table, lessonOf, lessonSeed, lessonStart } from "../page/table/index.js";
import { makeRules, playerCounts, variants } from "../page/casino/src/game/rules.js";
import { Random, agents, text } from "./tables.js";

for (const variant of Object.keys(variants())) {
  test(`a first deal of ${variant}`, async () => {
    const [players] = playerCounts(variant), rules = makeRules(variant, players), random = new Random(1), told = [];
    const seats = Array.from({ length: players }, (_, seat) => (seat ? "greedy" : "you"));
    const table = new Table({ variant, players, seats, seed: lessonSeed(rules) });
    assert.match(lessonStart(rules).map((line) => text(line)).join(" "), /points|cards/i);
    while (!table.over) {
      if (table.waiting) {
        await table.advance(agents);
        continue;
      }
      const seen = table.seen(), lesson = lessonOf(seen, rules, told);
      if (lesson) {
        assert.ok(lesson.lines.every((line) => text(line).length > 10));
        assert.ok(seen.moves.some(({ tokens }) => tokens.join() === lesson.tokens.join()));
        assert.ok(!told.includes(lesson.topic));
        told.push(lesson.topic);
      }
      table.play(random.of(seen.moves).actions);
    }
    assert.equal(lessonOf(table.seen(), rules, told).topic, "over");
    assert.ok(told.includes("capture"), told.join());
    if (variant.startsWith("mini")) return; // too few cards to build with
    assert.equal(told[0], rules.table_cards ? "capture" : "discard"); // on a bare table nothing can be taken
    assert.equal(told.includes("build"), !rules.bundles, told.join());
    if (rules.steal === "no" && !rules.capture_tops && !rules.bundles) assert.ok(!told.includes("steal"));
  });
}
