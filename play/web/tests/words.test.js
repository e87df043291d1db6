// Messages made text, and the words of moves, questions, refusals, rules and house rules.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { parseAction } from "../page/casino/src/game/actions.js";
import { Game } from "../page/casino/src/game/game.js";
import { makeRules, playerCounts, variants } from "../page/casino/src/game/rules.js";
import { use } from "../page/casino/src/kernels/kernels.js";
import { Table, games, houseRules, introduce, levels, offer, rulesRefused, timeLine } from "../page/table/index.js";
import { factsOf, movesOf } from "../page/table/moves.js";
import { describeTurn, en, format, namesOf, parts, question, rulesText, say, speak } from "../page/words/index.js";
import { partition } from "../page/words/facts.js";
import * as looks from "../page/words/look.js";
import { Look, isMiddle } from "../page/words/look.js";
import { Speaker } from "../page/words/message.js";
import { seatNames } from "../page/words/names.js";
import { Dice, Random, agents, playOn, tableOf, text } from "./tables.js";

// --- messages --------------------------------------------------------------------------------------------------------

const speaker = (templates, locale = "en-GB") => new Speaker({ locale, ...templates }, en);
const said = (templates, args, locale) => speaker(templates, locale).parts(say("x", args)).map((part) => part.text).join("");

test("arguments, plurals, cases and lists", () => {
  assert.equal(said({ x: "{a} and {b}" }, { a: "this", b: 2 }), "this and 2");
  assert.equal(said({ x: "{n, plural, =0 {none} one {# card} other {# cards}}" }, { n: 0 }), "none");
  assert.equal(said({ x: "{n, plural, =0 {none} one {# card} other {# cards}}" }, { n: 1 }), "1 card");
  assert.equal(said({ x: "{n, plural, =0 {none} one {# card} other {# cards}}" }, { n: 5 }), "5 cards");
  assert.equal(said({ x: "{n, plural, one {a # {n, plural, one {b} other {c}}} other {d}}" }, { n: 1 }), "a 1 b");
  assert.equal(said({ x: "{a, list}" }, { a: ["p", "q", "r"] }), "p, q and r");
  assert.equal(said({ x: "{a, list, plus}" }, { a: [{ card: "9H" }, { card: "TS" }] }), "9♥ + 10♠");
  assert.equal(said({ x: "{a, select, yes {A} other {B {b}}}" }, { a: "no", b: 1 }), "B 1");
  assert.equal(said({ x: "'{'{a}'}'" }, { a: 1 }), "{1}");
  assert.equal(said({ x: "{a, decimal}" }, { a: 1 }), "1.0");
});

test("plurals are those of the language", () => {
  const x = "{n, plural, one {a} few {b} other {c}}";
  assert.deepEqual([1, 2, 5].map((n) => said({ x }, { n }, "pl")), ["a", "b", "c"]);
  assert.equal(said({ x: "{n, plural, one {a} other {b}}" }, { n: 0 }, "zu"), "a");
});

test("what is wrong with a template or a message is said", () => {
  for (const [template, args, pattern] of [
    ["{a", {}, /expected/], ["{a, plural, one {b}}", {}, /other/], ["a}", {}, /too many/], ["{a}", {}, /lacks its argument a/], ["{}", {}, /a word expected/],
  ]) assert.throws(() => said({ x: template }, args), pattern);
  assert.throws(() => format(en, say("no.such.key")), /no words for/);
});

test("what a language lacks is said in English, the rest in its own words", () => {
  const other = { locale: "af", "name.you": "Jy", "card.name": "{suit}-{rank}" };
  assert.equal(format(other, say("name.you")), "Jy");
  assert.equal(format(other, say("now.over")), "The game is over.");
  assert.equal(speak(other, say("held.card", { card: { card: "QH" } })), "The hearts-queen");
});

test("cards and seats come apart, to be drawn", () => {
  const names = namesOf(["counter", "you"]), message = say("turn.of", { who: names.of(0), steps: [say("do.discard", { who: names.of(0), card: { card: "5C" } })] });
  assert.deepEqual(parts(en, message), [{ text: "Counter", seat: 0 }, { text: " lays down the " }, { text: "5♣", card: "5C" }]);
  assert.equal(speak(en, message), "Counter lays down the 5 of clubs");
});

test("every template can be read, and every key that is named has one", () => {
  const whole = speaker({});
  for (const [key, template] of Object.entries(en)) {
    const names = new Set([...template.matchAll(/\{(\w+)/g)].map(([, name]) => name));
    const args = Object.fromEntries([...names].map((name) => [name, 1]));
    if (key !== "locale") assert.doesNotThrow(() => whole.fill(speaker({ [key]: template }).parts(say(key, args)) && [], args, null), key);
  }
  for (const folder of ["words", "table"]) {
    for (const file of readdirSync(new URL(`../page/${folder}/`, import.meta.url))) {
      const source = readFileSync(new URL(`../page/${folder}/${file}`, import.meta.url), "utf8");
      for (const [, key] of source.matchAll(/(?:\bsay|TableError|inWords)\("([^"]+)"/g)) assert.ok(key in en, `${file}: ${key}`);
    }
  }
});

// --- moves -----------------------------------------------------------------------------------------------------------

const TABLE = { called: ["you", "counter", "builder"] };
const gameOf = (data) => Game.fromJson({ variant: "south-african", players: 2, ...data }, { skipForced: false });
const named = (game, you = game.seat) => namesOf(Array.from({ length: game.rules.players }, (_, seat) => (seat === you ? "you" : TABLE.called[seat === 0 ? 1 : seat])));
const found = (game, names = named(game)) => movesOf(game.record, game.rules, names);
const told = (game, names) => found(game, names).map(({ words }) => text(words));
/** A table at this position, for the seat that decides. */
function tableAt(data) {
  const game = gameOf(data), others = ["counter", "builder", "greedy"];
  const seats = Array.from({ length: game.rules.players }, (_, seat) => (seat === game.seat ? "you" : others[(seat - (seat > game.seat)) % 3]));
  return new Table({ variant: game.rules.name, players: game.rules.players, seats, position: game.toJson() });
}

const CAPTURE = {
  hands: [["7S", "8H", "8C"], ["AS", "AH"]], layout: ["7D"], piles: [[], ["6S", "AC"]], builds: [{ value: 8, owner: 0, sets: [["5C", "3H"]] }],
};

test("a capture names whose cards it takes, and the largest comes first", () => {
  const moves = found(gameOf(CAPTURE));
  assert.equal(text(moves[0].words), "Take 7D + Counter's AC and your build of 8 with the 8H");
  const takes = moves.filter((move) => move.do === "capture").map((move) => move.cards.length + 2 * move.builds.length);
  assert.deepEqual(takes, [...takes].sort((a, b) => b - a));
  const kinds = found(gameOf({ ...CAPTURE, builds: [] })).map((move) => move.do), first = kinds.indexOf("discard");
  assert.ok(first > 0 && kinds.slice(first).every((kind) => kind === "discard"));
  const whole = moves.filter((move) => move.actions.includes("capture 8H")).map(({ tokens }) => [...tokens].sort().join(" "));
  assert.ok(whole.includes("7D 8H AC b8") && whole.includes("8H b8"), `${whole}`);
});

test("those who look on hear of somebody else", () => {
  const game = gameOf(CAPTURE), [{ actions }] = found(game), facts = factsOf(game.record, game.rules, actions.map(parseAction));
  assert.equal(text(describeTurn(facts, namesOf(["counter", "builder"]))), "Counter takes 7D + Builder's AC and their own build of 8 with the 8H");
  assert.equal(text(describeTurn(facts, namesOf(["counter", "you"]))), "Counter takes 7D + your AC and their own build of 8 with the 8H");
});

test("builds and raises", () => {
  const game = gameOf({ variant: "khasino", hands: [["AH", "TS", "5D", "9C"], ["AS", "AD"]], layout: ["4S"], builds: [{ value: 9, owner: 1, sets: [["6C", "3D"]] }] });
  assert.ok(told(game).includes("Raise Counter's build of 9 to 10 with the AH"));
});

test("a build from the table alone says so", () => {
  const game = gameOf({ variant: "swazi", hands: [["9D", "2C"], ["AS", "AH"]], layout: ["5S", "4D"] });
  assert.ok(told(game).includes("Build 9 with 5S + 4D from the table"));
});

test("cards fall into groups", () => {
  assert.deepEqual(partition([32, 20, 8], 9), [[32], [20, 8]]);
  assert.equal(partition([32, 20], 9), null);
});

test("a capture names all cards of a pile that it takes", () => {
  const game = gameOf({ variant: "kasa", hands: [["9S", "2C"], ["AS", "AH"]], layout: ["9C"], piles: [[], ["4D", "9D", "9H"]] });
  assert.equal(told(game)[0], "Take 9C, Counter's 9D and Counter's 9H with the 9S");
});

test("stealing a bundle is one move", () => {
  const game = gameOf({ variant: "stealing-bundles", players: 3, hands: [["8S", "2C"], ["AS"], ["AH"]], layout: ["8H", "KD"], piles: [[], ["8C", "8D"], []] });
  const captures = found(game).filter((move) => move.do === "capture").map(({ words }) => text(words));
  assert.deepEqual(captures.sort(), ["Take 8H with the 8S", "Take all of Counter's pile with the 8S"]);
});

test("a turn is one sentence, and sets of one build are told together", async () => {
  const position = gameOf({
    variant: "swazi", players: 3, rules: { insist_capture: "never", insist_augment: "never" }, to_move: 1,
    hands: [["AS", "AH"], ["9D", "KC", "5C"], ["AD", "AC"]], layout: ["9C", "4S", "KD"],
  }).toJson();
  const table = new Table({ variant: "swazi", players: 3, seats: ["you", "counter", "builder"], position });
  const wanted = ["discard 5C", "build 9", "card 9C", "build 9", "card 5C", "card 4S", "end"];
  const script = {
    reset() {},
    act(observed) {
      const legal = observed.legal(), at = wanted.findIndex((name) => legal.includes(parseAction(name)));
      return at < 0 ? legal[0] : parseAction(wanted.splice(0, at + 1)[at]);
    },
  };
  while (table.waiting && table.game.seat === 1) await table.advance({ of: () => script });
  const [line] = table.seen().log;
  assert.equal(text(line.words), "Counter builds 9 with 9C and the 5C + 4S");
});

test("loose cards are asked for as a build", () => {
  const data = { variant: "kasa", players: 4, hands: [["9S", "2C"], ["AS"], ["9H", "3S"], ["AD"]], layout: ["9C", "6H", "3D"] };
  for (const request of ["binding", "optional"]) {
    const table = new Table({ variant: "kasa", players: 4, seats: ["counter", "builder", "you", "greedy"], position: gameOf({ ...data, rules: { partner_request: request } }).toJson() });
    const game = table.game, asks = movesOf(game.record, game.rules, table.names).find(({ words }) => text(words).includes("9C and 6H + 3D"));
    for (const action of asks.actions) game.apply(action);
    assert.equal(game.seat, 2);
    const seen = table.seen();
    assert.equal(text(seen.question), "Partner wants to take 9C + 6H + 3D with the 9S. Ask for these cards as your build of 9?");
    assert.deepEqual(seen.moves.map(({ words }) => text(words)), ["Ask for the cards as a build of 9", "Let the cards be taken"]);
    game.apply("yes");
    if (request === "optional") game.apply("yes");
    assert.deepEqual(game.toJson().builds, [{ value: 9, owner: 2, sets: [["9C"], ["6H", "3D"], ["9S"]] }]);
  }
});

test("whose a new build is, is asked with its cards and the partner", () => {
  const position = {
    variant: "african", players: 4, round: 1, to_move: 0, layout: ["8S", "JD", "4S"],
    hands: [["AC", "3D", "4H", "5C", "6D", "8D", "9C", "KS", "KD"], ["5S", "5H", "6S", "7S", "7D", "7C", "8C", "QC"], ["AH", "2D", "4D", "TS", "TH", "JH", "QS", "QD"],
      ["2H", "3S", "4C", "6H", "6C", "9S", "JS", "JC"]],
    builds: [{ value: 9, owner: 3, sets: [["8H", "AS"], ["9H"]] }, { value: 12, owner: 2, sets: [["TC", "2S"], ["QH"]] }, { value: 13, owner: 0, sets: [["TD", "3H"], ["7H", "5D", "AD"], ["KH"], ["KC"]] }],
    piles: [[], ["2C", "3C", "9D"], [], []], stock: [], proven: [[], [], [1, 14], []], last_capture: 3,
    turn: { mode: 5, acted: 1, open_value: 14, hand_card: "3D", open_last: "3D", picked: ["3D", "JD"], open_cards: ["JD", "3D"] },
  };
  const table = new Table({ variant: "african", players: 4, seats: ["you", "counter", "greedy", "builder"], position }), seen = table.seen();
  assert.equal(text(seen.question), "Whose is the new build of 14 (JD + 3D): yours or Partner’s?");
  assert.deepEqual(seen.moves.map(({ words }) => text(words)), ["Keep the build of 14", "Leave the build of 14 to Partner"]);
  assert.deepEqual(seen.scene.builds.find(({ value }) => value === 13).sets, position.builds[2].sets);
  table.play(["no"]);
  assert.match(text(table.seen().log.at(-1).words), /leave the build of 14 to Partner/);
  assert.equal(table.seen().scene.builds.find(({ value }) => value === 14).owner, 2);
});

test("whoever captured last gets what is left, and the sheet says so", () => {
  const position = gameOf({ variant: "khasino", hands: [["5D"], []], layout: ["5S", "TH"], round: 2, stock: [], last_capture: 1 }).toJson();
  const table = new Table({ variant: "khasino", players: 2, seats: ["you", "counter"], position });
  table.play(table.moves().find((move) => move.do === "capture").actions);
  while (!table.over) table.play(["end"]);
  const { left } = table.seen().sheet;
  assert.deepEqual([left.seat, left.cards], [0, ["TH"]]);
  assert.equal(text(left.words), "You get what was left on the table, by capturing last: TH");
});

test("points say which cards they come from", async () => {
  const table = tableOf("khasino", 4, { seed: 1 });
  await playOn(table, new Random(1));
  const { sheet } = table.seen(), big = sheet.rows.find(({ name }) => name === "big ten"), aces = sheet.rows.find(({ name }) => name === "aces");
  assert.deepEqual(sheet.sides.map(({ seats }) => seats), [[0, 2], [1, 3]]);
  assert.equal(text(big.words), "Big ten (TD)");
  big.points.forEach((points, side) => assert.deepEqual(big.cards[side], points ? ["TD"] : []));
  aces.points.forEach((points, side) => assert.equal(aces.cards[side].length, points));
});

// --- all games -------------------------------------------------------------------------------------------------------

const EXTRA = [
  ["khasino", 4, { partners: false }], ["swazi", 4, { pile_order: "ask", insist_capture: "ask", insist_augment: "ask" }], ["swazi", 3, { pile_order: "ask" }],
  ["cassino", 3, { sweeps: true, count_out: true }], ["sotho", 4, { insist_capture: "ask" }], ["kasa", 4, { partners: false }],
  ["kasa", 4, { insist_capture: "always", insist_augment: "ask", request_for: "any", new_builds: "with_hand", chain: "no", steal: "augment", owner_top: false, raise_limit: "double" }],
];
const EVERY = [...Object.keys(variants()).flatMap((name) => playerCounts(name).map((players) => [name, players, {}])), ...EXTRA];

/** Random moments of a game at which somebody decides. */
function* decisions(rules, count) {
  const random = new Random(rules.deck + rules.players);
  for (let number = 0; number < count; number++) {
    const game = new Game(rules, rules.players, 1000 + number);
    for (let left = random.below(rules.deck + rules.deck / 4 | 0); left > 0 && !game.over; left--) game.apply(random.of(game.legal()));
    if (!game.over) yield game;
  }
}

for (const [name, players, changes] of EVERY) {
  test(`moves are all there is and end at rest: ${name} ${players} ${JSON.stringify(changes)}`, () => {
    const rules = makeRules(name, players, changes);
    for (const game of decisions(rules, 12)) {
      const here = Game.fromBytes(game.toBytes(), rules, { skipForced: false }), names = seatNames(players, here.seat), moves = movesOf(here.record, rules, names);
      const firsts = new Set(moves.map(({ actions }) => actions[0]));
      assert.equal(firsts.size, here.legal().length);
      for (const move of moves.slice(0, 20)) {
        const ahead = here.clone();
        for (const action of move.actions) ahead.apply(action);
        assert.ok(!isMiddle(ahead.record.get(0, "mode")) || move.actions.length === 1);
        assert.ok(text(move.words));
      }
      const asked = question(new Look(here.record), names);
      if (asked) assert.match(text(asked), /[?.]$/);
    }
  });
}

for (const [name, players, changes] of EVERY.filter((_, at) => at % 4 === 0)) {
  test(`every refusal of ${name} ${players} is a sentence`, () => {
    for (const game of decisions(makeRules(name, players, changes), 5)) {
      const table = tableAt2(game);
      if (!table.mine) continue;
      const { scene, person, moves } = table.seen(), shown = [...scene.loose, ...scene.builds.map(({ token }) => token), ...scene.seats[person].hand];
      for (const card of scene.seats[person].hand.slice(0, 3)) {
        const words = table.whyNot([card], "discard"), can = moves.some((move) => move.do === "discard" && move.cards.includes(card));
        assert.equal(words === null, can);
        if (words) assert.match(text(words), /^[A-Z].*\.$/);
        const pair = table.whyNot([card, shown[0] ?? card]);
        if (pair) assert.match(text(pair), /\.$/);
      }
      const end = table.whyNot([], "end");
      assert.equal(end === null, moves.some((move) => move.do === "end"));
    }
  });
}

/** The same moment with the person on the seat that decides. */
function tableAt2(game) {
  const seats = Array.from({ length: game.rules.players }, (_, seat) => (seat === game.seat ? "you" : "counter"));
  return new Table({ variant: game.rules.name, players: game.rules.players, seats, position: game.toJson(), rules: game.rules.differences() });
}

// --- why not ---------------------------------------------------------------------------------------------------------

const KASA = { variant: "kasa", hands: [["9S", "2C"], ["AS", "AH"]] }, NINE = [{ value: 9, owner: 2, sets: [["7H", "2D"]] }];
for (const [data, tokens, wanted, pattern] of [
  [{ hands: [["5D", "2C"], ["AS", "AH"]], layout: ["4S"] }, ["5D", "4S"], "", /you hold no other 9/],
  [{ hands: [["5D", "9C"], ["AS", "AH"]], layout: ["4S"] }, ["5D", "9C"], "", /^One card from the hand/],
  [{ hands: [["9D", "2C"], ["AS", "AH"]], layout: ["4S"] }, ["9D", "4S"], "", /the highest build is 10/],
  [{ hands: [["9D", "2C"], ["AS", "AH"]], layout: ["4S"] }, [], "end", /has to be played first/],
  [{ hands: [["9D", "2C"], ["AS", "AH"]], layout: ["8S"] }, ["8S"], "", /No card in your hand takes the 8S/],
  [{ hands: [["9D", "2C"], ["AS", "AH"]], layout: ["8S", "7H", "AC"] }, ["8S", "7H"], "", /They|Together/],
  [{ variant: "khasino", hands: [["9D", "2C"], ["AS", "AH"]], layout: ["9S"] }, ["9D"], "discard", /^The 9D can take cards, and here a capture has to take all/],
  [{ hands: [["9D", "2C"], ["AS", "AH"]], builds: [{ value: 9, owner: 0, sets: [["6C", "3D"]] }] }, ["2C"], "discard", /owns a build/],
  [{ variant: "sotho", hands: [["9D", "2C"], ["AS", "AH"]], layout: ["JS", "4H"] }, ["JS", "4H"], "", /only taken by a card of its own rank/],
  [{ ...KASA, piles: [[], ["9D"]] }, ["9S", "9D"], "", /only taken beside an equal loose card or the build/],
  [{ ...KASA, layout: ["5H"], piles: [[], ["4D"]] }, ["9S", "5H", "4D"], "", /in no sum/],
  [{ ...KASA, hands: [["9S", "5C"], ["AS"]], builds: [{ value: 4, owner: 1, sets: [["3D", "AC"]] }], rules: { raise_limit: "double" } }, ["5C", "b4"], "", /at most twice what it was/],
  [{ ...KASA, hands: [["9S", "4C"], ["AS"], ["3H"]], players: 3, piles: [[], [], ["9D"]], builds: NINE, rules: { owner_top: false } }, ["9S", "b9", "9D"], "", /top of its owner’s pile stays/],
  [{ ...KASA, hands: [["9S", "4C", "9C"], ["AS"], ["9H"], ["AD"]], players: 4, layout: ["5H"], builds: NINE }, ["4C", "5H", "b9"], "", /would raise it to 18/],
  [{ ...KASA, hands: [["9S", "4C", "9C"], ["AS"], ["9H"], ["AD"]], players: 4, layout: ["5H"], builds: NINE }, ["4C", "5H"], "", /there is only one of each value/],
  [{ ...KASA, hands: [["8S", "2C"], ["AS"]], layout: ["5H", "3C"] }, ["5H", "3C"], "", null],
  [{ ...KASA, hands: [["5D", "8C"], ["AS"]], layout: ["7H", "AC", "5H"] }, ["5D", "7H", "AC"], "", /come to 13/],
  [CAPTURE, ["8H", "b8"], "", null],
]) {
  test(`why not ${tokens.join(" ")} ${wanted}: ${pattern}`, () => {
    const table = tableAt(data), words = table.whyNot(tokens, wanted);
    if (pattern === null) assert.equal(words, null);
    else assert.match(text(words ?? say("now.over")), pattern);
  });
}
test("a steal binds the hand card", () => {
  const table = tableAt({
    variant: "kasa", hands: [["9S", "2C", "5D"], ["AS"]], layout: ["5C", "3C"], piles: [[], ["9D", "4H"]], builds: [{ value: 9, owner: 0, sets: [["6H", "3D"]] }],
  });
  assert.match(text(table.whyNot(["2C"], "discard")), /^Whoever owns a build may not lay a card down/);
  table.play(table.moves().find(({ words }) => text(words).includes("5C + Counter's 4H")).actions);
  for (const [cards, wanted] of [[["2C"], "discard"], [["5D", "3C"], ""]]) assert.match(text(table.whyNot(cards, wanted)), /^You have stolen for your build of 9/);
  assert.equal(table.whyNot(["9S", "b9"]), null);
});

test("what is no card is refused", () => {
  for (const token of ["XX", "b99", "b7", ""]) assert.throws(() => tableAt(CAPTURE).whyNot([token]), /not a card|no such build/);
});

// --- names, rules, house rules ---------------------------------------------------------------------------------------

test("agents of one name are numbered, and the partner is called so", () => {
  const called = (specs, how) => namesOf(specs, how).called.map((name) => text(name));
  assert.deepEqual(called(["counter", "you", "counter", "policy:swazi-2-easy"]), ["Counter 1", "You", "Counter 2", "Novice"]);
  assert.deepEqual(called(["counter", "you", "counter", "counter"], { partners: true }), ["Counter 1", "You", "Counter 2", "Partner"]);
  assert.deepEqual(["policy:swazi-2", "policy:universal", "search:time=2", "mine.py:Agent"].map((spec) => text(introduce(spec).title)), ["Expert", "All-rounder", "Thinker", "Mine.py:Agent"]);
  assert.match(text(introduce("search:time=2").line), /\(2 s a move\)/);
});

test("every game has a name, a line and players", () => {
  const all = games();
  assert.deepEqual(all.map(({ name }) => name).sort(), Object.keys(variants()).sort());
  for (const { name, title, line, sittings } of all) {
    assert.ok(text(title) !== name && text(line).endsWith("."));
    assert.deepEqual(sittings.map(({ players }) => players), playerCounts(name));
    for (const { words } of sittings) assert.match(text(words), /turns? each, about (a minute|\d+ minutes) a deal/);
  }
  assert.equal(all.filter(({ starter }) => starter).length, 1);
});

test("there are four levels, bots where no policy has learnt so much", () => {
  const specs = (rules, names) => levels(rules, names).map(({ spec }) => spec);
  assert.deepEqual(specs(makeRules("swazi", 2), ["swazi-2", "swazi-2-easy", "swazi-2-medium"]), ["policy:swazi-2-easy", "policy:swazi-2-medium", "policy:swazi-2", "strongest:time=2"]);
  assert.deepEqual(specs(makeRules("khasino", 4), []), ["greedy", "builder", "partner", "strongest:time=2"]);
  assert.deepEqual(specs(makeRules("khasino", 4), ["x"]), ["builder", "partner", "policy:x", "strongest:time=2"]);
});

for (const [name, players, changes] of EVERY) {
  test(`rules of ${name} ${players} ${JSON.stringify(changes)} begin with the aim and what a turn is`, () => {
    const sections = rulesText(makeRules(name, players, changes)), titles = sections.map(({ title }) => text(title));
    assert.equal(titles[0], "How it goes");
    for (const title of ["Cards", "Taking", "Points"]) assert.ok(titles.includes(title));
    const lines = sections.flatMap(({ lines: each }) => each.map((line) => text(line)));
    assert.match(lines[0], /^The aim is to take cards/);
    assert.match(lines[1], /^On your turn you play one card of your hand/);
    assert.equal(new Set(lines).size, lines.length);
    for (const line of lines) assert.ok(/^[A-Z0-9]/.test(line) && !/undefined|null|NaN|\{/.test(line), line);
    if (sections.some((section) => section.name === "stealing")) assert.ok(lines.some((line) => line.startsWith("To steal is")));
    if (sections.some((section) => section.name === "building")) assert.ok(lines.some((line) => line.startsWith("A build is")) && lines.some((line) => line.includes("To raise it is")));
  });
}

test("a switch changes the words", () => {
  const words = (changes) => rulesText(makeRules("swazi", 2, changes)).flatMap(({ lines }) => lines.map((line) => text(line)));
  assert.notDeepEqual(words({ insist_capture: "never" }), words({}));
  assert.notDeepEqual(words({ pile_order: "ask" }), words({}));
  assert.notDeepEqual(rulesText(makeRules("sotho", 2)), rulesText(makeRules("swazi", 2)));
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
        const can = makeRulesOr(name, players, { [field]: choice.value });
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

function makeRulesOr(name, players, changes) {
  try {
    return Boolean(makeRules(name, players, changes));
  } catch {
    return false;
  }
}

test("house rules that cannot be are shown all the same", () => {
  const changes = { partners: false };
  assert.ok(rulesRefused("swazi", 4, changes));
  const sides = houseRules("swazi", 4, changes).flatMap(({ switches }) => switches).find(({ field }) => field === "partners");
  assert.equal(sides.value, false);
  assert.equal(rulesRefused("khasino", 4, changes), null);
});

// --- prompts ---------------------------------------------------------------------------------------------------------

test("a prompt says what is left to do, and one button at most is set off", async () => {
  const random = new Random(4), table = tableOf("african", 2, { seed: 3 }), prompts = new Set();
  assert.equal(text(offer(table.seen()).prompt).startsWith("Your turn"), table.mine);
  while (!table.over) {
    const seen = table.seen(), { prompt, main, plain, moves } = offer(seen);
    prompts.add(prompt.key);
    if (main) assert.ok([...plain, ...moves].includes(main));
    if (seen.played && !seen.question && !seen.endsItself && seen.mine) assert.equal(prompt.key, seen.moves.some((move) => move.do === "end") ? "now.add" : "now.owed");
    await playOn(table, random, 1);
  }
  for (const key of ["now.first", "now.choose", "now.add", "now.thinking"]) assert.ok(prompts.has(key), key);
});

// --- replays ---------------------------------------------------------------------------------------------------------

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
  assert.throws(() => timeLine("nonsense"), /Not a record/);
  assert.throws(() => timeLine(table.record().replace("0: ", "0: fly; ")), /line \d+/);
});

test("hints of an agent that judges action by action", async () => {
  const table = tableOf("swazi", 2);
  while (table.waiting) await table.advance(agents);
  const hint = await table.hint(new Dice(), "random");
  assert.equal(text(hint.agent), "Dice");
  assert.ok(text(hint.words) && hint.actions.length && hint.rows.length);
});

// --- other languages -------------------------------------------------------------------------------------------------

/** Says nothing but arguments: what is left of a text then was not in the catalogue. */
class Mute extends Speaker {
  constructor() {
    super(en);
    this.lists = new Intl.ListFormat("en", { type: "unit", style: "narrow" });
  }

  template(key) {
    return key.startsWith("list.") || key.startsWith("rank.") || /^card\.\w+\.\w$/.test(key) ? "·" : super.template(key);
  }

  fill(pieces, args, counted) {
    return super.fill(pieces.map((piece) => (typeof piece === "string" ? "·" : piece)), args, counted);
  }
}

test("nothing is said but by the catalogue", async () => {
  const mute = new Mute(), left = new Set();
  const hear = (message) => left.add(mute.parts(message).map((part) => part.text).join("").replace(/[·\s\d]/g, ""));
  const tables = [["swazi", 4, {}], ["kasa", 4, {}], ["cassino", 3, { match_rounds: 1, target: 0 }], ["stealing-bundles", 2, {}], ["african", 4, { insist_capture: "ask", pile_order: "ask" }]];
  for (const [name, players, rules] of tables) {
    const random = new Random(2), table = tableOf(name, players, { rules, match: Boolean(rules.match_rounds) });
    while (!table.over) {
      const seen = table.seen(), offered = offer(seen);
      for (const { words } of [...seen.moves, ...seen.log]) hear(words);
      for (const message of [offered.prompt, seen.scene.title, ...seen.scene.seats.map(({ note }) => note), ...seen.names]) if (message) hear(message);
      for (const card of seen.scene.seats[0].hand) {
        const why = table.mine ? table.whyNot([card], "discard") : null;
        if (why) hear(why);
      }
      await playOn(table, random, 1);
    }
    const { sheet } = table.seen();
    for (const message of [sheet.verdict, ...sheet.rows.map(({ words }) => words), ...sheet.counts.map(({ words }) => words), ...sheet.sides.map((side) => side.name), ...(sheet.left ? [sheet.left.words] : [])]) hear(message);
    for (const { title, lines } of rulesText(table.rules)) [title, ...lines].forEach(hear);
    for (const { title, switches } of houseRules(name, players)) [title, ...switches.flatMap(({ question: asked, choices }) => [asked, ...choices.flatMap(({ words, refused }) => (refused ? [words, refused] : [words]))])].forEach(hear);
  }
  for (const { title, line, kind, sittings } of games()) [title, line, kind, ...sittings.map(({ words }) => words)].forEach(hear);
  assert.deepEqual([...left], [""]);
});

test("modes are those of the engine", () => {
  const numbers = use().facts.constants["engine.state"];
  for (const [name, number] of Object.entries(looks)) if (/^[A-Z_]+$/.test(name)) assert.equal(number, numbers[name], name);
});
