/** Next views: what the house must and must not tell about a new deal; blanks in texts; invalid rules. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { dumps } from "../src/game/record.js";
import { stateNumbers } from "../src/kernels/engine.js";
import { actionText, Game, gameOf, loadKernels, makeRules, nextView, observe, parseAction, readRecord, replay,
  rulesOf, use, viewOf, writeRecord } from "../src/index.js";

await loadKernels();

for (const [variant, drawn, seed] of [["kasa", true, 5], ["khasino", false, 5], ["kasa", true, 6],
  ["khasino", false, 6]]) {
  test(`the house tells how a deal of ${variant} begins, led by seat ${6 - seed}`, () => {
    const rules = makeRules(variant, 2, { target: 0, match_rounds: 3 });
    const after = new Game(rules, 2, seed, { match: true, skipForced: false });
    let before = after.clone();
    while (!after.record.get(0, "deals")) {
      before = after.clone();
      after.apply(after.legal()[0]);
    }
    const action = actionText(after.log.at(-1)[1]), { hands, layout, to_move: leader } = after.toJson();
    const next = (change) => nextView(viewOf(before, 0), action, { dealt: hands[0], layout, leader, ...change });
    assert.deepEqual([leader, next().view, next().seat], [6 - seed, viewOf(after, 0), leader]);
    assert.deepEqual(Game.fromJson(before.toJson()).toJson(), before.toJson()); // with the stream of the next deals
    for (const wrong of [2, -1, 0.5, "0"])
      assert.throws(() => next({ leader: wrong }), /^ToldError: leader = .*; it must be a whole number from 0 to 1$/);
    const other = { name: "ToldError", message: `leader: ${1 - leader}; seat ${leader} leads the new deal` };
    if (drawn) assert.throws(() => next({ leader: null }), /^ToldError: leader: the leader .* is drawn/);
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

test("every seat gets its whole hand of a new deal, whichever cards those that it had were", () => {
  const rules = makeRules("kasa", 3, { target: 0, match_rounds: 3 });
  const after = new Game(rules, 3, 0, { match: true, skipForced: false });
  let before = after.clone();
  while (!after.record.get(0, "deals")) {
    before = after.clone();
    after.apply(after.legal()[0]);
  }
  const { hands, layout, to_move: leader } = after.toJson(), action = actionText(after.log.at(-1)[1]);
  for (const [seat, dealt] of hands.entries())
    assert.deepEqual(nextView(viewOf(before, seat), action, { dealt, layout, leader }).view, viewOf(after, seat));
});

test("the house tells for whom another seat builds", () => {
  const game = new Game("swazi", 4, 19, { skipForced: false });
  for (let step = 0; step < 75; step++) game.apply(game.legal()[(step * 7 + 19) % game.legal().length]);
  const next = (told) => nextView(viewOf(game, 1), "card 6D", told).view;
  for (const [owner, word] of [[0, "yes"], [2, "no"], [null]]) {
    const after = game.clone();
    for (const action of ["card 6D", word].filter(Boolean)) after.apply(action);
    assert.deepEqual(next({ owner, take_build: null, leader: undefined }), viewOf(after, 1));
  }
  const unneeded = { leader: "0", take_build: 0, layout: null, dealt: "2X" }; // what is not needed is checked as well
  for (const [key, value] of Object.entries(unneeded))
    assert.throws(() => next({ owner: 0, [key]: value }), new RegExp(`^ToldError: ${key} = .*; it must be `));
  assert.throws(() => next({}), /^ToldError: owner: seat 0 may build for itself or for its partner; say who owns the new build/);
  for (const owner of [1, 3])
    assert.throws(() => next({ owner }), { message: `owner: ${owner}; that seat cannot own the build of 13` });
  for (const owner of [4, -1, 0.5])
    assert.throws(() => next({ owner }), { message: `owner = ${owner}; it must be a whole number from 0 to 3` });
});

test("the house tells what lies under a card that is taken from a secret pile", () => {
  const after = new Game("swazi", 2, 0, { skipForced: false });
  let before = after;
  for (let step = 0; step < 26; step++) {
    before = after.clone();
    after.apply(after.legal()[(step * 7) % after.legal().length]);
  }
  const [[top, last], [was]] = [after, before].map((game) => game.toJson().piles[0].slice(-2).reverse());
  const next = (tops, seat = 1) => nextView(viewOf(before, seat), "card 2D", { tops });
  const wrong = (pile, card) => ({ name: "ToldError", message: `tops: ${card} is not on top of pile ${pile}; ${top} is` });
  const which = { name: "ToldError",
    message: "tops: a card of pile 0 has been taken; say which of its cards is on top now" };
  const nowhere = { name: "ToldError", message: `tops: ${was} is in no pile` };
  assert.deepEqual([before.seat, was], [1, "6H"]);
  assert.deepEqual(next([top]).view, viewOf(after, 1));
  assert.equal(next([last]).view.piles[0].at(-1), last); // for all that the seat knows
  for (const tops of [undefined, [], [was], [top, last]]) assert.throws(() => next(tops), which);
  for (const tops of [[top], [], undefined]) assert.deepEqual(next(tops, 0).view, viewOf(after, 0)); // its own pile
  assert.throws(() => next([last], 0), wrong(0, last));
  for (const tops of [[was], [top, was]]) assert.throws(() => next(tops, 0), nowhere);
  for (const seat of [0, 1]) // needed or not
    assert.throws(() => next([top, top], seat), { name: "ToldError", message: "tops: a card is listed twice" });
  assert.throws(() => next([top, was]), nowhere);
});

test("a seat sees each card that it sorts, and of another's cards only that they are sorted", () => {
  const { SORTING } = stateNumbers(), game = new Game(makeRules("swazi", 3, { pile_order: "ask" }), 3, 0,
    { skipForced: false });
  for (let step = 0; step < 10; step++) game.apply(game.legal()[(step * 7) % game.legal().length]);
  const { seat } = game, [, action, ...others] = game.legal(), one = game.clone();
  assert.ok(game.record.get(0, "mode") === SORTING && others.length > 1);
  one.apply(action);
  const all = one.clone();
  while (all.record.get(0, "mode") === SORTING) all.apply(all.legal()[0]);
  for (let looks = 0; looks < 3; looks++)
    assert.deepEqual(nextView(viewOf(game, looks), actionText(action)).view, viewOf(looks === seat ? one : all, looks));
});

test("who counts one pile remembers none", () => {
  const view = viewOf(new Game("cassino", 2, 1), 0);
  for (const [piles, memory] of [[[[], []], "perfect"], [[[], 0], "none"], [[0, 0], "none"]])
    assert.equal(gameOf({ ...view, piles }).memory, memory);
});

test("a view may leave out empty piles, and one card is one card", () => {
  const game = new Game("draw", 2, 1, { skipForced: false });
  game.apply("discard 7S");
  const view = viewOf(game, 1);
  game.apply("end");
  for (const piles of [undefined, []]) {
    const part = { ...view, piles };
    assert.equal(gameOf(part).memory, "perfect");
    assert.deepEqual(nextView(part, "end", { dealt: ["KS"] }).view, viewOf(game, 1));
    assert.throws(() => nextView(part, "end"), /^ToldError: dealt: seat 1 gets 1 card with this action, not 0; list them$/);
  }
});

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
  assert.ok(replay(text.replace(/(^\d:|;) /gm, "$1")).equals(game));
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
  const one = new Game("mini", 2, 1);
  assert.throws(() => Game.fromBytes(one.toBytes()), /^TypeError: rules must come from makeRules/);
  assert.throws(() => Game.fromBytes([...one.toBytes()], one.rules), /^Error: a saved game must be a Uint8Array$/);
  for (const other of [new Game("mini", 2, 2), new Game("mini-7", 2, 1), one.toBytes()]) assert.ok(!one.equals(other));
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
  await assert.rejects(loadKernels({ facts: [] }), /^Error: facts: not those of the kernels/);
  await assert.rejects(loadKernels({ wasm: 5 }), /^Error: wasm: /);
  await assert.rejects(loadKernels(null), /^Error: options of loadKernels = null; it must be an object$/);
  await assert.rejects(loadKernels({ fact: 1 }), /unknown key 'fact' \(did you mean 'facts'\?\)$/);
});

test("a game plays forced actions itself, however many, unless it is told not to", () => {
  const forced = makeRules("south-african", 2, { rounds: 20, table_cards: 0, insist_capture: "always" });
  assert.deepEqual([new Game(forced, 2, 86).log.length, new Game(forced, 2, 86).over], [80, true]);
  assert.deepEqual(new Game(forced, 2, 86, { skipForced: false }).log, []);
});

test("a position is an object, and its cards are lists", () => {
  const data = new Game("swazi", 2, 1).toJson();
  for (const wrong of [null, undefined, 5, "{}", [data]])
    assert.throws(() => Game.fromJson(wrong), { name: "PositionError", message: "a position must be a JSON object" });
  for (const key of ["variant", "players"]) {
    const part = Object.fromEntries(Object.entries(data).filter(([other]) => other !== key));
    assert.throws(() => Game.fromJson(part), { name: "PositionError", message: `${key}: missing` });
  }
  for (const cards of ["", "AS", null, 5, { 0: "AS" }])
    for (const key of ["layout", "stock"]) assert.throws(() => Game.fromJson({ ...data, [key]: cards }),
      { name: "PositionError", message: `${key}: must be a list of cards` });
});

test("a position tells that nobody has won", () => {
  const game = new Game(makeRules("mini", 2, { target: 0, match_rounds: 1 }), 2, 0, { match: true });
  while (!game.over) game.apply(game.legal()[0]);
  assert.deepEqual([game.winner, game.toJson().winner], [null, null]);
  assert.equal(Game.fromJson(game.toJson()).record.get(0, "winner"), game.record.get(0, "winner"));
  for (const winner of [-1, 2]) assert.throws(() => Game.fromJson({ ...game.toJson(), winner }),
    { name: "PositionError", message: `winner = ${winner}; it must be a whole number from 0 to 1` });
  assert.throws(() => game.apply("end"), { name: "IllegalActionError", message: "end is illegal: the game is over" });
});

test("what goes wrong in the program is no fault of the position", () => {
  const data = new Game("mini", 2, 1).toJson();
  Object.defineProperty(data, "hands", { get() { throw new TypeError("broken"); } });
  assert.throws(() => Game.fromJson(data), /^TypeError: broken$/);
});

test("records are in ASCII", () => {
  assert.equal(dumps({ "é": ["\u2028", 1, null] }), '{"\\u00e9": ["\\u2028", 1, null]}');
});

test("a key of a record stands once", () => {
  const text = writeRecord(2, new Game("mini", 2, 2)).replace(/^seed: 2\n/m, "$&seed: 3\n");
  assert.throws(() => replay(text), /^RecordError: line 8: duplicate key 'seed'$/);
});

test("actions of a record have the numbers of their lines", () => {
  const game = new Game("mini", 2, 2);
  while (!game.over) game.apply(game.legal()[0]);
  const text = writeRecord(2, game), lines = text.split("\n"), { actions } = readRecord(text);
  assert.equal(actions.length, game.log.length);
  for (const [line, action] of actions) assert.ok(/^\d: /.test(lines[line - 1]) && lines[line - 1].includes(action));
});

test("rules are a table of fields", () => {
  for (const wrong of [null, 7, "x", []])
    assert.throws(() => makeRules("swazi", 2, wrong), /^Error: rules: must be an object of rule fields$/);
  for (const target of [-1, 10000])
    assert.throws(() => makeRules("swazi", 2, { target }), new RegExp(`: target = ${target}; it must be 0 to 9999$`));
  for (const target of [1.5, "9", null, true])
    assert.throws(() => makeRules("swazi", 2, { target }), /^Error: rules: target = .*; it must be a whole number$/);
  assert.equal(makeRules("swazi", 2, { target: 9999 }).target, 9999);
  assert.throws(() => makeRules("swazi", 2, { sweeps: true }),
    /^Error: rules: swazi has no sweeps; its document rules it out$/);
  assert.equal(makeRules("swazi", 2, { sweeps: false }).key, makeRules("swazi", 2).key);
  assert.throws(() => makeRules("swazi", 2, { table_cards: 9 }),
    /^Error: rules of swazi with 2 players: 43 cards cannot be dealt evenly in 2 rounds$/);
  assert.throws(() => makeRules("swazi", 2, { count_out: true }), /: count_out needs a target$/);
});

test("more than half of all fields are a custom game, as in older files", () => {
  const whole = makeRules("swazi", 2), fields = use().constant("rules", "_FIELDS");
  const half = Math.floor(fields.length / 2);
  const some = (many) => Object.fromEntries(fields.slice(0, many).map((name) => [name, whole[name]]));
  assert.equal(rulesOf("swazi", 2, some(half)).key, whole.key);
  const custom = rulesOf("swazi", 2, some(half + 1));
  assert.equal(custom.key, rulesOf("swazi", 2, { ...some(half + 1), own: true }).key);
  assert.notEqual(custom.key, whole.key);
});
