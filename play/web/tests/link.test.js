// Games as links: whoever opens one has the same table; several people at one device, and a friend elsewhere.

import assert from "node:assert/strict";
import test from "node:test";

import { parseAction } from "../page/casino/src/game/actions.js";
import { hashOf, lettersOf, packed } from "../page/table/code.js";
import { Table, ahead, forkOf, hasDecided, linkOf, readLink, setupFromPosition,
  tableOfLink } from "../page/table/index.js";
import { Random, agents, copyOf, playOn, tableOf, text } from "./tables.js";

const refused = (run, pattern) =>
  assert.throws(run, (error) => pattern.test(error.message) && !error.message.includes("\n"));

/** Return a link with a valid seal, whatever it says. */
function sealed(head, played = "") {
  const letters = `${packed(head)}.${played}`, hash = hashOf(new TextEncoder().encode(letters));
  return `${letters}.${lettersOf(new Uint8Array(new Uint32Array([hash]).buffer))}`;
}

/** Play the person's turn, and what agents do after it. */
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
      assert.match(link, /^[\w-]+\.[\w-]*\.[\w-]{6}$/);
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

for (const match of [false, true]) {
  test(`a ${match ? "match" : "deal"} for a friend has the cards and others, and its moves tell the result`, async () => {
    const table = tableOf("khasino", 2, { seed: 5, match }), random = new Random(3);
    const begun = readLink(linkOf(table, "a", { deal: true }), { deal: true });
    await playOn(table, random, 3);
    const unfinished = linkOf(table, "a", { deal: true });
    assert.deepEqual(readLink(unfinished, { deal: true }), begun);
    await playOn(table, random);
    const text = linkOf(table, "a", { deal: true }), link = readLink(text, { deal: true }), { sheet } = table.seen();
    assert.ok(text.length < (match ? 4000 : 300), `${text.length}`);
    assert.deepEqual([begun.points, link.points], [null, sheet.match?.after ?? sheet.points]);
    assert.ok(link.points.some((points) => points > 0));
    assert.deepEqual([link.actions, tableOfLink(link, 0).setup], [[], table.setup]);
    assert.ok(tableOfLink(link, 0).game.equals(table.start));
    const { actions } = readLink(text), head = [2, 1, "a", "khasino", ["you", "greedy"], 5, {}, Number(match)];
    assert.equal(sealed(head, lettersOf(actions)), text);
    assert.equal(readLink(sealed(head, lettersOf(actions.slice(0, -1))), { deal: true }).points, null);
    refused(() => readLink(sealed(head, lettersOf([...actions, 0])), { deal: true }), /cannot be read/);
  });
}

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
  const head = (change = {}) => Object.values({ version: 2, rules: 1, id: "a", variant: "khasino",
    seats: ["you", "friend"], seed: 1, own: {}, match: 0, ...change });
  assert.equal(tableOfLink(readLink(sealed(head()))).rules.name, "khasino");
  for (const bad of [packed(head()), `${packed(head())}.`, sealed({}), sealed(head({ version: 1 })),
    sealed(head({ rules: 0 })), sealed(head({ id: "a b" })), sealed(head(), "A".repeat(9000))])
    refused(() => readLink(bad), /^This link is incomplete/);
  for (const played of ["____", "AAAA"]) refused(() => tableOfLink(readLink(sealed(head(), played))), /cannot be read/);
  refused(() => readLink(sealed(head({ own: { deck: 3 } }))), /^Deck = 3/);
  refused(() => readLink(sealed(head({ variant: 5 }))), /variant/);
  for (const spec of ["strongest:time=60", "search:sims=1000000", "solved:cards=52", "a friend", "", "toString"])
    refused(() => readLink(sealed(head({ seats: ["you", spec] }))), /is incomplete/);
});

test("whatever is cut from a link or changed in it is found", async () => {
  const table = tableOf("khasino", 2, { seed: 5, seats: ["you", "friend"] });
  await turn(table, new Random(3));
  const link = linkOf(table, "a");
  for (let at = 0; at < link.length; at++) {
    refused(() => readLink(link.slice(0, at)), /is incomplete/);
    for (const letter of "A_.") if (letter !== link[at])
      refused(() => readLink(`${link.slice(0, at)}${letter}${link.slice(at + 1)}`), /is incomplete/);
  }
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
  assert.deepEqual(forkOf(table, readLink(linkOf(forked, "a"))), { key: "link.fork.moves", args: { turn: 1 } });
  assert.equal(forkOf(table, { ...link, setup: { ...link.setup, seed: 6 } }).key, "link.fork.deal");
  for (const change of [{ seed: 6 }, { variant: "swazi" }, { seats: ["you", "counter"] }, { match: true }])
    assert.equal(ahead(before, { ...link, setup: { ...link.setup, ...change } }), null);
});

test("a link that forks later says from which turn on", async () => {
  let table = tableOf("khasino", 2, { seed: 5, seats: ["you", "friend"] });
  const random = new Random(3);
  for (let turns = 0; turns < 3; turns++) {
    await turn(table, random);
    table = tableOfLink(readLink(linkOf(table, "a")));
  }
  const other = copyOf(table), [one, two] = [table.moves().at(0), table.moves().at(-1)];
  table.play(one.actions);
  other.play(two.actions);
  const fork = forkOf(table, readLink(linkOf(other, "a")));
  assert.equal(text(fork), "The moves differ from turn 4 on.");
});
