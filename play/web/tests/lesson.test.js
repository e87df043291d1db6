// The first lesson, in every game: what it explains can be done, and follows from the game's own switches.

import assert from "node:assert/strict";
import test from "node:test";

import { Table, bestOf, isHelped, lessonOf, lessonSeed, lessonStart } from "../page/table/index.js";
import { makeRules, playerCounts, variants } from "../page/casino/src/game/rules.js";
import { Random, agents, text } from "./tables.js";

for (const variant of Object.keys(variants())) {
  test(`a first deal of ${variant}`, async () => {
    const [players] = playerCounts(variant), rules = makeRules(variant, players), random = new Random(1), told = [];
    const seats = Array.from({ length: players }, (_, seat) => (seat ? "greedy" : "you"));
    const table = new Table({ variant, players, seats, seed: lessonSeed(rules) });
    assert.match(lessonStart(rules).map((line) => text(line)).join(" "), /points|cards/i);
    assert.equal(lessonStart(rules).some(({ key }) => key === "rules.turn.merge"), rules.equal_builds === "merge");
    for (let turn = -1; !table.over;) {
      if (table.waiting) {
        await table.advance(agents);
        continue;
      }
      const seen = table.seen(), best = bestOf(table.game, random.of(seen.moves));
      if (!seen.begun) turn += 1;
      const lesson = lessonOf(seen, rules, told, best);
      assert.equal(isHelped(seen), !seen.begun && turn < 6);
      if (lesson) {
        const words = lesson.lines.map((line) => text(line)), of = (lit) => lit.join() === lesson.tokens.join();
        assert.ok(words.every((line) => line.length > 10));
        if (turn < 3) assert.ok(of(best.tokens) && words.join(" ").includes(text(best.words).slice(1)));
        else assert.ok(of([]) || seen.moves.some(({ tokens }) => of(tokens)));
        const has = (wanted) => lesson.lines.some(({ key }) => key === wanted);
        assert.equal(has(`look.${best.theme}`), turn >= 3 && turn < 6 && !lesson.topic);
        assert.equal(has("lesson.alone"), turn === 6);
        assert.ok(!told.includes(lesson.topic));
        if (lesson.topic) told.push(lesson.topic);
      } else {
        assert.ok(seen.begun || turn >= 6);
      }
      table.play(random.of(seen.moves).actions);
    }
    assert.equal(lessonOf(table.seen(), rules, told).topic, "over");
    assert.ok(told.includes("capture"), told.join());
    if (variant.startsWith("mini")) return; // too few cards to build with
    assert.equal(told.includes("build"), !rules.bundles, told.join());
    if (rules.steal === "no" && !rules.capture_tops && !rules.bundles) assert.ok(!told.includes("steal"));
  });
}
