// Puzzles: the page's puzzles are what they say they are, and everybody gets the same one on a day.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Judge } from "../page/casino/src/agents/analyse.js";
import { observe } from "../page/casino/src/game/observed.js";
import { bytesOf, lettersOf, packed, unpacked } from "../page/table/code.js";
import { UNRATED, UNSURE, dealOfTheDay, exerciseTable, nextPuzzle, puzzleAt, puzzleCount, puzzleOfTheDay, rate,
  readPuzzles, streakOf } from "../page/table/index.js";
import { factsOf } from "../page/table/moves.js";
import { gameOf, themeOf } from "../page/table/puzzles.js";
import { rated } from "../tools/difficulty.js";
import "./tables.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../page/puzzles/${name}.json`, import.meta.url), "utf8"));
const index = read("index"), judge = new Judge();

for (const variant of Object.keys(index.games)) {
  const count = puzzleCount(index, variant);
  test(`the puzzles of ${variant} have one best turn`, async () => {
    const file = readPuzzles(read(variant));
    assert.equal(file.puzzles.length, count);
    assert.equal(new Set(file.puzzles.map(([seed, played]) => `${seed} ${played}`)).size, count);
    for (let number = 0; number < count; number += Math.ceil(count / 4)) {
      const { position, seat, theme, rating } = puzzleAt(file, number), game = gameOf(file, number);
      assert.ok(rating > 500 && rating < 2500);
      const table = exerciseTable(position, seat ? ["counter", "you"] : ["you", "counter"], true);
      assert.equal(table.mine, true);
      assert.deepEqual(table.seen().scene.seats.map(({ hidden }) => hidden), [0, 0]);
      const { by, turns } = await judge.advise(observe(table.game), { seconds: 120 });
      assert.equal(by, "solver");
      assert.equal(themeOf(factsOf(game.record, game.rules, turns[0].actions), seat), theme);
      assert.ok(turns.length >= 3 && turns[1].loss >= 1 && turns.every(({ low, high }) => low === high));
    }
  });
}

test("no theme has more than a third where there are others", () => {
  const few = ["mini", "stealing-bundles"]; // three themes, two of which are a third, or rare
  for (const variant of Object.keys(index.games).filter((name) => !few.includes(name)))
    assert.ok(Math.max(...Object.values(index.games[variant])) <= puzzleCount(index, variant) / 3, variant);
});

test("puzzles of other rules, and other files, are refused", () => {
  const file = read("swazi");
  for (const bad of [null, {}, { ...file, rulesVersion: 0 }, { ...file, format: "casino-puzzles 0" }])
    assert.throws(() => readPuzzles(bad), /not for these rules/);
});

test("who is found less often is harder, by as much as the odds say", () => {
  const { levels, ratings } = rated([[4, 12], [1, 4], [0, 0], [4, 12]], 16);
  assert.ok(levels[0] < levels[1]);
  assert.ok(ratings[2] > ratings[1] && ratings[1] > ratings[0]);
  assert.equal(ratings[0], ratings[3]);
  // with a thousand tries each the prior hardly counts: odds of three to one are 191 points
  const sure = rated(Array(50).fill([250, 750]), 1000), [low, high] = sure.levels;
  assert.ok(Math.abs(high - sure.ratings[0] - 191) < 3 && Math.abs(sure.ratings[0] - low - 191) < 3);
});

test("a date gives everybody the same, and every day another", () => {
  const day = (number) => new Date(2026, 10, number, 23, 30);
  const games = { khasino: { take: 2 }, swazi: { build: 1, steal: 2 } },
    two = { levels: [], games };
  assert.deepEqual(puzzleOfTheDay(two, day(28)), puzzleOfTheDay(two, new Date(2026, 10, 28, 0, 1)));
  const month = Array.from({ length: 30 }, (_, k) => JSON.stringify(puzzleOfTheDay(two, day(k + 1))));
  assert.equal(new Set(month).size, 5);
  assert.ok(month.every((one, k) => k === 0 || one !== month[k - 1]));
  assert.notDeepEqual(dealOfTheDay(["khasino"], day(1)), dealOfTheDay(["khasino"], day(2)));
  const mine = Object.keys(games)[1];
  assert.deepEqual([1, 2, 3].map((k) => puzzleOfTheDay(two, day(k), mine).variant), [mine, mine, mine]);
  assert.equal(puzzleOfTheDay(two, day(1), "none of ours").variant, puzzleOfTheDay(two, day(1)).variant);
});

test("the next puzzle is the nearest that has not been tried, of what is asked for", () => {
  const all = [["take", 1500], ["steal", 1200], ["take", 1580], ["steal", 1900]];
  const file = { puzzles: all.map(([theme, rating], seed) => [seed, "", theme, rating]) };
  assert.equal(nextPuzzle(file, {}, 1510), 0);
  assert.equal(nextPuzzle(file, { 0: true }, 1510), 2);
  assert.equal(nextPuzzle(file, {}, 1510, "steal"), 1);
  assert.equal(nextPuzzle(file, { 1: false, 3: true }, 1510, "steal"), null);
});

test("a rating is that of Glickman's example, and sure of itself after many games", () => {
  const games = [[1400, 30, 1], [1550, 100, 0], [1700, 300, 0]]
    .map(([rating, deviation, score]) => ({ rating, deviation, score }));
  const after = rate({ rating: 1500, deviation: 200, volatility: 0.06 }, games);
  assert.deepEqual(Object.values(after).map((number) => number.toFixed(3)), ["1464.051", "151.517", "0.060"]);
  let now = UNRATED;
  for (let game = 0; game < 40; game++) now = rate(now, [{ rating: 1600, deviation: 80, score: game % 2 }]);
  assert.ok(Math.abs(now.rating - 1600) < 10 && now.deviation < UNSURE);
});

test("letters give back the bytes and the data they were made of", () => {
  const bytes = Array.from({ length: 256 }, (_, k) => k);
  for (const length of [0, 1, 2, 3, 255, 256])
    assert.deepEqual(bytesOf(lettersOf(bytes.slice(0, length))), bytes.slice(0, length));
  const data = { a: [1, "ü♠", null], b: { c: true } };
  assert.match(packed(data), /^[\w-]+$/);
  assert.deepEqual(unpacked(packed(data)), data);
  assert.throws(() => bytesOf("a+b"), /not a letter/);
});

test("a streak forgives a day, not two", () => {
  for (const [days, length] of [[[], 0], [[10], 1], [[9], 1], [[8], 1], [[7], 0], [[10, 9, 8], 3], [[10, 8, 7, 5], 4],
    [[10, 9, 6, 5], 2], [[11, 10, 10], 1]])
    assert.equal(streakOf(days, 10), length, `${days}`);
});
