// The table between a person and agents: whole deals, undo, saving, refusals.

import assert from "node:assert/strict";
import test from "node:test";

import { actionText } from "../page/casino/src/game/actions.js";
import { Game, uncheckedGame } from "../page/casino/src/game/game.js";
import { observe, sampleDeterminizations } from "../page/casino/src/game/observed.js";
import { replay } from "../page/casino/src/game/record.js";
import { playerCounts, variants } from "../page/casino/src/game/rules.js";
import { Table, TableError, makeSetup, offer, setupFromPosition } from "../page/table/index.js";
import { sceneOf } from "../page/table/scene.js";
import { Random, agents, copyOf, playOn, tableOf, text } from "./tables.js";

const refused = (run, pattern) => assert.throws(run, (error) => pattern.test(error.message)
  && !error.message.includes("\n") && error.message.length < 400);

for (const variant of Object.keys(variants())) {
  test(`whole deals of ${variant} and their records`, async () => {
    const random = new Random(1);
    for (const players of playerCounts(variant).slice(0, 2)) {
      const table = tableOf(variant, players, { seat: players - 1 });
      await playOn(table, random);
      const again = replay(table.record()), { sheet } = table.seen();
      assert.deepEqual(again.scores(), table.game.scores());
      assert.deepEqual(sheet.sides.map(({ seats }, side) => [sheet.points[side], table.game.scores()[seats[0]]])
        .filter(([a, b]) => a !== b), []);
      assert.equal(sheet.rows.reduce((sum, row) => sum + row.points.reduce((a, b) => a + b), 0),
        sheet.points.reduce((a, b) => a + b));
      assert.equal(sheet.counts[0].counts.reduce((a, b) => a + b) <= table.rules.deck, true);
    }
  });
}

for (const [players, games] of [[2, 3], [3, 1], [4, 5]]) {
  test(`a match of ${games} games by ${players}: the score is on every sheet`, async () => {
    const table = tableOf("kasa", players, { seed: 4, rules: { match_games: games } });
    await playOn(table, new Random(2));
    const { match, log, sheet } = table.seen(), ends = log.filter(({ ended }) => ended);
    assert.equal(Math.max(...match.after), Math.floor(games / 2) + 1);
    assert.ok(ends.length >= Math.max(...match.after));
    ends.slice(1).forEach(({ ended }, at) => assert.deepEqual(ended.match.before, ends[at].ended.match.after));
    assert.deepEqual(sheet.match.after, match.after);
    assert.equal(match.after[sheet.winners[0]], Math.max(...match.after));
    assert.match(text(sheet.verdict), /the match$/);
    assert.equal(replay(table.record()).winner, table.game.winner);
  });
}

test("undo goes back to the same table, and no further than the turn", async () => {
  const random = new Random(2), table = tableOf("swazi", 3);
  let undone = 0;
  while (!table.over) {
    if (table.waiting) {
      await table.advance(agents);
      assert.equal(table.canUndo, false);
      continue;
    }
    const before = table.game, seen = table.seen();
    table.play(random.of(table.moves()).actions);
    if (!table.canUndo) continue;
    undone += 1;
    if (undone % 2) {
      table.undo();
      assert.ok(table.game.equals(before));
      assert.deepEqual(table.seen(), { ...seen, version: table.version });
    }
  }
  assert.ok(undone > 5);
  refused(() => table.undo(), /nothing to undo/);
});

for (const variant of ["swazi", "cassino", "khasino"]) {
  test(`a saved table of ${variant} goes on in mid-turn`, async () => {
    const random = new Random(3), table = tableOf(variant);
    for (let step = 0; step < 25; step++) {
      await playOn(table, random, 1);
      const twin = copyOf(table);
      assert.ok(twin.game.equals(table.game));
      assert.deepEqual(twin.seen(), table.seen());
      if (!table.canUndo) continue;
      twin.undo();
      assert.equal(twin.events.length < table.events.length, true);
      assert.ok(copyOf(twin).game.equals(twin.game));
    }
  });
}

test("illegal moves leave the table as it was", async () => {
  const table = tableOf("south-african");
  while (table.waiting) await table.advance(agents);
  const own = table.moves().find((move) => move.do === "discard").cards[0], saved = JSON.stringify(table.save());
  for (const [actions, pattern] of [[[], /at least one/], [["discard XX"], /not a card/], [["fly"], /not an action/],
    [["end"], /illegal/], [[`discard ${own}`, "end", "discard AS"], /not your turn|illegal/]]) {
    refused(() => table.play(actions), pattern);
    assert.equal(JSON.stringify(table.save()), saved);
  }
});

test("the person cannot play for an agent, nor an agent for the person", async () => {
  const table = tableOf("south-african");
  while (table.waiting) await table.advance(agents);
  await assert.rejects(() => table.advance(agents), /It is your turn/);
  while (!table.waiting) table.play(table.moves()[0].actions);
  refused(() => table.play([actionText(table.game.legal()[0])]), /not your turn/);
});

test("setups that cannot be are refused", () => {
  for (const [more, pattern] of [
    [{ seats: ["you", "you"] }, /Exactly one/], [{ seats: ["counter", "counter"] }, /Exactly one/],
    [{ seats: ["you"] }, /1 given for 2/],
    [{ variant: "swaz" }, /did you mean/], [{ seed: -1 }, /whole number/], [{ seed: 0.5 }, /whole number/],
    [{ seed: "18446744073709551616" }, /whole number/],
    [{ position: { variant: "swazi" } }, /position/], [{ rules: { steel: "no" } }, /unknown rule/i],
    [{ colour: 1 }, /no “colour”/],
    [{ rules: [] }, /has the wrong type/], [{ position: { x: "y".repeat(20_000) } }, /at most/],
    [{ players: 3, seats: ["you", "a", "b"], position: new Game("swazi", 2).toJson() }, /2 seats/],
  ]) refused(() => new Table({ variant: "swazi", players: 2, seats: ["you", "greedy"], ...more }), pattern);
  for (const wrong of [null, 7, [], {}, "swazi"]) refused(() => makeSetup(wrong), /must be an object/);
});

test("seeds of 64 bits", async () => {
  const table = tableOf("mini", 2, { seed: "18446744073709551615" });
  await playOn(table, new Random(1));
  assert.match(table.record(), /seed: 18446744073709551615/);
  assert.deepEqual(replay(table.record()).scores(), table.game.scores());
});

test("a pasted position brings its game, players and rules along", async () => {
  const start = new Game("khasino", 4, 4, { changes: { partners: false } });
  const setup = setupFromPosition(JSON.stringify(start.toJson()), ["you", "builder"]);
  assert.deepEqual([setup.variant, setup.players, setup.rules, setup.seats],
    ["khasino", 4, { partners: false }, ["you", "builder", "builder", "builder"]]);
  const table = new Table(setup);
  await playOn(table, new Random(4));
  assert.deepEqual(replay(table.record()).scores(), table.game.scores());
  refused(() => setupFromPosition("{"), /not JSON/);
  refused(() => setupFromPosition('{"variant": "swazi"}'), /position/i);
});

test("a position of a match goes on as one", async () => {
  const game = new Game("cassino", 2, 3, { match: true }), setup = setupFromPosition(game.toJson());
  assert.equal(setup.match, true);
  assert.ok(new Table(setup).seen().match);
});

// --- nothing hidden is shown -----------------------------------------------------------------------------------------

/** Return the same table with the hidden cards in other places. */
function twinOf(table, seed) {
  const twin = copyOf(table), [record] = sampleDeterminizations(observe(table.game, table.person), 1, seed);
  const game = uncheckedGame(record, table.rules, { skipForced: false });
  game.log = [...table.game.log];
  const changed = !game.equals(table.game);
  twin.game = game;
  return { twin, changed };
}

for (const [variant, players, rules] of [
  ["swazi", 3, {}], ["khasino", 4, {}], ["cassino", 2, {}], ["swazi-crazy", 2, {}], ["swazi", 3, { pile_order: "ask" }],
  ["swazi", 4, { insist_capture: "ask", insist_augment: "ask", pile_order: "ask" }],
]) {
  test(`hidden cards change nothing that is seen: ${variant} ${players} ${JSON.stringify(rules)}`, async () => {
    const random = new Random(5), table = tableOf(variant, players, { rules });
    let different = 0;
    for (let seed = 1; !table.over; seed++) {
      await playOn(table, random, 3);
      if (table.over) break;
      const { twin, changed } = twinOf(table, seed);
      different += changed;
      assert.deepEqual(twin.seen(), table.seen());
      assert.deepEqual(twin.position(), table.position());
    }
    assert.ok(different > 5);
  });
}

test("what is seen names no card of a hidden hand", async () => {
  const random = new Random(6), table = tableOf("south-african", 4);
  while (!table.over) {
    const shown = JSON.stringify(table.seen()),
      hidden = table.game.toJson().hands.flatMap((hand, seat) => (seat === table.person ? [] : hand));
    assert.deepEqual(hidden.filter((card) => new RegExp(`"(card |discard |capture )?${card}"`).test(shown)), []);
    await playOn(table, random, 1);
  }
});

for (const [variant, players] of [["swazi", 3], ["cassino", 2], ["african", 4]]) {
  test(`looking back at ${variant} shows what was shown then`, async () => {
    const random = new Random(8), table = tableOf(variant, players, { match: variant === "cassino" });
    const shown = new Map();
    let undone = 0;
    for (let step = 0; step < 150 && !table.over; step++) {
      shown.set(table.events.length, table.seen().scene);
      if (table.canUndo && random.below(10) < 4) {
        table.undo();
        undone += 1;
        for (const step of shown.keys()) if (step > table.events.length) shown.delete(step);
      } else await playOn(table, random, 1);
    }
    assert.ok(undone > 3);
    for (let step = 0; step < table.events.length; step++)
      if (shown.has(step)) assert.deepEqual(table.past(step).scene, shown.get(step));
    assert.deepEqual(table.past(10_000).scene, table.seen().scene);
    for (const step of table.past(0).steps) assert.ok(text(table.past(step).next.words));
  });
}

for (const [variant, faceUp] of [["swazi", true], ["khasino", true], ["cassino", false]]) {
  test(`piles of ${variant} are shown ${faceUp ? "whole" : "face down"}`, async () => {
    const random = new Random(9), table = tableOf(variant);
    let unsure = 0;
    while (!table.over) {
      for (const { pile } of table.seen().scene.seats) {
        assert.equal(pile.cards.length, faceUp ? pile.count : 0);
        assert.equal(pile.cards[0] ?? null, pile.top);
        unsure += pile.unsure.length;
      }
      await playOn(table, random, 1);
    }
    assert.equal(unsure > 0, variant === "swazi"); // piles of others are sorted in secret there
  });
}

// --- undo is no way to look under a pile -----------------------------------------------------------------------------

const topsOf = (table) => table.seen().scene.seats.map(({ pile }) => pile.top);

/** Return what the person might see after these actions, as far as it knows before them. */
function shownAfter(before, table, actions) {
  const shown = new Set();
  for (const record of sampleDeterminizations(observe(before, table.person), 12, 1)) {
    const game = uncheckedGame(record, table.rules, { skipForced: false });
    for (const action of actions) game.apply(action);
    shown.add(JSON.stringify(sceneOf(game, table.person, table.names)));
  }
  return shown;
}

for (const [variant, secret] of [["swazi", true], ["african", true], ["khasino", false]]) {
  test(`undo in ${variant} does not uncover piles`, async () => {
    let back = 0, news = 0;
    for (let deal = 0; deal < 8; deal++) {
      const random = new Random(100 + deal), table = tableOf(variant, 2, { seed: deal });
      while (!table.over) {
        if (table.waiting) {
          await table.advance(agents);
          continue;
        }
        const tops = topsOf(table), choice = table.moves(),
          likely = choice.filter(({ cards }) => cards.some((card) => tops.includes(card)));
        const before = table.game, begun = before.log.length;
        table.play(random.of(likely.length ? likely : choice).actions);
        if (!table.mine || !topsOf(table).some((top, seat) => top && tops[seat] && top !== tops[seat])) continue;
        const several = shownAfter(before, table, table.game.log.slice(begun).map(([, action]) => action)).size > 1;
        assert.ok(!(several && table.canUndo));
        back += table.canUndo;
        news += several;
      }
    }
    assert.ok(back > 3, `${back}`);
    assert.equal(news > 3, secret, `${back} ${news}`);
  });
}

// --- agents ----------------------------------------------------------------------------------------------------------

test("agents do not depend on how long they sit there", async () => {
  const tables = [tableOf("swazi", 3, { seed: 5 }), tableOf("swazi", 3, { seed: 5 })],
    randoms = [new Random(3), new Random(3)];
  while (!tables[0].over) {
    for (const k of [0, 1]) await playOn(tables[k], randoms[k], 1);
    tables[1] = copyOf(tables[1]);
  }
  assert.ok(tables[0].game.equals(tables[1].game));
});

test("an agent that watches is shown how the game has gone", async () => {
  const table = tableOf("swazi", 3);
  let watched = 0;
  const watcher = { reset() {}, act: (observed) => observed.legal()[0],
    watch: (observed) => { watched += 1; assert.equal(observed.seat, table.game.seat); } };
  for (let step = 0; step < 30; step++) {
    if (table.mine) table.play(table.moves()[0].actions);
    else {
      watched = 0;
      const done = table.game.log.length;
      await table.advance({ of: () => watcher });
      assert.equal(watched, done);
    }
  }
});

test("an agent's answer that comes too late is not played", async () => {
  const table = tableOf("swazi", 2, { seat: 1 });
  while (!table.waiting) table.play(table.moves()[0].actions);
  const slow = { of: () =>
    ({ reset() {}, act: (observed) => new Promise((done) => setTimeout(() => done(observed.legal()[0]), 20)) }) };
  const late = table.advance(slow);
  await table.advance(agents);
  await assert.rejects(late, /changed in the meantime|your turn/);
});

test("saved games that are refused are told in one line", () => {
  const table = tableOf("mini"), saved = table.save();
  for (const change of [{ format: "\n" }, { rulesVersion: "\n" }, { rulesVersion: "9".repeat(5000) }, { setup: "\n" },
    { changes: [7] }, { changes: [["fly"]] }, { changes: [null] }, { changes: [["end"]] }]) {
    refused(() => Table.load({ ...saved, ...change }), /./);
  }
  refused(() => Table.load(null), /Not a saved game/);
  assert.ok(new TableError("error.undo").words.key);
});

// --- what a page does: cards are chosen, and something is offered ----------------------------------------------------

const HOUSE = { pile_order: "ask", insist_capture: "ask", insist_augment: "ask" };
const DEALS = Object.keys(variants())
  .flatMap((variant) => playerCounts(variant).map((players) => [variant, players, {}]));
for (const [variant, players, rules] of [...DEALS, ["swazi", 4, HOUSE], ["african", 2, { pile_order: "ask" }],
  ["cassino", 3, { sweeps: true, count_out: true }]]) {
  test(`a deal of ${variant} with ${players} by choosing cards ${JSON.stringify(rules)}`, async () => {
    const random = new Random(players), table = tableOf(variant, players, { rules, seed: 11 });
    while (!table.over) {
      if (table.waiting) {
        await table.advance(agents);
        continue;
      }
      const seen = table.seen(), chosen = [];
      let offered = offer(seen, chosen);
      assert.ok(offered.moves.length + offered.plain.length + offered.lit.length > 0, "nothing can be done");
      if (seen.question) assert.ok(seen.moves.length > 1, "a question with one answer");
      while (!offered.moves.length || random.below(2)) {
        const further = offered.lit.filter((token) => !chosen.includes(token));
        if (!further.length) break;
        chosen.push(random.of(further));
        offered = offer(seen, chosen);
        assert.ok(offered.moves.length > 0, `${chosen} is lit, and nothing comes of it`);
      }
      assert.ok(text(offered.prompt));
      table.play((offered.moves[0] ?? offered.plain[0]).actions);
    }
  });
}

test("captured cards that are laid by the capturer can be laid", () => {
  const position = {
    variant: "swazi", players: 2, rules: { pile_order: "ask" }, hands: [["TC", "2S"], ["TD", "KS"]],
    builds: [{ value: 10, owner: 0, sets: [["6C", "4H"], ["7D", "3S"], ["8H", "2D"]] }],
  };
  const table = new Table({ variant: "swazi", players: 2, seats: ["you", "greedy"], position });
  table.play(table.moves().find((move) => move.do === "capture" && move.builds.includes(10)).actions);
  let laid = 0;
  while (table.mine && table.seen().question) {
    const offered = offer(table.seen());
    assert.ok(offered.moves.length > 1);
    assert.equal(offered.main, null);
    table.play(offered.moves[0].actions);
    laid += 1;
  }
  assert.equal(laid, 5); // the sixth has no alternative
});
