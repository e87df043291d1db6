// The words of moves, questions, refusals, rules and house rules, which words.json keeps line by line.
// UPDATE=1 node --test play/web/tests/words.test.js writes it again: read the difference before you keep it.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import test from "node:test";

import { en } from "../page/languages/en.js";
import { parseAction } from "../page/casino/src/game/actions.js";
import { Game } from "../page/casino/src/game/game.js";
import { makeRules, playerCounts, variants } from "../page/casino/src/game/rules.js";
import { use } from "../page/casino/src/kernels/kernels.js";
import { Table, games, houseRules, introduce, levels, offer, rulesRefused, rulesText,
  timeLine } from "../page/table/index.js";
import { movesOf } from "../page/table/moves.js";
import * as looks from "../page/words/look.js";
import { Look, isMiddle } from "../page/words/look.js";
import { Speaker } from "../page/words/message.js";
import { namesOf, seatNames } from "../page/words/names.js";
import { question } from "../page/words/questions.js";
import { Random, playOn, tableOf, text } from "./tables.js";

// --- what is said, line by line --------------------------------------------------------------------------------------

const FILE = new URL("./words.json", import.meta.url), { cases, said: kept } = JSON.parse(readFileSync(FILE, "utf8"));
const OTHERS = ["counter", "builder", "greedy"];

/** Make a table at a position and do the steps. The person sits on seat `you`, else on the seat that decides. */
async function tableAt({ name: _, why: __, you, steps = [], ...data }) {
  const position = Game.fromJson({ variant: "south-african", players: 2, ...data }, { skipForced: false }).toJson(),
    { variant, players } = position;
  const person = you ?? Game.fromJson(position).seat;
  const seats = Array.from({ length: players },
    (_, seat) => (seat === person ? "you" : OTHERS[(seat - (seat > person)) % 3]));
  const table = new Table({ variant, players, seats, position });
  for (const step of steps) {
    const left = step.map(parseAction),
      act = (observed) => (observed.legal().includes(left[0]) ? left.shift() : observed.legal()[0]);
    if (table.mine) table.play(step);
    else while (left.length && table.waiting) await table.advance({ of: () => ({ reset() {}, act }) });
  }
  return table;
}

const toldOf = {
  /** By the name of each position: what is asked, what can be done, what was done, why something is refused, and who
   * gets the leftover cards. */
  async positions() {
    const told = {};
    for (const each of cases) {
      const { name, why = [] } = each, table = await tableAt(each),
        { question: asked, moves, log, sheet } = table.seen(), words = { asked: asked && text(asked) };
      Object.assign(words, { moves: moves.map((move) => text(move.words)), log: log.map((line) => text(line.words)),
        left: sheet?.left && text(sheet.left) });
      words.why = why.map(([tokens, wanted]) => [tokens.join(" "), wanted, table.whyNot(tokens, wanted)]
        .map((part) => (part?.key ? text(part) : part)));
      told[name] = words;
    }
    return told;
  },
  rules: () =>
    Object.fromEntries(EVERY.map(([name, players, changes]) => [`${name} ${players} ${JSON.stringify(changes)}`,
    rulesText(makeRules(name, players, changes))
      .map(({ title, lines }) => [title, ...lines].map((line) => text(line)).join(" | "))])),
  switches: () => Object.fromEntries(["swazi", "kasa", "cassino"]
    .flatMap((name) => houseRules(name, playerCounts(name).at(-1)).map(({ title, switches }) => [
    `${name}: ${text(title)}`, switches.map(({ question: asked, choices }) =>
      [text(asked), ...choices.map(({ words, refused }) => text(words) + (refused ? ` (${text(refused)})` : ""))]
        .join(" | "))]))),
  games: () => Object.fromEntries(games().map(({ name, title, line, kind, sittings }) =>
    [name, [title, line, kind, ...sittings.map(({ words }) => words)].map((each) => text(each)).join(" | ")])),
  agents: () => Object.fromEntries(["policy:swazi-2", "policy:swazi-2-easy", "policy:universal", "counter",
    "search:time=2", "mine.py:Agent"].map((spec) => {
    const { title, line } = introduce(spec);
    return [spec, `${text(title)}: ${text(line)}`];
  })),
};

for (const [section, make] of Object.entries(toldOf)) {
  test(`what is said of ${section}`, async () => {
    const told = JSON.parse(JSON.stringify(await make()));
    if (process.env.UPDATE) {
      kept[section] = told;
      const rows = (all) => Object.entries(all)
        .map(([name, words]) => `  ${JSON.stringify(name)}: ${JSON.stringify(words)}`).join(",\n");
      const sections = Object.entries(kept).map(([name, all]) => `${JSON.stringify(name)}: {\n${rows(all)}\n}`)
        .join(",\n");
      writeFileSync(FILE,
        `{"cases": [\n${cases.map((each) => JSON.stringify(each)).join(",\n")}\n], "said": {\n${sections}\n}}\n`);
    }
    for (const name of new Set([...Object.keys(kept[section] ?? {}), ...Object.keys(told)]))
      assert.deepEqual(told[name], kept[section]?.[name], name);
  });
}

// --- all games -------------------------------------------------------------------------------------------------------

const EXTRA = [
  ["khasino", 4, { partners: false }], ["swazi", 4,
    { pile_order: "ask", insist_capture: "ask", insist_augment: "ask" }], ["swazi", 3, { pile_order: "ask" }],
  ["cassino", 3, { sweeps: true, count_out: true }], ["sotho", 4, { insist_capture: "ask" }],
  ["kasa", 4, { partners: false }],
  ["kasa", 4, { insist_capture: "always", insist_augment: "ask", request_for: "any", new_builds: "with_hand",
    chain: "no", steal: "augment", owner_top: false, raise_limit: "double" }],
];
const EVERY = [...Object.keys(variants()).flatMap((name) => playerCounts(name).map((players) => [name, players, {}])),
  ...EXTRA];

/** Yield random positions of a game in which somebody decides. */
function* decisions(rules, count) {
  const random = new Random(rules.deck + rules.players);
  for (let number = 0; number < count; number++) {
    const game = new Game(rules, rules.players, 1000 + number);
    for (let left = random.below(rules.deck + rules.deck / 4 | 0); left > 0 && !game.over; left--)
      game.apply(random.of(game.legal()));
    if (!game.over) yield game;
  }
}

test("moves are all there is, end at rest, and every refusal is a sentence", () => {
  for (const [name, players, changes] of EVERY) {
    const rules = makeRules(name, players, changes);
    for (const game of decisions(rules, 6)) {
      const here = Game.fromBytes(game.toBytes(), rules, { skipForced: false }), names = seatNames(players, here.seat),
        moves = movesOf(here.record, rules, names);
      assert.equal(new Set(moves.map(({ actions }) => actions[0])).size, here.legal().length);
      for (const { actions, words } of moves.slice(0, 20)) {
        const ahead = here.clone();
        for (const action of actions) ahead.apply(action);
        assert.ok(text(words) && (!isMiddle(ahead.record.get(0, "mode")) || actions.length === 1));
      }
      const asked = question(new Look(here.record), names);
      if (asked) assert.match(text(asked), /[?.]$/);
      checkRefusals(game);
    }
  }
});

/** Check refusals with the person on the seat that decides. */
function checkRefusals(game) {
  const seats = Array.from({ length: game.rules.players }, (_, seat) => (seat === game.seat ? "you" : "counter"));
  const table = new Table({ variant: game.rules.name, players: game.rules.players, seats, position: game.toJson(),
    rules: game.rules.differences() });
  if (!table.mine) return;
  const { scene, person, moves } = table.seen(), [shown] = [...scene.loose, ...scene.builds.map(({ token }) => token)];
  for (const card of scene.seats[person].hand.slice(0, 3)) {
    const words = table.whyNot([card], "discard"), pair = table.whyNot([card, shown ?? card]);
    assert.equal(words === null, moves.some((move) => move.do === "discard" && move.cards.includes(card)));
    for (const each of [words, pair]) if (each) assert.match(text(each), /^[A-Z0-9].*\.$/);
  }
  assert.equal(table.whyNot([], "end") === null, moves.some((move) => move.do === "end"));
}

test("what is no card is refused", async () => {
  const table = await tableAt(cases[0]);
  for (const token of ["XX", "b99", "b7", ""]) assert.throws(() => table.whyNot([token]), /not a card|no such build/);
});

test("agents have the name of their seat, friends are numbered, and the partner is called so", () => {
  const called = (specs, how) => namesOf(specs, how).called.map((name) => text(name));
  assert.deepEqual(called(["counter", "you", "counter", "policy:swazi-2-easy"]),
    ["Nomsa", "You", "Lerato", "Sipho"]);
  assert.deepEqual(called(["counter", "you", "counter", "counter"], { partners: true }),
    ["Nomsa", "You", "Lerato", "Partner"]);
  assert.deepEqual(called(["friend", "you", "friend"]), ["Friend 1", "You", "Friend 2"]);
});

test("there are four levels, bots where no policy has learnt so much", () => {
  const specs = (rules, names) => levels(rules, names).map(({ spec }) => spec);
  assert.deepEqual(specs(makeRules("swazi", 2), ["swazi-2", "swazi-2-easy", "swazi-2-medium"]),
    ["policy:swazi-2-easy", "policy:swazi-2-medium", "policy:swazi-2,think=5", "strongest:time=2"]);
  assert.deepEqual(specs(makeRules("khasino", 4), []), ["greedy", "builder", "partner", "strongest:time=2"]);
  assert.deepEqual(specs(makeRules("khasino", 4), ["x"]),
    ["builder", "partner", "policy:x,think=5", "strongest:time=2"]);
});

test("every switch of the engine can be chosen, and what cannot be is said", () => {
  const fields = use().facts.switches.map(({ name }) => name).filter((name) => !["name", "players"].includes(name));
  let refused = 0;
  for (const [name, players] of EVERY.filter((_, at) => at % 3 === 0)) {
    const groups = houseRules(name, players), switches = groups.flatMap((group) => group.switches);
    assert.deepEqual(switches.map(({ field }) => field).sort(), [...fields].sort());
    for (const { field, question: asked, choices, value } of switches) {
      assert.ok(text(asked) && text(asked) !== field, field);
      assert.ok(choices.some((choice) => choice.value === value));
      assert.equal(new Set(choices.map(({ words }) => text(words))).size, choices.length, field);
      for (const choice of choices) {
        const can = rulesRefused(name, players, { [field]: choice.value }) === null;
        assert.equal(choice.refused === null, can);
        if (choice.refused) {
          refused += 1;
          assert.match(text(choice.refused), /^[A-Z].*\.$/);
          assert.notEqual(choice.refused.key, "refused.other", `${field} = ${choice.value}: ${text(choice.refused)}`);
        }
      }
    }
  }
  assert.ok(refused > 50);
});

test("house rules that cannot be are shown all the same", () => {
  assert.ok(rulesRefused("swazi", 4, { partners: false }));
  const sides = houseRules("swazi", 4, { partners: false }).flatMap(({ switches }) => switches)
    .find(({ field }) => field === "partners");
  assert.equal(sides.value, false);
});

// --- prompts, replays, other languages -------------------------------------------------------------------------------

test("a prompt says what is left to do, and one button at most is set off", async () => {
  const random = new Random(4), table = tableOf("african", 2, { seed: 3 }), prompts = new Set();
  assert.equal(text(offer(table.seen()).prompt).startsWith("Your turn"), table.mine);
  while (!table.over) {
    const seen = table.seen(), { prompt, main, plain, moves } = offer(seen);
    prompts.add(prompt.key);
    if (main) assert.ok([...plain, ...moves].includes(main));
    if (seen.played && !seen.question && !seen.endsItself && seen.mine)
      assert.equal(prompt.key, seen.moves.some((move) => move.do === "end") ? "now.add" : "now.owed");
    await playOn(table, random, 1);
  }
  for (const key of ["now.first", "now.choose", "now.add", "now.thinking"]) assert.ok(prompts.has(key), key);
});

test("a replay tells what the table has told, and shows every hand", async () => {
  const table = tableOf("khasino");
  await playOn(table, new Random(7));
  const line = timeLine(table.record(), table.setup.seats), seen = table.seen();
  assert.deepEqual(line.lines.map(({ words }) => text(words)), seen.log.map(({ words }) => text(words)));
  assert.deepEqual(line.end.scores(), table.game.scores());
  assert.ok(line.seen(0).scene.seats[1].hand.length);
  assert.ok(line.seen(3, 0).scene.seats[1].hidden > 0);
  assert.deepEqual(line.seen(10_000).sheet, seen.sheet);
  for (const step of line.decisions()) assert.ok(line.begins(step) && line.turnAt(step).length);
  assert.throws(() => timeLine("nonsense"), /This record cannot be replayed/);
  assert.throws(() => timeLine(table.record().replace("0: ", "0: fly; ")), /line \d+/);
});

/** A speaker that says nothing but arguments: any text that is left was not in the catalogue. */
class Mute extends Speaker {
  constructor() {
    super(en);
    this.lists = new Intl.ListFormat("en", { type: "unit", style: "narrow" });
  }

  template(key) {
    return key.startsWith("list.") || key.startsWith("rank.") || /^card\.\w+\.\w$/.test(key) ? "·"
      : super.template(key);
  }

  fill(pieces, args, counted) {
    return super.fill(pieces.map((piece) => (typeof piece === "string" ? "·" : piece)), args, counted);
  }
}

test("nothing is said but by the catalogue", async () => {
  const mute = new Mute(), left = new Set();
  const hear = (message) => left.add(mute.parts(message).map((part) => part.text).join("").replace(/[·\s\d]/g, ""));
  const tables = [["swazi", 4, {}], ["kasa", 4, {}], ["cassino", 3, { match_rounds: 1, target: 0 }],
    ["stealing-bundles", 2, {}], ["african", 4, { insist_capture: "ask", pile_order: "ask" }]];
  for (const [name, players, rules] of tables) {
    const random = new Random(2), table = tableOf(name, players, { rules, match: Boolean(rules.match_rounds) });
    while (!table.over) {
      const seen = table.seen(), offered = offer(seen);
      for (const { words } of [...seen.moves, ...seen.log]) hear(words);
      for (const message of [offered.prompt, seen.scene.title, ...seen.scene.seats.map(({ note }) => note),
        ...seen.names]) if (message) hear(message);
      for (const card of seen.scene.seats[0].hand) {
        const why = table.mine ? table.whyNot([card], "discard") : null;
        if (why) hear(why);
      }
      await playOn(table, random, 1);
    }
    const { sheet } = table.seen();
    for (const message of [sheet.verdict, ...sheet.rows.map(({ words }) => words), ...sheet.counts.map(({ words }) =>
      words), ...sheet.sides.map((side) => side.name), ...(sheet.left ? [sheet.left] : [])]) hear(message);
    for (const { title, lines } of rulesText(table.rules)) [title, ...lines].forEach(hear);
    for (const { title, switches } of houseRules(name, players))
      [title, ...switches.flatMap(({ question: asked, choices }) =>
      [asked, ...choices.flatMap(({ words, refused }) => (refused ? [words, refused] : [words]))])].forEach(hear);
  }
  for (const { title, line, kind, sittings } of games()) [title, line, kind, ...sittings.map(({ words }) => words)]
    .forEach(hear);
  assert.deepEqual([...left], [""]);
});

test("modes are those of the engine", () => {
  const numbers = use().facts.constants["engine.state"];
  for (const [name, number] of Object.entries(looks))
    if (/^[A-Z_]+$/.test(name)) assert.equal(number, numbers[name], name);
});
