/** Agents: names and specs, the contract, answers that equal Python's, memory, damaged files, workers. */

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Judge, net, verdict } from "../src/agents/analyse.js";
import { checksum, fromHalf, readDescription, readTensors, readWeights, sha256, Shape } from "../src/agents/files.js";
import { search } from "../src/agents/kinds.js";
import { weightsOf } from "../src/agents/policies.js";
import { agents, makeAgent, offered, policies, usePolicies } from "../src/agents/registry.js";
import { Game, Kernels, loadKernels, makeRules, Observed, observe, tables } from "../src/index.js";
import { closest, floatIn } from "../src/game/validate.js";
import { AbortError, RemoteAgent, RemoteAgents } from "../src/agents/remote.js";

const kernels = await loadKernels();
const FOLDER = new URL("../../../agents/policies/", import.meta.url);
usePolicies(FOLDER);
const { MISTAKE } = kernels.constants("agents.search.verdicts");
const file = (name) => new Uint8Array(readFileSync(new URL(name, FOLDER)));
/** What is sealed, without its closing brace, with its checksum. */
const sealedText = (body) => `${body}, "checksum": "${checksum(new TextEncoder().encode(body))}"}`;

/** Yield games under these rules, each advanced by some actions. */
function* moments(rules, count, seed = 0) {
  for (let number = 0; number < count; number++) {
    const game = new Game(rules, undefined, seed + number);
    for (let step = (number * 7) % 60; step > 0 && !game.over; step--)
      game.apply(game.legal()[(step * 31 + number) % game.legal().length]);
    if (!game.over) yield game;
  }
}

async function playOut(game, players) {
  for (const [seat, agent] of players.entries()) {
    await agent.check?.(game.rules);
    await agent.reset(seat, 1);
  }
  while (!game.over) {
    const { seat } = game, action = await players[seat].act(observe(game));
    assert.ok(game.legal().includes(action));
    for (const [other, agent] of players.entries()) if (other !== seat) await agent.watch?.(observe(game, other));
    game.apply(action);
  }
  return game.scores();
}

// --- names -----------------------------------------------------------------------------------------------------------

test("a spec that names no agent, or gives it wrong parameters, is refused in one line", async () => {
  const longest = kernels.constant("agents.registry", "_LONGEST");
  for (const [spec, words] of [
    ["contr", /^unknown agent 'contr' \(did you mean 'counter'\?\); known: random, greedy, /],
    ["", /^unknown agent ''; known: /],
    [7, /^an agent must be named by a string, not 7$/],
    [`counter:${"x".repeat(longest)}`, new RegExp(`has ${longest + 8} characters; a spec has at most ${longest}$`)],
    ["counter:efort=3", /^counter: unknown parameter 'efort' \(did you mean 'effort'\?\); known: effort$/],
    ["counter:effort=x", /^counter: effort = 'x'; it must be a whole number$/],
    ["counter:effort=1.0", /^counter: effort = '1\.0'; it must be a whole number$/],
    ["counter:=5", /^counter: unknown parameter ''; known: effort$/],
    ["counter:effort=2000", /^counter: effort = 2000; it must be a whole number from 0 to 1000$/],
    ["counter:effort=1,effort=2", /^counter: parameter 'effort' is given twice$/],
    ["search:time=inf", /^search: time = 'inf'; it must be a finite number$/],
    ["search:time=0", /^search: time = 0; it must be a number above 0 and at most 600$/],
    ["search:sims=1,time=1", /^search: give sims or time, not both$/],
    ["search:horizon=del", /^search: horizon = 'del' \(did you mean 'deal'\?\); it must be one of end, deal$/],
    ["search:rollout=contr", /^search: rollout = 'contr' \(did you mean 'counter'\?\)/],
    ["search:cut=2", /^search: cut = 2: a bot cannot judge positions/],
    ["search:policy=khasino-2,rollout=counter", /^search: give policy or rollout, not both$/],
    ["policy", /^policy: parameter 'path' is missing; write policy:path=\.\.\.$/],
    ["policy:khasin-2", /^policy: unknown policy 'khasin-2' \(did you mean 'khasino-2'\?\)$/],
    ["policy:khasino-2,turns=9", /^policy: turns = 9; it must be a whole number from 1 to 8$/],
    ["policy:khasino-2,think=5,turns=3", /^policy: turns = 3: cannot be combined with think or sims; leave it out$/],
    ["policy:khasino-2,think=0", /^policy: think = 0; it must be a number above 0 and at most 600000$/],
    ["search:margin=1", /^search: margin = 1: needs a policy over afterstates$/],
    ["solved:agent=contr", /^solved: agent = unknown agent 'contr' \(did you mean 'counter'\?\); known: /],
    ["solved:agent=solved", /^solved: agent = solved: it already plays endings with the solver$/],
  ])
    await assert.rejects(makeAgent(spec), (error) => {
      assert.match(error.message, words);
      assert.ok(!error.message.includes("\n"));
      return true;
    });
});

test("words and numbers", () => {
  const known = ["counter", "partner", "greedy", "builder"];
  const near = { coutner: "counter", "partners": "partner", bidler: "builder", reed: "greedy", xyz: "" };
  for (const [word, wanted] of Object.entries(near))
    assert.equal(closest(word, known), wanted && ` (did you mean '${wanted}'?)`, word);
  const [most, more] = [60, 61].map((long) => "x".repeat(long));
  assert.deepEqual([closest(most, [more]), closest(more, [most])], [` (did you mean '${more}'?)`, ""]);
  assert.deepEqual([floatIn(0, "x", 0, 1), floatIn(0.5, "x", 0, 1, true), floatIn(1, "x", 0, 1, true)], [0, 0.5, 1]);
  assert.throws(() => floatIn(0, "x", 0, 1, true), /^Error: x = 0; it must be a number above 0 and at most 1$/);
  assert.throws(() => floatIn(-1, "x", 0, 1), /^Error: x = -1; it must be a number from 0 to 1$/);
});

test("records and arrays have what they say", () => {
  const one = kernels.values("GAME");
  assert.equal(one.length, 1);
  for (const [work, message] of [
    [() => one.get(1, "mode"), "GAME[1]: indices are 0 to 0"],
    [() => one.get(-1, "mode"), "GAME[-1]: indices are 0 to 0"],
    [() => one.get(0, "mode", 1), "GAME.mode[1]: indices are 0 to 0"],
    [() => one.get(0, "moda"), "GAME has no field moda"],
    [() => one.copy(kernels.values("RULES")), "RULES is not GAME"],
    [() => one.write(0, new Uint8Array(3)), `a record of GAME has ${one.size} bytes, not 3`],
    [() => kernels.values("GAME", new Uint8Array(3)), `a record of GAME has ${one.size} bytes, not 3`],
    [() => kernels.array("i64", [2, -1]), "an array of 2 x -1: sizes must be whole numbers"],
    [() => kernels.array("i64", 0.5), "an array of 0.5: sizes must be whole numbers"],
    [() => kernels.array("i64", 2 ** 28), "no memory for 2147483648 bytes"],
    [() => kernels.array("i64", 2 ** 29 - 1), "no memory for 4294967288 bytes"], // the allocator itself would trap
    [() => kernels.constant("rules", "MOST"), "rules has no MOST"],
    [() => kernels.entry("nothing"), 'unknown entry "nothing"'],
  ]) assert.throws(work, { message });
  assert.throws(() => kernels.records("NOTHING"), /^Error: unknown record "NOTHING"; known: .*\bGAME\b/);
});

test("a kernel that traps, or says that it failed, is named", () => {
  const name = "engine.state.derive", { symbol } = kernels.facts.entries[name];
  const code = new WebAssembly.Module(readFileSync(new URL("../dist/casino.wasm", import.meta.url)));
  const derive = (instead) => {
    const others = new Kernels(new WebAssembly.Instance(code), kernels.facts);
    others.exports = { ...others.exports, [symbol]: instead };
    return () => others.entry(name)(others.records("RULES"));
  };
  const traps = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  assert.throws(derive(traps), { message: `${name} failed: unreachable` });
  assert.throws(derive(() => 1), { message: `${name} failed` });
  assert.equal(derive(() => 0)(), undefined);
});

test("what kernels are called with is checked", () => {
  const [game, rules, freed] = ["GAME", "RULES", "GAME"].map((name) => kernels.records(name));
  const numbers = kernels.array("i64", 2);
  [freed, numbers].forEach((one) => one.free());
  const start = (...args) => () => kernels.entry("engine.entrypoints.start")(...args);
  const pin = (settings) => () => kernels.pin("PlaySettings", settings), play = [0.5, 3, 2 ** 40, -1];
  const named = { exact: -1, width: 2 ** 40, turns: 3, temperature: 0.5 };
  assert.deepEqual(pin(play)().words, pin(named)().words);
  const tuple = "PlaySettings must be a tuple: temperature, turns, width, exact";
  for (const [work, message] of [
    [start(game, rules, 1), "engine.entrypoints.start takes 4 arguments (records, rules, seed, match), not 3"],
    [start(rules, rules, 1, 0),
      "engine.entrypoints.start: records must be an array of GAME of 1 dimensions, not RULES of 1"],
    [start({}, rules, 1, 0), "engine.entrypoints.start: records must be an array of GAME of 1 dimensions, not object"],
    [start(freed, rules, 1, 0), "engine.entrypoints.start: records has been freed"],
    [start(game, rules, 0.5, 0), "engine.entrypoints.start: seed must be a whole number"],
    [pin(play.slice(1)), `PlaySettings: ${tuple}`], [pin(null), `PlaySettings: ${tuple}`],
    [pin({ ...named, temperature: "1" }), "PlaySettings: PlaySettings.temperature must be a number"],
    [() => kernels.entry("agents.opened.reset")(1, pin(play)(), 0, 0),
      "agents.opened.reset: a: the pinned value has another type"],
    [() => freed.get(0, "mode"), "the records have been freed"], [() => numbers.data, "the array has been freed"],
  ]) assert.throws(work, { message });
  assert.equal(kernels.entry("engine.state.derive")(rules), undefined); // it has no result
  [game, rules].forEach((one) => one.free());
});

test("all that a card table offers can be made", async () => {
  assert.deepEqual(offered().slice(0, 3), ["random", "greedy", "builder"]);
  for (const spec of offered()) (await makeAgent(spec)).close();
});

// --- the contract ----------------------------------------------------------------------------------------------------

const SPECS = ["random", "greedy", "beginner", "builder", "counter", "partner", "counter:effort=2", "search:sims=20",
  "solved", "strongest:sims=40"];

test("every agent plays legal actions in every game, and says what it thinks of them", async () => {
  for (const [name, rules] of Object.entries(tables())) {
    for (const spec of SPECS) {
      const agent = await makeAgent(spec);
      await agent.check?.(rules);
      agent.reset(0, 3);
      for (const game of moments(rules, 2, 5)) {
        const seen = observe(game), before = seen.view.bytes(0),
          { action, chances, value, values } = await agent.analyse(seen);
        assert.ok(game.legal().includes(action), `${spec} in ${name}`);
        assert.ok(Math.abs(chances.reduce((sum, one) => sum + one, 0) - 1) < 1e-9);
        assert.ok(chances.every((chance, each) => !chance || game.legal().includes(each)));
        assert.ok(value === null || Number.isFinite(value));
        assert.ok([...values.keys()].every((each) => game.legal().includes(each)));
        assert.deepEqual(seen.view.bytes(0), before);
        agent.reset(0, 3);
        assert.equal(typeof (await agent.act(seen)), "number");
      }
      agent.close();
    }
  }
});

test("the same seed, the same play", async () => {
  for (const spec of ["random", "policy:khasino-2-easy", "search:sims=60", "policy:khasino-2,sims=60"]) {
    const scores = [];
    for (let time = 0; time < 2; time++) {
      const players = [await makeAgent(spec), await makeAgent("counter")];
      scores.push(await playOut(new Game("khasino", 2, 8), players));
      players.forEach((player) => player.close());
    }
    assert.deepEqual(scores[0], scores[1], spec);
  }
});

test("a policy beats a bot, and itself with less care", async () => {
  for (const [spec, other, deals, points] of [
    ["policy:khasino-2", "greedy", 10, 4], ["policy:khasino-2", "policy:khasino-2-easy", 40, 0],
    ["strongest:sims=100", "greedy", 2, 2], ["policy:khasino-2,think=5", "policy:khasino-2-easy", 10, 0],
  ]) {
    const players = [await makeAgent(spec), await makeAgent(other)];
    let sum = 0;
    for (let deal = 0; deal < deals; deal++) {
      const [mine, theirs] = await playOut(new Game("khasino", 2, deal), players);
      const [others, own] = await playOut(new Game("khasino", 2, deal), [players[1], players[0]]);
      sum += mine - theirs + own - others;
    }
    assert.ok(sum / deals / 2 > points, `${spec} over ${other}: ${sum / deals / 2}`);
    players.forEach((player) => player.close());
  }
});

test("a policy refuses games that it cannot read", async () => {
  const agent = await makeAgent("policy:khasino-2");
  assert.throws(() => agent.check(makeRules("swazi", 4)),
    /^Error: khasino-2 plays khasino with 2 players, not swazi with 4$/);
  agent.check(makeRules("khasino", 2));
  agent.close();
});

// --- memory ----------------------------------------------------------------------------------------------------------

/** Assert that repeating a round needs no more memory than its first run. */
async function staysFlat(round, times) {
  await round();
  const before = kernels.memory.buffer.byteLength;
  for (let time = 0; time < times; time++) await round();
  assert.equal(kernels.memory.buffer.byteLength, before);
}

test("memory is flat", () => staysFlat(async () => {
  for (const spec of ["counter", "policy:cassino-2", "search:policy=cassino-2,sims=40", "strongest:sims=40",
    "solved"]) {
    const agent = await makeAgent(spec);
    await playOut(new Game("cassino", 2, 1), [agent, agent]);
    agent.close();
  }
}, 5));

test("who closes before the answer is there gets the memory back", async () => {
  const observed = observe(new Game("cassino", 2, 1));
  await staysFlat(async () => {
    const search = await makeAgent("strongest:sims=2"), judge = new Judge();
    search.reset(0, 1);
    const answers = [search.act(observed), search.analyse(observed), judge.advise(observed, { games: 1 })];
    search.close();
    judge.close();
    await Promise.all(answers);
  }, 3);
});

// --- mistakes of callers ---------------------------------------------------------------------------------------------

test("a game begins on a seat, with a seed", async () => {
  const observed = observe(new Game("khasino", 2, 4));
  for (const spec of ["counter", "strongest:sims=2", "solved", "policy:khasino-2"]) {
    const agent = await makeAgent(spec);
    agent.reset(0, 1);
    const action = await agent.act(observed);
    for (const seat of [6, -1, 1.5, null, "0"]) assert.throws(() => agent.reset(seat, 1), /^Error: seat = /);
    for (const seed of [-1, NaN, 2 ** 53, undefined, "1"]) assert.throws(() => agent.reset(0, seed), /^Error: seed = /);
    agent.reset(0, 1);
    assert.equal(await agent.act(observed), action);
    agent.close();
  }
});

test("who has begun no game plays as seat 0 with seed 0", async () => {
  for (const spec of ["random", "search:sims=20"]) {
    const [fresh, begun] = [await makeAgent(spec), await makeAgent(spec)];
    begun.reset(0, 0);
    for (const game of moments(makeRules("khasino", 2), 12))
      assert.equal(fresh.act(observe(game)), begun.act(observe(game)));
    [fresh, begun].forEach((agent) => agent.close());
  }
});

test("what no game agrees with, and who does not decide, is refused", async () => {
  const game = new Game("khasino", 2, 4), { rules, seat, view } = observe(game), other = view.clone();
  other.set(0, "hidden_stock", 1 + view.get(0, "hidden_stock"));
  for (const spec of ["search:sims=20", "strongest:sims=20"]) {
    const agent = await makeAgent(spec), act = async (...seen) => agent.act(new Observed(rules, ...seen));
    await assert.rejects(act(seat, other, game.legal()),
      { name: "NoDeterminizationError", message: `no game is consistent with what seat ${seat} knows` });
    await assert.rejects(act(1 - seat, view, game.legal()), /^Error: this seat does not decide here$/);
    await assert.rejects(act(seat, view, []), new RegExp(`^Error: seat ${seat} has nothing to decide$`));
    agent.close();
  }
});

test("a search takes the time that it is given", async () => {
  const agent = await makeAgent("search:time=0.3"), observed = observe(new Game("khasino", 2, 4));
  agent.reset(0, 1);
  const began = performance.now();
  await agent.act(observed);
  assert.ok(performance.now() - began > 250);
  agent.close();
});

test("the strongest agent is the search with the policy for the game", async () => {
  const observed = observe(new Game("cassino", 2, 5)), found = [];
  for (const spec of ["strongest:sims=40", "search:policy=cassino-2,sims=40"]) {
    const agent = await makeAgent(spec);
    agent.reset(observed.seat, 9);
    found.push(await agent.analyse(observed));
    agent.close();
  }
  assert.deepEqual(found[0], found[1]);
});

test("rules are checked before an agent is asked whether it plays them", async () => {
  for (const spec of ["counter", "strongest", "policy:swazi-3"]) {
    const agent = await makeAgent(spec);
    for (const rules of ["swazi", 5, null, { name: "swazi", players: 3 }])
      await assert.rejects(async () => agent.check(rules), /^TypeError: rules must come from makeRules\(\) or a game, not /);
    agent.close();
  }
});

test("what several turns lose is their sum, and their noise adds up in squares", () => {
  const one = { loss: 1, low: 0, high: 6, mistake: false }, other = { loss: 2, low: -1, high: 7, mistake: false };
  assert.deepEqual(net([one, other]), { loss: 3, half: 5 });
  assert.deepEqual(net([]), { loss: 0, half: 0 });
});

test("what is no complete turn is not judged", async () => {
  const judge = new Judge(), observed = observe(new Game("khasino", 2, 4));
  const { turns } = await judge.advise(observed, { games: 1 }), { actions } = turns[0];
  for (const turn of [[], [5], [...actions, 5]]) {
    await assert.rejects(judge.advise(observed, { games: 1, also: [turn] }), /^Error: not a complete turn of the seat/);
    assert.throws(() => verdict({ turns, observed }, turn), /ask for it with also/);
  }
  const { MOST_ASKED } = kernels.constants("agents.search.verdicts"), many = Array(MOST_ASKED + 1).fill(actions);
  await assert.rejects(judge.advise(observed, { games: 1, also: many }),
    { message: `also has ${MOST_ASKED + 1} turns; at most ${MOST_ASKED} can be measured at once` });
  await assert.rejects(judge.advise(observed, { also: [[999]] }), /^Error: an action of a turn = 999; it must be a whole number from 0 to 191$/);
  judge.close();
});

// --- the solver ------------------------------------------------------------------------------------------------------

test("endings are played as well as by trying everything", async () => {
  const endings = await makeAgent("solved:agent=random,cards=13");
  let solved = 0;
  const value = (game) => {
    if (game.over) return game.scores()[0] - game.scores()[1];
    const worth = game.legal().map((action) => {
      const after = game.clone();
      after.apply(action);
      return value(after);
    });
    return game.seat ? Math.min(...worth) : Math.max(...worth);
  };
  for (let seed = 0; seed < 6; seed++) {
    const game = new Game("mini", 2, seed);
    while (!game.over && game.record.get(0, "stock_top") >= 0) game.apply(game.legal()[0]);
    if (game.over) continue;
    const found = await endings.analyse(observe(game)), sign = game.seat ? -1 : 1;
    assert.equal(found.value, sign * value(game));
    for (const action of game.legal()) {
      const after = game.clone();
      after.apply(action);
      const points = sign * value(after);
      if (found.values.has(action)) assert.equal(points, found.values.get(action));
      else assert.ok(points <= found.value); // only the best actions have values
    }
    solved++;
  }
  assert.ok(solved);
  for (const game of [new Game("swazi", 3, 1), new Game("cassino", 2, 1)]) // no solution: three sides; a hidden stock
    assert.equal((await endings.analyse(observe(game))).value, null);
  endings.close();
});

// --- the judge -------------------------------------------------------------------------------------------------------

test("the judge tells what turns are worth, and what was a mistake", async () => {
  const judge = new Judge();
  for (const [name, rules] of Object.entries(tables())) {
    for (const game of moments(rules, 1, 11)) {
      const { by, turns } = await judge.advise(observe(game), { games: 32, seconds: 5 });
      assert.ok(["solver", "look-ahead", "play-outs"].includes(by), name);
      assert.ok(turns.length && Math.abs(turns.reduce((sum, { chance }) => sum + chance, 0) - 1) < 1e-9);
      assert.equal(turns[0].loss, 0);
      assert.ok(turns.every(({ low, loss, high, value }) => low <= loss && loss <= high && Number.isFinite(value)));
      const ahead = game.clone();
      for (const action of turns[0].actions)
        if (ahead.seat === game.seat && ahead.legal().includes(action)) ahead.apply(action);
    }
  }
  judge.close();
});

test("in endings the solver is the judge: nothing that it finds best is a mistake", async () => {
  const judge = new Judge(), endings = await makeAgent("solved:agent=random,cards=52");
  for (let seed = 0; seed < 12; seed++) {
    const game = new Game("khasino", 2, seed), held = () => game.toJson().hands[game.seat].length;
    while (observe(game).hidden || game.record.get(0, "acted") || held() > 3)
      game.apply(game.legal()[seed % game.legal().length]);
    const advice = await judge.advise(observe(game), { seconds: 20 });
    assert.equal(advice.by, "solver");
    assert.equal(advice.turns[0].value, (await endings.analyse(observe(game))).value);
    const verdicts = advice.turns.map(({ actions }) => verdict(advice, actions));
    assert.ok(!verdicts[0].mistake && verdicts.every(({ mistake, low }) => mistake === low > MISTAKE));
    assert.ok(net(verdicts).loss >= 0);
    if (!seed) assert.notEqual((await judge.advise(observe(game), { games: 1, solve: false })).by, "solver");
  }
  judge.close();
  endings.close();
});

// --- files -----------------------------------------------------------------------------------------------------------

test("checksums and halves of numbers", () => {
  assert.equal(sha256(new TextEncoder().encode("abc")),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.equal(sha256(new Uint8Array(119)), sha256(new Uint8Array(119)));
  assert.deepEqual([0x3c00, 0xc000, 0x0001, 0x7bff, 0x8000].map(fromHalf), [1, -2, 2 ** -24, 65504, -0]);
});

test("files that are damaged, or of another version, are refused in words", () => {
  const text = new TextDecoder().decode(file("khasino-2.json")),
    about = () => readDescription(file("khasino-2.json"), "a.json", kernels);
  const read = (changed) => readDescription(new TextEncoder().encode(changed), "a.json", kernels);
  assert.equal(about().play.turns, 5);
  assert.throws(() => read(text.replace('"khasino"', '"cassino"')), /a\.json: damaged: its checksum does not match/);
  assert.throws(() => read("{}"), /a\.json: damaged, or written by an older version: it has no checksum/);
  const sealed = (data) => read(sealedText(JSON.stringify(data).slice(0, -1)));
  const data = JSON.parse(text);
  delete data.checksum;
  assert.equal(sealed(data).variant, "khasino");
  assert.throws(() => sealed({ ...data, format: "casino-policy 2" }),
    /format 'casino-policy 2'; this program reads 'casino-policy 3'/);
  assert.throws(() => sealed({ ...data, observation_version: 1 }),
    /made with observation_version 1; this program has 2; train it again/);
  assert.throws(() => sealed({ ...data, hidden: [0] }), /hidden\.0 = 0; it must be a whole number from 1 to 4096/);
  assert.throws(() => sealed({ ...data, play: { turn: 1 } }), /play: unknown key 'turn' \(did you mean 'turns'\?\)/);
  assert.throws(() => sealed({ ...data, levels: { easy: { play: { exact: -1 } } } }),
    /levels\.easy\.play\.exact = -1; it must be a whole number from 0 to 12/);
  assert.throws(() => sealed({ ...data, config: { game: 5 } }), /config\.game = 5; it must be an object/);
  assert.throws(() => sealed({ ...data, config: { game: { others: [{ variant: "mini", players: 2 }] } } }),
    /config\.game\.others\.0\.rules is missing/);
  assert.throws(() => sealed({ ...data, hidden: [] }), /hidden = \[\]; it must be a list of 1 to \d+/);
  assert.throws(() => sealed({ ...data, hidden: Array(99).fill(8) }), /hidden = .*; it must be a list of 1 to \d+/);
  assert.throws(() => sealed({ ...data, levels: [] }), /levels = \[\]; it must be an object/);
  for (const broken of ['{"a" 1', ""]) assert.throws(() => read(sealedText(broken)), /^Error: a\.json: is not JSON$/);
  const others = [{ variant: "x", players: 2, rules: {} }];
  const weights = file("khasino-2.safetensors");
  const load = (description, bytes) => weightsOf(kernels, "khasino-2", description, bytes, "a.safetensors");
  assert.equal(load(about(), weights).rules.name, "khasino");
  for (const [name, values] of [["khasino-2", 1], ["swazi-3", 3]]) { // as many as the game needs
    const { values: _, ...rest } = readDescription(file(`${name}.json`), "a", kernels);
    assert.equal(weightsOf(kernels, name, rest, file(`${name}.safetensors`), "a").shape.values, values);
  }
  assert.throws(() => load(about(), weights.slice(1)),
    /a\.safetensors: damaged: not the weights of its description/);
  assert.throws(() => load({ ...about(), variant: "x" }, weights), /khasino-2: not a known game: unknown variant 'x'/);
  assert.throws(() => load({ ...about(), config: { game: { others } } }, weights),
    /khasino-2: not a known game: unknown variant 'x'/);
  assert.throws(() => load({ ...about(), players: 3 }, weights),
    /features do not stand where the \d+ of today stand; train it again/);
});

function policyFiles() {
  const weights = file("khasino-2.safetensors"), about = readDescription(file("khasino-2.json"), "a.json", kernels);
  return { weights, about, shape: weightsOf(kernels, "khasino-2", about, weights, "a").shape };
}

test("no bytes of weights trap", () => {
  const { weights, about, shape } = policyFiles();
  for (let time = 0; time < 60; time++) {
    const bytes = weights.slice(0, time % 3 ? weights.length : (time * 997) % weights.length);
    for (let flips = 0; flips < 3; flips++)
      bytes[(time * 7919 + flips * 104729) % (time % 2 ? 900 : bytes.length || 1)] ^= 1 << (time + flips) % 8;
    const trusted = { ...about, weights: [checksum(bytes)] };
    try {
      assert.equal(readWeights(bytes, "a", trusted, shape, kernels).length, shape.size);
    } catch (error) {
      assert.match(error.message, /^a: (weights|broken weights)/);
    }
  }
  for (const [long, why] of [[7, "no header"], [8, "its header is not JSON"]])
    assert.throws(() => readTensors(new Uint8Array(long), "a"), { message: `a: broken weights (${why})` });
});

test("tensors lie side by side, and fill their file", () => {
  const tensors = (...places) => {
    const table = Object.fromEntries(places.map(([dtype, size, ...data_offsets], each) =>
      [`t${each}`, { dtype, shape: [size], data_offsets }]));
    const header = new TextEncoder().encode(JSON.stringify(table)), bytes = new Uint8Array(8 + header.length + 12);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
    bytes.set(header, 8);
    return readTensors(bytes, "a");
  };
  assert.deepEqual([...tensors(["F32", 2, 4, 12], ["F16", 2, 0, 4]).keys()], ["t1", "t0"]);
  assert.deepEqual([...tensors(["F32", 3, 0, 12], ["F32", 0, 0, 0]).keys()], ["t1", "t0"]);
  for (const places of [[["F32", 2, 4, 12]], [["F32", 2, 0, 8], ["F32", 1, 4, 8]], [["F32", 4, 0, 16]],
    [["F32", 2, 0, 12]], [["F32", 2, 0, 4]]])
    assert.throws(() => tensors(...places), /^Error: a: broken weights \(tensor 't\d' is not where it should be\)$/);
  for (const place of [["F32", 0.5, 0, 2], ["F32", -1, 0, -4], ["F32", "1", 0, 4], ["F31", 1, 0, 4], ["F32", 1, 0]])
    assert.throws(() => tensors(place, ["F32", 2.5, 2, 12]), /^Error: a: broken weights \(tensor 't\d'\)$/);
  assert.throws(() => tensors(["F32", 2, 0, 8]), /^Error: a: broken weights \(some bytes belong to no tensor\)$/);
});

test("a first layer in eight bits has rows for some features, each with its scale", () => {
  const rows = (...numbers) => ({ "layer0.rows": ["I32", [numbers.length], new Int32Array(numbers)] });
  const whole = { ...rows(0, 2), "layer0.weight": ["I8", [2, 2], new Int8Array([1, -2, 3, 127])],
    "layer0.scales": ["F32", [2], new Float32Array([0.5, 2])], "layer0.bias": ["F32", [2], new Float32Array([7, 8])],
    "policy.weight": ["F32", [0, 2], new Float32Array()], "policy.bias": ["F32", [0], new Float32Array()],
    "value.weight": ["F64", [1, 2], new Float64Array([5, 6])], "value.bias": ["F16", [1], new Uint16Array([0xbc00])] };
  const read = (changed) => {
    const parts = Object.entries({ ...whole, ...changed }).filter(([, part]) => part);
    const bytes = parts.map(([, [, , data]]) => Buffer.from(data.buffer)), table = {};
    parts.forEach(([name, [dtype, shape]], k) => {
      const from = Buffer.concat(bytes.slice(0, k)).length;
      table[name] = { dtype, shape, data_offsets: [from, from + bytes[k].length] };
    });
    const header = Buffer.from(JSON.stringify(table)), size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(header.length));
    const file = Buffer.concat([size, header, ...bytes]);
    return [...readWeights(file, "a", { weights: [checksum(file)] }, new Shape(3, [2], 1, 0), kernels)];
  };
  assert.deepEqual(read({}), [0.5, -1, 0, 0, 6, 254, 7, 8, 5, 6, -1]);
  const numbers = "a: weights layer0.rows: must be feature numbers in rising order";
  const each = "a: weights layer0.rows: a feature must be from 0 to 2, each once";
  const eight = "a: weights layer0.weight: must be 2 rows of 2 8-bit numbers";
  const scales = "a: weights layer0.scales: must be one for each of 2 rows";
  for (const [changed, message] of [
    [rows(0, 3), each], [rows(1, 1), each], [rows(2, 1), each], [rows(-1, 1), each],
    [{ "layer0.rows": ["F32", [2], new Float32Array(2)] }, numbers],
    [{ "layer0.rows": ["I32", [1, 2], new Int32Array(2)] }, numbers],
    [rows(0), "a: weights layer0.weight: must be 1 rows of 2 8-bit numbers"],
    [{ "layer0.weight": ["U8", [2, 2], new Uint8Array(4)] }, eight], [{ "layer0.weight": null }, eight],
    [{ "layer0.weight": ["I8", [4], new Int8Array(4)] }, eight],
    [{ "layer0.scales": ["I32", [2], new Int32Array(2)] }, scales], [{ "layer0.scales": null }, scales],
    [{ "layer0.scales": ["F32", [1], new Float32Array(1)] }, scales],
    [{ "layer0.bias": ["I32", [2], new Int32Array(2)] }, "a: weights layer0.bias: I32, not floating point"],
    [{ "layer0.bias": ["F32", [1], new Float32Array(1)] }, "a: weights layer0.bias: [1], not [2]"],
    [{ "value.bias": null }, "a: weights value.bias: nothing, not [1]"],
    [{ "layer0.rows": null }, "a: weights layer0.weight: [2,2], not [3,2]"],
  ]) assert.throws(() => read(changed), { message });
});

test("weights whose sums overflow are refused in one line, each by itself a number", () => {
  const { weights, about, shape } = policyFiles();
  const header = Number(new DataView(weights.buffer, weights.byteOffset).getBigUint64(0, true));
  const table = JSON.parse(new TextDecoder().decode(weights.subarray(8, 8 + header)));
  for (const part of ["layer0.scales", "layer1.weight", "layer0.bias", "value.weight"]) {
    const bytes = weights.slice(), { dtype, data_offsets: [from, to] } = table[part], view = new DataView(bytes.buffer);
    for (let at = 8 + header + from; at < 8 + header + to; at += dtype === "F32" ? 4 : 2)
      if (dtype === "F32") view.setFloat32(at, 1e30, true);
      else view.setUint16(at, 0x7bff, true); // 65504, the largest half-precision float
    const read = () => readWeights(bytes, "a", { ...about, weights: [checksum(bytes)] }, shape, kernels);
    if (dtype === "F32")
      assert.throws(read, /^Error: a: broken weights \(so large that the network would overflow\)$/);
    else assert.equal(read().length, shape.size);
  }
});

test("a policy that is not there is told by name, and may be there the next time", async () => {
  let there = false;
  const read = async (name) => (there ? file(name) : Promise.reject(new Error("404 Not Found")));
  usePolicies(read);
  await assert.rejects(makeAgent("policy:khasino-2"),
    /^Error: policy: khasino-2\.json: cannot be read \(404 Not Found\)$/);
  there = true;
  (await makeAgent("policy:khasino-2")).close();
  assert.equal(policies().strongest(makeRules("khasino", 2)), "khasino-2");
  assert.equal(policies().strongest(makeRules("cassino", 2, { sweeps: true })), null);
  usePolicies(FOLDER);
});

test("a policy in one file plays by its address as the two files do", async () => {
  const folder = mkdtempSync(join(tmpdir(), "casino-")), weights = await file("khasino-2.safetensors");
  const about = new TextDecoder().decode(await file("khasino-2.json")).replaceAll("\n", " ");
  const sealed = `${sealedText(about.slice(0, about.lastIndexOf(', "checksum"')))}\n`;
  writeFileSync(join(folder, "friend.policy"), Buffer.concat([Buffer.from(sealed), weights]));
  const address = pathToFileURL(join(folder, "friend.policy")), all = new RemoteAgents({ policies: folder });
  const late = new RemoteAgent(all, "policy:late.policy");
  await assert.rejects(late.ready(), /late\.policy: cannot be read/);
  copyFileSync(address, join(folder, "late.policy"));
  await late.ready(); // tried again
  all.stop();
  const friend = await makeAgent(`policy:${address},turns=1`), ours = await makeAgent("policy:khasino-2,turns=1");
  assert.deepEqual(await playOut(new Game("khasino", 2, 4), [friend, friend]),
    await playOut(new Game("khasino", 2, 4), [ours, ours]));
  writeFileSync(join(folder, "broken.policy"), Buffer.from(sealed));
  await assert.rejects(makeAgent(`policy:${pathToFileURL(join(folder, "broken.policy"))}`), /broken\.policy: damaged/);
  await assert.rejects(makeAgent("policy:nowhere.policy"), /nowhere\.policy: cannot be read/);
  [friend, ours].forEach((agent) => agent.close());
  rmSync(folder, { recursive: true });
});

// --- in a worker -----------------------------------------------------------------------------------------------------

test("agents in a worker play as they do here, and can be stopped", async () => {
  const all = new RemoteAgents({ policies: FOLDER });
  await assert.rejects(all.of("contr"), /unknown agent 'contr' \(did you mean 'counter'\?\)/);
  const remote = await all.of("policy:khasino-2"), here = await makeAgent("policy:khasino-2");
  const scores = await playOut(new Game("khasino", 2, 4), [remote, remote]);
  assert.deepEqual(scores, await playOut(new Game("khasino", 2, 4), [here, here]));
  here.close();
  const game = new Game("khasino", 2, 4), slow = await all.of("search:time=60");
  await slow.reset(0, 1);
  let told = 0;
  slow.progress = (done) => {
    told = done;
    all.stop();
  };
  await assert.rejects(slow.analyse(observe(game)), AbortError);
  assert.ok(told > 0);
  assert.ok(game.legal().includes(await remote.act(observe(game)))); // in a new worker
  const { by, turns } = await all.judge().advise(observe(game), { games: 8 });
  assert.equal(by, "play-outs");
  assert.ok(turns.length);
  all.stop();
});

test("a worker goes on after a request that cannot be sent, and lets the program end", async () => {
  const all = new RemoteAgents({ policies: FOLDER }), agent = await all.of("counter");
  const observed = observe(new Game("khasino", 2, 4));
  await assert.rejects(all.judge().advise(observed, { games: 1, seed: () => 1 }), /could not be cloned/);
  await assert.rejects(agent.reset(0, () => 1), /^Error: seed = /);
  assert.equal(agent.ready(), agent.ready()); // made once
  assert.ok(observed.legal().includes(await agent.act(observed)));
  agent.close();
  assert.ok(observed.legal().includes(await agent.act(observed))); // made again
  all.stop();
  const wrong = new RemoteAgents({ policies: () => 1 });
  await assert.rejects(wrong.of("counter"), /the worker failed: .*could not be cloned/);
});

test("who is stopped before a worker is there hears of it", async () => {
  const all = new RemoteAgents({ policies: FOLDER }), asked = all.of("counter");
  all.stop();
  await assert.rejects(asked, AbortError);
  (await all.of("counter")).close();
  all.stop();
});

test("a search plays as exactly as its policy, unless it is told how far", async () => {
  const { play } = readDescription(file("khasino-2.json"), "a.json", kernels);
  const allowed = async (given) => (await search(kernels, policies(), given)).state.in_all[0];
  assert.ok(play.exact > 0);
  assert.equal(await allowed({ policy: "khasino-2", sims: 20 }), play.exact);
  assert.equal(await allowed({ policy: "khasino-2", sims: 20, solve: 3 }), 0);
  assert.equal(await allowed({ rollout: "counter", sims: 20 }), 0);
});

test("the registry knows all agents of the project", () => {
  assert.deepEqual(Object.keys(agents()),
    ["random", "greedy", "beginner", "builder", "counter", "partner", "search", "strongest", "solved", "policy"]);
});
