#!/usr/bin/env node
// Makes puzzles. The same seed makes the same.
//
//   node play/web/tools/puzzles.js --to FOLDER [--count 40] [--seed 1] [GAME ...]
//
// The medium level plays deals against itself. Where all cards can be worked out and the exact solver knows one best
// turn, each level is asked for its own; a turn that at least one of them misses is a puzzle, of each deal the hardest.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { countOf } from "../page/casino/src/game/cards.js";
import { Judge, find } from "../page/casino/src/agents/analyse.js";
import { makeAgent } from "../page/casino/src/agents/registry.js";
import { Game } from "../page/casino/src/game/game.js";
import { loadKernels, use } from "../page/casino/src/kernels/kernels.js";
import { observe } from "../page/casino/src/game/observed.js";
import { makeRules, playerCounts, variants } from "../page/casino/src/game/rules.js";
import { lettersOf } from "../page/table/code.js";
import { levelsOf } from "../page/table/house.js";
import { PUZZLES } from "../page/table/puzzles.js";
import { intIn } from "../page/casino/src/game/validate.js";
import { IDLE } from "../page/words/look.js";
import { command } from "./command.js";
import { turnBy } from "./turns.js";

/** @import { Rules } from "../page/casino/src/game/rules.js" */

const SECONDS = 40; // far more than these endings take, so that time decides nothing
const MOST_HELD = 7; // cards of a hand, to be solved soon
const FEWEST = 3; // turns to choose from
const GAP = 1; // points that the second best loses, at least
const DEALS = 100; // for each puzzle, before it gives up

/** Those who are asked: easy, medium, strong. @param {Rules} rules */
const askedOf = (rules) => Promise.all(levelsOf(rules).slice(0, 3).map(({ spec }) => makeAgent(spec)));

/** Is there one best turn, all turns known exactly? */
const hasOneAnswer = ({ by, turns }) =>
  by === "solver" && turns.length >= FEWEST && turns.every(({ low, high }) => low === high) && turns[1].loss >= GAP;

/** The beginning of a turn in an ending. */
function couldBe(game, observed) {
  const { record, seat } = game, held = record.list(0, "hands").map(countOf);
  return record.get(0, "to_move") === seat && record.get(0, "mode") === IDLE && record.get(0, "hand_card") < 0
    && !observed.hidden && Math.max(...held) <= MOST_HELD && Math.min(held[0], held[1]) > 1;
}

/** The hardest puzzle of a deal; null if it has none. */
async function ofDeal(rules, seed, judge, asked) {
  const game = new Game(rules, rules.players, seed, { skipForced: false }), [, player] = asked;
  await player.reset(0, seed);
  let found = null;
  while (!game.over) {
    const observed = observe(game), legal = game.legal();
    if (legal.length > 1 && couldBe(game, observed)) {
      // As the page shows it: with the order of piles, which the seat may not know.
      const shown = observe(Game.fromJson(game.toJson(), { skipForced: false }));
      if (hasOneAnswer(await judge.advise(shown, { seconds: SECONDS }))) {
        const turns = [];
        for (const agent of asked) {
          await agent.reset(game.seat, seed);
          turns.push(await turnBy(agent, game));
        }
        const advice = await judge.advise(observed, { seconds: SECONDS, also: turns });
        const missed = turns.filter((turn) => find(advice, turn).loss > 0).length;
        if (missed > (found?.[2] ?? 0)) found = [seed, lettersOf(game.log.map(([, action]) => action)), missed];
        await player.reset(0, seed + game.log.length);
      }
    }
    game.apply(legal.length === 1 ? legal[0] : await player.act(observed));
  }
  return found;
}

async function make(variant, { count, seed }) {
  const [players] = playerCounts(variant), rules = makeRules(variant, players), judge = new Judge();
  // of three other hands nobody can work out who holds what, and the levels are asked as players
  if (rules.sides !== 2 || players !== 2) return null;
  const asked = await askedOf(rules), puzzles = [];
  for (let deal = seed; puzzles.length < count && deal < seed + DEALS * count; deal++) {
    const found = await ofDeal(rules, deal, judge, asked);
    if (found) puzzles.push(found);
  }
  judge.close();
  for (const agent of asked) agent.close();
  return { format: PUZZLES, rulesVersion: use().constant("rules", "RULES_VERSION"), variant, players, puzzles };
}

await command("puzzles", async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true, options: { to: { type: "string" }, count: { type: "string", default: "40" },
      seed: { type: "string", default: "1" } },
  });
  if (!values.to) throw new Error("say where they go: --to FOLDER");
  const count = intIn(Number(values.count), "--count", 1, 10_000), seed = intIn(Number(values.seed), "--seed", 0);
  await loadKernels();
  mkdirSync(values.to, { recursive: true });
  for (const variant of positionals.length ? positionals : Object.keys(variants())) {
    const file = await make(variant, { count, seed });
    if (!file?.puzzles.length) continue;
    writeFileSync(`${values.to}/${variant}.json`, `${JSON.stringify(file)}\n`);
    console.log(`${variant}: ${file.puzzles.length} puzzles, missed by one, two, all three levels: ${[1, 2, 3].map((n) => file.puzzles.filter(([, , missed]) => missed === n).length).join(", ")}`);
  }
  const counts = readdirSync(values.to).filter((name) => name.endsWith(".json") && name !== "index.json").sort()
    .map((name) => JSON.parse(readFileSync(`${values.to}/${name}`, "utf8")))
      .map(({ variant, puzzles }) => [variant, puzzles.length]);
  writeFileSync(`${values.to}/index.json`, `${JSON.stringify(Object.fromEntries(counts))}\n`);
});
