/** Next views: what the house must and must not tell about a new deal; blanks in texts; invalid rules. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { actionText, Game, loadKernels, makeRules, nextView, observe, parseAction, replay, viewOf,
  writeRecord } from "../src/index.js";

await loadKernels();

for (const [variant, drawn] of [["kasa", true], ["khasino", false]]) {
  test(`the house tells how a deal of ${variant} begins`, () => {
    const rules = makeRules(variant, 2, { target: 0, match_rounds: 3 });
    const after = new Game(rules, 2, 5, { match: true, skipForced: false });
    let before = after.clone();
    while (!after.record.get(0, "deals")) {
      before = after.clone();
      after.apply(after.legal()[0]);
    }
    const action = actionText(after.log.at(-1)[1]), { hands, layout, to_move: leader } = after.toJson();
    const next = (change) => nextView(viewOf(before, 0), action, { dealt: hands[0], layout, leader, ...change });
    assert.deepEqual([next().view, next().seat], [viewOf(after, 0), leader]);
    for (const wrong of [2, -1, 0.5, "0", null])
      assert.throws(() => next({ leader: wrong }), /^ToldError: leader: .*; the leader of the new deal is drawn/);
    const other = { name: "ToldError", message: `leader: ${1 - leader}; seat ${leader} leads the new deal` };
    if (drawn) assert.throws(() => next({ leader: undefined }), /^ToldError: leader: null; the leader .* is drawn/);
    else {
      assert.deepEqual(next({ leader: undefined }).view, viewOf(after, 0));
      assert.throws(() => next({ leader: 1 - leader }), other);
    }
    assert.throws(() => nextView(viewOf(before, 0), action, null), /^ToldError: (layout|leader|dealt):/); // no facts
    assert.throws(() => next({ take_build: 1 }), /^ToldError: take_build = 1; it must be true or false$/);
    assert.throws(() => next({ dealt: hands[0].slice(1) }), /^ToldError: dealt: seat 0 gets 10 cards with this action, not 9/);
    assert.throws(() => next({ layout: [...layout, "AS"] }), /^ToldError: layout: a new deal begins with \d+ cards/);
  });
}

test("an open action that nothing leads to is no view", () => {
  const game = new Game("khasino", 2, 1, { skipForced: false }), mover = game.seat;
  game.apply(game.legal()[0]);
  const view = viewOf(game, 1 - mover);
  view.turn.mode = 3;
  const message = `turn: no action of seat ${mover} leads to this open action`;
  assert.throws(() => nextView(view, "end"), { name: "PositionError", message });
});

test("blanks are those of ASCII, as in Python", () => {
  const game = new Game("mini", 2, 2);
  while (!game.over) game.apply(game.legal()[0]);
  const text = writeRecord(2, game), start = /^\d: /m;
  for (const blank of ["\v", "\f", "\t"]) {
    assert.equal(parseAction(`${blank}discard${blank}5H`), parseAction("discard 5H"));
    assert.ok(replay(text.replace(start, `$&${blank}`)).equals(game));
  }
  for (const blank of ["\x1c", "\x85", "\xa0", "\u2028", "\ufeff"]) {
    assert.throws(() => parseAction(`discard${blank}5H`), /is not an action/);
    assert.throws(() => replay(text.replace(start, `$&${blank}`)), /is not an action/);
    assert.throws(() => replay(text.replace("\n", `${blank}\n`)), /^RecordError: line 1: must be/);
  }
});

test("saved games may be node's buffers, which are parts of a larger one", () => {
  for (let seed = 0; seed < 20; seed++) {
    const game = new Game("mini", 2, seed), saved = Buffer.from(Buffer.from(game.toBytes()).toString("base64"), "base64");
    assert.ok(Game.fromBytes(saved, game.rules).equals(game));
  }
  assert.throws(() => Game.fromBytes(new Game("mini", 2, 1).toBytes()), /^TypeError: rules must come from makeRules/);
});

test("a copy has its seed, and a record only a seed that deals again", () => {
  const game = new Game("mini", 2, 7), twin = game.clone();
  twin.apply(twin.legal()[0]);
  assert.equal(twin.seed, 7);
  assert.equal(replay(writeRecord(twin.seed, twin)).seed, 7);
  assert.equal(replay(writeRecord(2n ** 60n, new Game("mini", 2, 2n ** 60n))).seed, 2n ** 60n);
  for (const start of [null, NaN, 1.5, "7\nresult: 99 0"])
    assert.throws(() => writeRecord(start, twin), /^Error: seed = /);
  assert.throws(() => writeRecord(8, twin), /^Error: seed = 8; the game was dealt from seed 7$/);
});

test("options of other kinds are refused", async () => {
  for (const option of ["match", "skipForced"]) {
    const said = new RegExp(`^Error: ${option} = .*; it must be true or false$`);
    for (const value of [0, 2, "false", null]) assert.throws(() => new Game("mini", 2, 1, { [option]: value }), said);
  }
  const game = new Game("mini", 2, 1);
  const wrong = [[{ skipForced: 1 }, /skipForced = 1; it/], [5, /must be an object/], [{ match: true }, /'match'/]];
  for (const [options, message] of wrong) {
    assert.throws(() => Game.fromJson(game.toJson(), options), message);
    assert.throws(() => Game.fromBytes(game.toBytes(), game.rules, options), message);
  }
  assert.throws(() => new Game("mini", 2, 1, { record: game }), /^Error: record = .*; it must be the record of a game$/);
  assert.throws(() => observe(game).determinizations(1, -1), /^Error: seed = -1; it must be a whole number from 0/);
  await assert.rejects(loadKernels({ facts: [] }), /^Error: facts: these are none/);
  await assert.rejects(loadKernels({ wasm: 5 }), /^Error: wasm: /);
  await assert.rejects(loadKernels(null), /^Error: options of loadKernels = null; it must be an object$/);
  await assert.rejects(loadKernels({ fact: 1 }), /unknown key 'fact' \(did you mean 'facts'\?\)$/);
});

test("a key of a record stands once", () => {
  const text = writeRecord(2, new Game("mini", 2, 2)).replace(/^seed: 2\n/m, "$&seed: 3\n");
  assert.throws(() => replay(text), /^RecordError: line 8: duplicate key 'seed'$/);
});

test("rules are a table of fields", () => {
  for (const wrong of [null, 7, "x", []])
    assert.throws(() => makeRules("swazi", 2, wrong), /^Error: rules: must be an object of rule fields$/);
});
