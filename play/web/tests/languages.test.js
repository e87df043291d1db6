// Messages as text, and the languages of the page: every key exists in English, templates can be read, and each uses
// the arguments of its English template.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { en } from "../page/languages/en.js";
import { Speaker, argumentsOf, capitalised, say, textOf } from "../page/words/message.js";
import { namesOf } from "../page/words/names.js";
import { SAME, languages } from "../page/languages/languages.js";
import { playOn, Random, tableOf } from "./tables.js";

/** Return a text with every argument empty. */
function bare(speaker, key) {
  const args = Object.fromEntries(argumentsOf(en[key]).map((name) => [name, name === "n" ? 2 : ""]));
  return speaker.parts(say(key, args)).map(({ text }) => text).join("");
}

for (const { code } of languages.filter(({ whole }) => whole)) {
  test(`${code} is whole, with plurals, and in no text much longer than English`, async () => {
    const { words } = await import(`../page/languages/${code}.js`), speaker = new Speaker(words, en),
      english = new Speaker(en);
    const wanted = Object.keys(en).filter((key) => key !== "locale" && !SAME.test(key));
    assert.deepEqual(wanted.filter((key) => !(key in words)), []);
    for (const key of wanted) {
      const own = bare(speaker, key), theirs = bare(english, key);
      assert.ok(own.length <= 1.5 * theirs.length + 12, `${key}: ${own} (${theirs})`);
      if (/\{n, plural/.test(en[key])) assert.match(words[key], /\{n, plural, .*one \{.*other \{/, key);
    }
  });
}

/** An example of each argument. */
const sample = { n: 2, who: { seat: 0, as: "you", name: say("name.you") },
  owner: { seat: 1, as: "they", name: say("agent.friend") } };

for (const { code } of languages.filter((each) => each.code !== "en")) {
  test(`${code} can be said`, async () => {
    const { words } = await import(`../page/languages/${code}.js`);
    assert.equal(words.locale, code);
    const speaker = new Speaker(words, en);
    for (const [key, template] of Object.entries(words)) {
      if (key === "locale" || key === "list.last") continue;
      assert.ok(key in en, key);
      const needed = argumentsOf(en[key]), used = argumentsOf(template);
      assert.deepEqual(used.filter((name) => !needed.includes(name)), [], `${key}: arguments that English has not`);
      assert.deepEqual(needed.filter((name) => name !== "n" && !used.includes(name)), [],
        `${key}: arguments that are missing`);
      const args = Object.fromEntries(needed.map((name) => [name, sample[name] ?? "x"]));
      assert.ok(speaker.parts(say(key, args)).length > 0, key);
    }
  });

  test(`a deal in ${code}`, async () => {
    const { words } = await import(`../page/languages/${code}.js`), speaker = new Speaker(words, en),
      table = tableOf("swazi", 3);
    await playOn(table, new Random(1));
    for (const { words: line } of table.seen().log)
      assert.ok(speaker.parts(line).map(({ text }) => text).join("").length > 3);
  });
}

test("templates that a language lacks keep the plurals of English", () => {
  const speaker = new Speaker({ locale: "zu" }, en);
  assert.equal(speaker.parts(say("page.cards", { n: 0 })).map(({ text }) => text).join(""), "0 cards");
});

// --- messages --------------------------------------------------------------------------------------------------------

const speaker = (templates, locale = "en-GB") => new Speaker({ locale, ...templates }, en);
const said = (templates, args, locale) => speaker(templates, locale).parts(say("x", args)).map((part) => part.text)
  .join("");

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
    ["{a", {}, /expected/], ["{a, plural, one {b}}", {}, /other/], ["a}", {}, /unexpected }/],
    ["{a}", {}, /needs the argument a/], ["{}", {}, /expected a word/],
  ]) assert.throws(() => said({ x: template }, args), pattern);
  assert.throws(() => textOf(new Speaker(en, en), say("no.such.key")), /no words for/);
});

test("what a language lacks is said in English, the rest in its own words", () => {
  const other = { locale: "af", "name.you": "Jy", "card.name": "{suit}-{rank}" };
  assert.equal(textOf(new Speaker(other, en), say("name.you")), "Jy");
  assert.equal(textOf(new Speaker(other, en), say("now.over")), "The game is over.");
  assert.equal(textOf(new Speaker(other, en, "name"), say("held.card", { card: { card: "QH" } })), "The hearts-queen");
});

test("cards and seats come apart, to be drawn", () => {
  const names = namesOf(["counter", "you"]), message =
    say("turn.of", { who: names.of(0), steps: [say("do.discard", { who: names.of(0), card: { card: "5C" } })] });
  assert.deepEqual(capitalised(new Speaker(en).parts(message), "en-GB"),
    [{ text: "Nomsa", seat: 0 }, { text: " lays down the " }, { text: "5♣", card: "5C" }]);
  assert.equal(textOf(new Speaker(en, en, "name"), message), "Nomsa lays down the 5 of clubs");
});

test("every template can be read, and every key that is named has one", () => {
  const whole = speaker({});
  for (const [key, template] of Object.entries(en)) {
    const names = new Set([...template.matchAll(/\{(\w+)/g)].map(([, name]) => name));
    const args = Object.fromEntries([...names].map((name) => [name, 1]));
    if (key !== "locale")
      assert.doesNotThrow(() => whole.fill(speaker({ [key]: template }).parts(say(key, args)) && [], args, null), key);
  }
  for (const folder of ["words", "table"]) {
    for (const file of readdirSync(new URL(`../page/${folder}/`, import.meta.url))) {
      const source = readFileSync(new URL(`../page/${folder}/${file}`, import.meta.url), "utf8");
      for (const [, key] of source.matchAll(/(?:\bsay|TableError|inWords)\("([^"]+)"/g))
        assert.ok(key in en, `${file}: ${key}`);
    }
  }
});
