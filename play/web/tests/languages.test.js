// The languages of the page: every key is known in English, templates can be read, and each uses the arguments of its English.

import assert from "node:assert/strict";
import test from "node:test";

import { en } from "../page/languages/en.js";
import { Speaker, argumentsOf, say } from "../page/words/message.js";
import { languages } from "../page/languages/languages.js";
import { playOn, Random, tableOf } from "./tables.js";

/** What an argument could be. */
const sample = { n: 2, who: { seat: 0, as: "you", name: say("name.you") }, owner: { seat: 1, as: "they", name: say("agent.friend") } };

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
      assert.deepEqual(needed.filter((name) => name !== "n" && !used.includes(name)), [], `${key}: arguments that are missing`);
      const args = Object.fromEntries(needed.map((name) => [name, sample[name] ?? "x"]));
      assert.ok(speaker.parts(say(key, args)).length > 0, key);
    }
  });

  test(`a deal in ${code}`, async () => {
    const { words } = await import(`../page/languages/${code}.js`), speaker = new Speaker(words, en), table = tableOf("swazi", 3);
    await playOn(table, new Random(1));
    for (const { words: line } of table.seen().log) assert.ok(speaker.parts(line).map(({ text }) => text).join("").length > 3);
  });
}

test("templates that a language lacks keep the plurals of English", () => {
  const speaker = new Speaker({ locale: "zu" }, en);
  assert.equal(speaker.parts(say("count.cards", { n: 0 })).map(({ text }) => text).join(""), "0 cards");
});
