// Hints and reviews by a judge of complete turns: here one that is told what they are worth.

import assert from "node:assert/strict";
import test from "node:test";

import { actionText, parseAction } from "../page/casino/src/game/actions.js";
import { Judge } from "../page/casino/src/agents/analyse.js";
import { observe } from "../page/casino/src/game/observed.js";
import { Table, review, summary, timeLine } from "../page/table/index.js";
import { Random, playOn, tableOf, text } from "./tables.js";

/** A judge that lists the turns of the real one, worth what `worth` says. */
function judge(worth, by = "play-outs") {
  const real = new Judge();
  return {
    asked: [],
    async advise(observed, options = {}) {
      this.asked.push(options);
      const advice = await real.advise(observed, { ...options, games: 8, seconds: 0.05, solve: false });
      const turns = advice.turns.map((turn) => {
        const { loss, half } = worth(turn.actions.map(actionText));
        return { ...turn, value: 2 - loss, loss, low: loss - half, high: loss + half, mistake: loss - half > 0.25 };
      });
      return { ...advice, by,
        turns: turns.sort((a, b) => worth(a.actions.map(actionText)).loss - worth(b.actions.map(actionText)).loss) };
    },
  };
}

const SETUP = {
  variant: "south-african", players: 2, seats: ["you", "counter"],
  position: { variant: "south-african", players: 2, round: 2, hands: [["7S", "9H"], ["AS", "AH"]], layout: ["7D", "3C"],
    stock: [] },
};

async function finished(first) {
  const table = new Table(SETUP);
  table.play(first);
  await playOn(table, new Random(1));
  return timeLine(table.record(), table.setup.seats);
}

test("a hint names the best turn, its value and the others", async () => {
  const table = new Table(SETUP),
    moves = judge((actions) => ({ loss: actions[0] === "capture 7S" ? 0 : 3, half: 0.1 }));
  const hint = await table.hint(moves, "policy:south-african-2");
  assert.equal(text(hint.words), "Take 7D with the 7S");
  assert.equal(text(hint.value), "Strong expects to end 2.0 points ahead of the others.");
  assert.deepEqual([...hint.tokens].sort(), ["7D", "7S"]);
  assert.equal(hint.rows[0].best, true);
  assert.equal(hint.rows.at(-1).best, false);
  await assert.rejects(async () => {
    const waiting = new Table({ ...SETUP, seats: ["counter", "you"] });
    await waiting.hint(moves);
  }, /your own decisions/);
});

test("the points grow to those of the sheet", async () => {
  for (const [variant, players] of [["swazi", 2], ["khasino", 4], ["cassino", 3]]) {
    const table = tableOf(variant, players), { rules, person } = table;
    await playOn(table, new Random(2));
    const line = timeLine(table.record(), table.setup.seats), [yours, others] = line.scores();
    assert.equal(yours.length, line.stops.length);
    assert.deepEqual([yours[0], others[0]], [0, 0]);
    const { points } = line.seen(line.steps.length).scene.seats[person], { sheet } = table.seen();
    assert.equal(yours.at(-1), points);
    const best = Math.max(...sheet.points.filter((_, side) => side !== rules.side(person)));
    assert.equal(others.at(-1), best);
  }
});

test("the same move is the same, whether its end is told or not", async () => {
  const line = await finished(["capture 7S", "card 7D", "end"]), [step] = line.decisions();
  const asked = judge((actions) => ({ loss: actions[0] === "capture 7S" ? 0 : 2, half: 0.1 })),
    verdict = await review(line, step, asked);
  assert.equal(verdict.kind, "same");
  assert.equal(verdict.lost, 0);
  assert.equal(text(verdict.words), "The best there was");
  assert.equal(text(verdict.played), text(verdict.best));
  assert.deepEqual(asked.asked[0].also[0].slice(0, 2), ["capture 7S", "card 7D"].map(parseAction));
});

for (const [loss, half, kind, pattern] of [[2, 0.4, "mistake", /^Cost 2.0 points, give or take 0.4$/],
  [2, 2.5, "unsure", /^Could not be judged$/], [0.4, 0.6, "level", /^As good as the best, give or take 0.6$/], [0.1, 0.05, "level", /^As good/],
  [-1, 0.4, "better", /^Better by 1.0 point, give or take 0.4$/]]) {
  test(`a turn that loses ${loss} ± ${half} is ${kind}`, async () => {
    const line = await finished(["discard 9H"]), [step] = line.decisions();
    const worth = (actions) => (actions[0] === "capture 7S" ? { loss: 0, half: 0 } : actions[0] === "discard 9H"
      ? { loss, half } : { loss: 9, half: 0.1 });
    const told = judge(worth), best = (turn) => (actionText(turn.actions[0]) === "capture 7S" ? 0 : 1);
    const verdict = await review(line, step, {
      advise: async (...asked) => {
        const advice = await told.advise(...asked);
        return { ...advice, turns: advice.turns.sort((a, b) => best(a) - best(b)) };
      },
    });
    assert.equal(verdict.kind, kind);
    assert.match(text(verdict.words), pattern);
    assert.match(text(verdict.best), /^Take 7D/);
    assert.equal(text(verdict.played), "Lay down the 9H");
  });
}

test("the solver's verdicts are without an interval", async () => {
  const line = await finished(["discard 9H"]), [step] = line.decisions();
  const verdict = await review(line, step,
    judge((actions) => ({ loss: actions[0] === "capture 7S" ? 0 : 1, half: 0 }), "solver"));
  assert.deepEqual([verdict.exact, verdict.error, verdict.kind], [true, 0, "mistake"]);
  assert.match(text(verdict.words), /^Cost 1.0 point$/);
});

test("a sum takes gains off losses", async () => {
  const table = tableOf("swazi", 2, { seed: 2 });
  await playOn(table, new Random(1));
  const line = timeLine(table.record(), table.setup.seats), steps = line.decisions();
  const verdicts =
    steps.map((step, at) => ({ step, kind: at % 2 ? "better" : "mistake", lost: at % 2 ? -1 : 1.5, error: 0.3 }));
  if (verdicts.length % 2) verdicts.at(-1).lost = 0;
  const pairs = Math.floor(verdicts.length / 2), found = summary(line, verdicts);
  assert.ok(Math.abs(found.net - pairs * 0.5) < 1e-9);
  assert.ok(Math.abs(found.error - 0.3 * Math.sqrt(verdicts.length)) < 1e-9);
  assert.match(text(found.words), /^\d+ clear mistakes cost \d+\.\d points?\.$/);
  const some = verdicts.map((each, at) => ({ ...each, kind: at ? "level" : "unsure" })), beside = summary(line, some);
  assert.match(text(beside.words), /^No clear mistake in \d+ decisions. One could not be judged.$/);
  assert.equal(beside.judged, some.length - 1);
  assert.match(text(summary(line, verdicts.slice(0, 3)).words), /Looking at your decisions: 3 of/);
  assert.equal(found.worst[0].lost, 1.5);
});

test("what is told of a turn ends where something new would be seen", async () => {
  const random = new Random(3), real = new Judge();
  let cut = 0;
  for (let seed = 1; seed < 4; seed++) {
    const table = tableOf("swazi", 2, { seed });
    while (!table.over) {
      if (table.mine && random.below(3) === 0) {
        const advice = await real.advise(observe(table.game), { games: 8, seconds: 0.05, solve: false }),
          hint = await table.hint({ advise: () => advice });
        for (const [at, row] of hint.rows.entries()) {
          const ahead = table.game.clone();
          row.actions.forEach((action) => ahead.apply(action));
          assert.ok(text(row.words));
          cut += row.actions.length < advice.turns[at].actions.length;
        }
      }
      await playOn(table, random, 1);
    }
  }
  assert.ok(cut > 0);
});

test("whoever follows the hints loses nothing where the solver can tell", async () => {
  const table = tableOf("mini", 2, { seed: 5 }), real = new Judge();
  while (!table.over) {
    if (table.mine) table.play((await table.hint(real, "policy", { seconds: 0.5, games: 64 })).actions);
    else await playOn(table, new Random(1), 1);
  }
  const line = timeLine(table.record(), table.setup.seats), verdicts = [];
  for (const step of line.decisions()) verdicts.push(await review(line, step, real, { seconds: 0.5, games: 64 }));
  assert.deepEqual(verdicts.filter(({ exact, lost }) => exact && lost !== 0), []);
  assert.equal(verdicts.some(({ kind }) => kind === "mistake"), false);
});
