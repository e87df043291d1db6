// Exercises: what is asked, when it is answered, and what the answer says.

import assert from "node:assert/strict";
import test from "node:test";

import { actionText } from "../page/casino/src/game/actions.js";
import { Judge } from "../page/casino/src/agents/analyse.js";
import { Game } from "../page/casino/src/game/game.js";
import { observe } from "../page/casino/src/game/observed.js";
import { answer, exerciseTable, isAnswered } from "../page/table/index.js";
import { Random, text } from "./tables.js";

const judge = new Judge();

/** Find an ending in which some turn is worse than another; return it with what the turns are worth. */
async function ending() {
  for (let seed = 1; ; seed++) {
    const game = new Game("south-african", 2, seed, { skipForced: false }), random = new Random(seed);
    while (!game.over) {
      const observed = observe(game), held = game.toJson().hands.map(({ length }) => length);
      if (!observed.hidden && Math.max(...held) <= 4 && game.record.get(0, "to_move") === game.seat
        && game.record.get(0, "hand_card") < 0) {
        const { by, turns } = await judge.advise(observed);
        if (by === "solver" && turns.at(-1).loss >= 2 && held[1 - game.seat] > 1)
          return { position: game.toJson(), specs: game.seat ? ["counter", "you"] : ["you", "counter"], turns };
      }
      game.apply(random.of(game.legal()));
    }
  }
}

const { position, specs, turns } = await ending();

/** @param {number[]} actions */
function played(actions) {
  const table = exerciseTable(position, specs);
  assert.equal(isAnswered(table), false);
  table.play(actions.map(actionText).filter((action) => action !== "end"));
  if (!isAnswered(table)) table.play(["end"]);
  assert.equal(isAnswered(table), true);
  return table;
}

test("the best turn is right, and why is told: what the others make of it, and what the next best would cost",
  async () => {
  const tried = await answer(played(turns[0].actions), judge);
  assert.deepEqual([tried.kind, tried.lost, tried.instead], ["same", 0, []]);
  assert.match(text(tried.then[0]), /^Nomsa /);
  assert.match(text(tried.then[1]), /^You /);
  assert.match(text(tried.behind[1]), /^Would have cost /);
});

test("a mistake is answered by what it costs and what the others make of it", async () => {
  const worst = turns.at(-1), tried = await answer(played(worst.actions), judge);
  assert.deepEqual([tried.kind, tried.exact, tried.lost], ["mistake", true, worst.loss]);
  assert.match(text(tried.words), /^Cost /);
  assert.match(text(tried.then[0]), /^Nomsa /);
  assert.match(text(tried.instead[0]), /^Nomsa /);
});
