// Games as links: whoever opens one has the same table; people at one device, and a friend elsewhere.

import assert from "node:assert/strict";
import test from "node:test";

import { parseAction } from "../page/casino/src/game/actions.js";
import { packed } from "../page/table/code.js";
import { Table, ahead, hasDecided, linkOf, readLink, setupFromPosition, tableOfLink } from "../page/table/index.js";
import { Random, agents, copyOf, playOn, tableOf, text } from "./tables.js";

const refused = (run, pattern) =>
  assert.throws(run, (error) => pattern.test(error.message) && !error.message.includes("\n"));

/** The person's turn, and what agents do after it. */
async function turn(table, random) {
  while (table.mine) table.play(random.of(table.moves()).actions);
  while (table.decider) await table.advance(agents);
}

for (const [variant, players] of [["khasino", 2], ["swazi", 3], ["cassino", 4]]) {
  test(`${players} people play ${variant} by links`, async () => {
    const random = new Random(players), seats = ["you", ...Array(players - 1).fill("friend")];
    let table = new Table({ variant, players, seats, seed: "18446744073709551615", rules: {} }), links = 0;
    while (!table.over) {
      await turn(table, random);
      if (table.over) break;
      assert.equal(table.other, "friend");
      const link = linkOf(table, "game-1");
      assert.match(link, /^[\w-]+\.[\w-]*$/);
      assert.ok(link.length < 500, `${link.length}`);
      const next = tableOfLink(readLink(link));
      assert.ok(next.game.equals(table.game));
      assert.deepEqual([next.mine, next.person, next.setup.seats.filter((spec) => spec === "friend").length],
        [true, table.game.seat, players - 1]);
      assert.deepEqual(next.events.map(({ seat, cards }) => [seat, cards]).flat(),
        table.events.map(({ seat, cards }) => [seat, cards]).flat());
      table = copyOf(next);
      links += 1;
    }
    assert.ok(links > players);
    assert.equal(tableOfLink(readLink(linkOf(table, "game-1"))).over, true);
  });
}

test("a deal for a friend has the cards, the others and the result, and no moves", async () => {
  const table = tableOf("khasino", 2, { seed: 5 });
  await playOn(table, new Random(3));
  const text = linkOf(table, "a", { deal: true }), link = readLink(text), other = tableOfLink(link, 0);
  assert.ok(text.length < 200);
  assert.deepEqual(link.points, table.seen().sheet.points);
  assert.deepEqual([link.actions, other.setup], [[], table.setup]);
  assert.ok(other.game.equals(table.start));
});

test("a game begun from a position has links as well", async () => {
  const start = tableOf("swazi", 2, { seed: 6 });
  await turn(start, new Random(2));
  const table = new Table(setupFromPosition(start.game.toJson(), ["you", "friend"]));
  await turn(table, new Random(3));
  const next = tableOfLink(readLink(linkOf(table, "a")));
  assert.ok(next.game.equals(table.game));
  assert.deepEqual(next.setup.position, table.setup.position);
  table.setup.position.text = "x".repeat(9000);
  refused(() => linkOf(table, "a"), /too long/);
});

test("links that are none, or of other rules, are refused in a line", () => {
  const link = linkOf(tableOf("khasino", 2), "a"), [head] = link.split(".");
  for (const bad of ["", ".", "AAAA", head.slice(0, 20), `${head}.__${"A".repeat(9000)}`, packed({}), packed([1, 0, "a",
    "khasino", ["you", "friend"], 1, {}, 0]), `${packed([1, 1, "a b", "khasino", ["you", "friend"], 1, {}, 0])}.`])
    refused(() => tableOfLink(readLink(bad)), /link|setup/i);
  for (const played of ["____", "AAAA"]) refused(() => tableOfLink(readLink(`${head}.${played}`)), /cannot be read/);
  refused(() => tableOfLink(readLink(`${packed([1, 1, "a", "khasino", ["you", "friend"], 1, { deck: 3 }, 0])}.`)), /./);
});

test("people at one device see their own hands, one after the other", async () => {
  const random = new Random(4),
    table = new Table({ variant: "swazi", players: 3, seats: ["you", "person", "counter"], seed: 4 });
  for (let step = 0; step < 200 && !table.over; step++) {
    if (table.other) {
      assert.equal(table.other, "person");
      await assert.rejects(() => table.advance(agents), /Another person/);
      table.sit(table.game.seat);
      const { scene, names, log } = table.seen();
      assert.deepEqual(scene.seats.map(({ hand }) => hand.length > 0).map(Number).reduce((a, b) => a + b), 1);
      assert.equal(text(names[table.person]), "You");
      assert.ok(log.every(({ seat, words }) => seat < 0 || /^You /.test(text(words)) === (seat === table.person)));
      assert.equal(text(names[table.person ? 0 : 1]), `Player ${table.person ? 1 : 2}`);
    }
    await turn(table, random);
  }
  assert.equal(table.over, true);
});

test("a link continues a game only where deal, rules, seats and history are the same", async () => {
  const begun = () => tableOf("khasino", 2, { seed: 5, seats: ["you", "friend"] });
  const table = begun(), before = begun(), random = new Random(3);
  while (table.mine) table.play(random.of(table.moves()).actions);
  const link = readLink(linkOf(table, "a")), done = link.actions.length;
  assert.deepEqual([ahead(before, link), ahead(table, link)], [done, 0]);
  assert.deepEqual([hasDecided(before), hasDecided(table)], [false, true]);
  const theirs = tableOfLink(link);
  assert.equal(ahead(theirs, readLink(linkOf(before, "a"))), -done);
  const forked = begun();
  forked.play(forked.moves().find(({ actions }) => parseAction(actions[0]) !== table.game.log[0][1]).actions);
  assert.equal(ahead(table, readLink(linkOf(forked, "a"))), null);
  for (const change of [{ seed: 6 }, { variant: "swazi" }, { seats: ["you", "counter"] }, { match: true }])
    assert.equal(ahead(before, { ...link, setup: { ...link.setup, ...change } }), null);
});

test("points that no game pays are refused", () => {
  for (const points of [[1e9, 0], [0.3, 0], ["3", 0]])
    refused(() => readLink(`${packed([1, 1, "a", "khasino", ["you", "friend"], 1, {}, 0, points])}.`), /link/);
});
