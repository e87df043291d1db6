// Games and results from a file, where the browser keeps nothing and all lasts until the page is closed.

import assert from "node:assert/strict";
import test from "node:test";

import { addFile, allAsFile, freeId, fromFile, games, lessons, noteLesson, notePuzzles, noteRating, puzzles, rating,
  results } from "../page/store.js";
import { tableOf } from "./tables.js";

test("a file is added to what is here once, and nothing here is lost", async () => {
  const saved = tableOf("mini").save(), other = tableOf("mini", 2, { seed: 8 }).save();
  const of = (id, what) => ({ id, saved: what, begun: 1, touched: 1, over: false, how: null });
  const won = { id: "r", variant: "mini", match: false, house: false, against: ["greedy"], won: true, own: 3, best: 1 };
  const read = (all) => addFile(fromFile(JSON.stringify({ format: "casino-games 1", results: [won], games: all })));
  const many = Array.from({ length: 300 }, (_, at) => of(`g${at}`, saved));
  await read(many);
  for (const _ of [1, 2]) await read([...many, of("g1", other)]); // the second time its copy is found
  await read([]);
  assert.deepEqual([(await games()).length, (await results()).length], [301, 1]);
  const same = (await games()).filter(({ saved: { setup } }) => setup.seed === 8).map(({ id }) => id);
  assert.deepEqual([same.sort(), await freeId("g1"), await freeId("g2")], [["g1-2"], "g1-3", "g2-2"]);
  await assert.rejects(async () => read([of("new", saved), { id: "x", saved: {} }]), /x|setup|game/);
  assert.equal((await games()).length, 301);
  const all = fromFile(await allAsFile());
  assert.deepEqual([all.games.length, all.results], [301, [won]]);
});

test("lessons, puzzles and the rating of puzzles travel in a file, and what is spoilt is refused", async () => {
  noteLesson("swazi", "like", "sum");
  notePuzzles({ swazi: { 3: true } });
  noteRating({ rating: 1612.4, deviation: 200, volatility: 0.06 });
  const file = fromFile(await allAsFile());
  assert.deepEqual([file.lessons, file.puzzles, file.rating.past], [{ swazi: ["like", "sum"] }, { swazi: { 3: true } },
    [1612]]);
  const more = { ...file, lessons: { swazi: ["sum", "build"] }, puzzles: { swazi: { 3: false, 4: false } },
    rating: { ...file.rating, rating: 1400, past: [1500, 1400] } };
  await addFile({ ...more, games: [], results: [] });
  assert.deepEqual([lessons(), puzzles(), rating().rating], [{ swazi: ["like", "sum", "build"] },
    { swazi: { 3: true, 4: false } }, 1400]);
  await addFile({ ...file, games: [], results: [] }); // from somebody who has solved less
  assert.equal(rating().rating, 1400);
  const spoilt = JSON.stringify({ format: "casino-games 1", games: [], rating: { rating: "high" } });
  assert.throws(() => fromFile(spoilt), /is not a number/);
});
