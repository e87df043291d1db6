// Hints and reviews by a judge that says what complete turns are worth: here one that is told what to say.

import assert from "node:assert/strict";
import test from "node:test";

import { actionText, parseAction } from "../src/actions.js";
import { uncheckedGame } from "../src/game.js";
import { resultsOf } from "../src/turns.js";
import { Table, review, summary, timeLine } from "../src/table/index.js";
import { Random, playOn, tableOf, text } from "./tables.js";

/** Every complete turn, the later ones worth less; `worth` may say otherwise. */
function judge(worth = (_actions, at) => ({ loss: at, half: 0.1 }), by = "play-outs") {
  return {
    asked: [],
    advise(observed, options = {}) {
      this.asked.push(options);
      const game = uncheckedGame(observed.view, observed.rules, { skipForced: false });
      const turns = [...resultsOf(game).values()].map(({ actions }, at) => {
        const { loss, half } = worth(actions.map(actionText), at);
        return { actions, value: 2 - loss, loss, low: loss - half, high: loss + half, chance: at ? 0 : 1 };
      });
      return { by, turns: turns.sort((a, b) => a.loss - b.loss) };
    },
  };
}

const SETUP = {
  variant: "south-african", players: 2, seats: ["you", "counter"],
  position: { variant: "south-african", players: 2, round: 2, hands: [["7S", "9H"], ["AS", "AH"]], layout: ["7D", "3C"], stock: [] },
};

async function finished(first) {
  const table = new Table(SETUP);
  table.play(first);
  await playOn(table, new Random(1));
  return timeLine(table.record(), table.setup.seats);
}

test("a hint names the best turn, its value and the others", async () => {
  const table = new Table(SETUP), first = table.moves().find((move) => move.do === "capture"), moves = judge((actions) => (actions[0] === first.actions[0] && actions.length ? { loss: actions.includes("card 7D") ? 0 : 1, half: 0.1 } : { loss: 3, half: 0.5 }));
  const hint = await table.hint(moves, "policy:south-african-2");
  assert.equal(text(hint.words), "Take 7D with the 7S");
  assert.equal(text(hint.value), "Expert expects to end 2.0 points ahead of the others.");
  assert.deepEqual([...hint.tokens].sort(), ["7D", "7S"]);
  assert.equal(hint.rows[0].best, true);
  assert.equal(hint.rows.at(-1).best, false);
  await assert.rejects(async () => {
    const waiting = new Table({ ...SETUP, seats: ["counter", "you"] });
    await waiting.hint(moves);
  }, /your own decisions/);
});

test("the same move is the same, whether its end is told or not", async () => {
  const line = await finished(["capture 7S", "card 7D", "end"]), [step] = line.decisions();
  const asked = judge((actions) => ({ loss: actions[0] === "capture 7S" ? 0 : 2, half: 0.1 })), verdict = await review(line, step, asked);
  assert.equal(verdict.kind, "same");
  assert.equal(verdict.lost, 0);
  assert.equal(text(verdict.words), "The best there was");
  assert.equal(text(verdict.played), text(verdict.best));
  assert.deepEqual(asked.asked[0].also[0].slice(0, 2), ["capture 7S", "card 7D"].map(parseAction));
});

for (const [loss, half, kind, pattern] of [[2, 0.4, "mistake", /^Cost 2.0 points, give or take 0.4$/], [2, 2.5, "level", /^As good as the best, give or take 2.5$/], [0.1, 0.05, "level", /^As good/], [-1, 0.4, "better", /^Better by 1.0 point, give or take 0.4$/]]) {
  test(`a turn that loses ${loss} ± ${half} is ${kind}`, async () => {
    const line = await finished(["discard 9H"]), [step] = line.decisions();
    const worth = (actions) => (actions[0] === "capture 7S" ? { loss: 0, half: 0 } : actions[0] === "discard 9H" ? { loss, half } : { loss: 9, half: 0.1 });
    const told = judge(worth), sorted = { advise: (observed) => { const advice = told.advise(observed); advice.turns.sort((a, b) => (actionText(a.actions[0]) === "capture 7S" ? -1 : actionText(b.actions[0]) === "capture 7S" ? 1 : 0)); return advice; } };
    const verdict = await review(line, step, sorted);
    assert.equal(verdict.kind, kind);
    assert.match(text(verdict.words), pattern);
    assert.match(text(verdict.best), /^Take 7D/);
    assert.equal(text(verdict.played), "Lay down the 9H");
  });
}

test("the solver's verdicts are without an interval", async () => {
  const line = await finished(["discard 9H"]), [step] = line.decisions();
  const verdict = await review(line, step, judge((actions) => ({ loss: actions[0] === "capture 7S" ? 0 : 1, half: 0 }), "solver"));
  assert.deepEqual([verdict.exact, verdict.error, verdict.kind], [true, 0, "mistake"]);
  assert.match(text(verdict.words), /^Cost 1.0 point$/);
});

test("a sum takes gains off losses", async () => {
  const table = tableOf("swazi", 2, { seed: 2 });
  await playOn(table, new Random(1));
  const line = timeLine(table.record(), table.setup.seats), steps = line.decisions();
  const verdicts = steps.map((step, at) => ({ step, kind: at % 2 ? "better" : "mistake", lost: at % 2 ? -1 : 1.5, error: 0.3 }));
  if (verdicts.length % 2) verdicts.at(-1).lost = 0;
  const pairs = Math.floor(verdicts.length / 2), found = summary(line, verdicts);
  assert.ok(Math.abs(found.net - pairs * 0.5) < 1e-9);
  assert.ok(Math.abs(found.error - 0.3 * Math.sqrt(verdicts.length)) < 1e-9);
  assert.match(text(found.words), /cost .* in all, give or take/);
  assert.match(text(summary(line, verdicts.slice(0, 3)).words), /Looking at your decisions: 3 of/);
  assert.match(text(summary(line, verdicts.map((each) => ({ ...each, lost: 0, error: 0 }))).words), /as good as the best/);
  assert.equal(found.worst[0].lost, 1.5);
});
