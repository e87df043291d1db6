#!/usr/bin/env node
// Make puzzles, the same for the same seed.
//
//   node play/web/tools/puzzles.js --to FOLDER [--count 40] [--seed 1] [--rate] [GAME ...]
//
// The medium level plays deals against itself. Where all cards can be deduced and the exact solver finds a single best
// turn, each level chooses a turn; if at least one level misses the best, the position is a puzzle. Each deal gives its
// hardest one. No theme takes more than a third, unless three times as many deals have too few of other themes.
// Difficulty is measured: each level tries each puzzle sixteen times (difficulty.js). --rate measures the puzzles that
// are in the folder. With GAMES, the ratings of the levels stay as they are in the folder.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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
import { factsOf } from "../page/table/moves.js";
import { turnBy } from "../page/table/review.js";
import { PUZZLES, THEME_NAMES, gameOf, readPuzzles, themeOf } from "../page/table/puzzles.js";
import { intIn } from "../page/casino/src/game/validate.js";
import { IDLE } from "../page/words/look.js";
import { command } from "./command.js";
import { rated } from "./difficulty.js";

/** @import { Rules } from "../page/casino/src/game/rules.js" */

const SECONDS = 40; // far more than these endings need, so that results do not depend on the machine
const MOST_HELD = 7; // cards in a hand, so that solving is fast
const FEWEST = 3; // turns to choose from
const GAP = 1; // points that the second-best turn must lose
const DEALS = 100; // most deals for each puzzle wanted
const LONGER = 3; // to find rare themes, play so many times the deals that give enough puzzles of any theme
const TRIES = 16; // of each level at each puzzle

/** The levels easy, medium and strong; strong without its thinking time, whose effect depends on the machine.
 * @param {Rules} rules */
const askedOf = (rules) => Promise.all(levelsOf(rules).slice(0, 3)
  .map(({ spec }) => makeAgent(spec.replace(/,think=\d+$/, ""))));

/** Whether all turns are known exactly and one is clearly the best. */
const hasOneAnswer = ({ by, turns }) =>
  by === "solver" && turns.length >= FEWEST && turns.every(({ low, high }) => low === high) && turns[1].loss >= GAP;

/** Whether the game is at the beginning of a turn in an ending. */
function couldBe(game, observed) {
  const { record, seat } = game, held = record.list(0, "hands").map(countOf);
  return record.get(0, "to_move") === seat && record.get(0, "mode") === IDLE && record.get(0, "hand_card") < 0
    && !observed.hidden && Math.max(...held) <= MOST_HELD && Math.min(held[0], held[1]) > 1;
}

/** An observation that includes the order of the piles, which the seat may not know. */
const asShown = (game) => observe(Game.fromJson(game.toJson(), { skipForced: false }));

/** Find the puzzles of a deal, the hardest first. */
async function ofDeal(rules, seed, judge, asked) {
  const game = new Game(rules, rules.players, seed, { skipForced: false }), [, player] = asked;
  await player.reset(0, seed);
  const found = [];
  while (!game.over) {
    const observed = observe(game), legal = game.legal();
    if (legal.length > 1 && couldBe(game, observed)) {
      if (hasOneAnswer(await judge.advise(asShown(game), { seconds: SECONDS }))) {
        const turns = [];
        for (const agent of asked) {
          await agent.reset(game.seat, seed);
          turns.push(await turnBy(agent, game));
        }
        const advice = await judge.advise(observed, { seconds: SECONDS, also: turns });
        const missed = turns.filter((turn) => find(advice, turn).loss > 0).length;
        if (missed)
          found.push({ missed,
            puzzle: [seed, lettersOf(game.log.map(([, action]) => action)), aboutOf(game, advice)] });
        await player.reset(0, seed + game.log.length);
      }
    }
    game.apply(legal.length === 1 ? legal[0] : await player.act(observed));
  }
  return found.sort((one, other) => other.missed - one.missed).map(({ puzzle }) => puzzle);
}

/** The theme of the best turn. */
const aboutOf = (game, { turns: [{ actions }] }) =>
  themeOf(factsOf(game.record, game.rules, actions), game.seat);

async function make(variant, { count, seed }) {
  const [players] = playerCounts(variant), rules = makeRules(variant, players), judge = new Judge();
  // with three other hands nobody can deduce who holds which card
  if (rules.sides !== 2 || players !== 2) return null;
  const asked = await askedOf(rules), puzzles = [], spare = [], most = Math.max(1, Math.floor(count / 3));
  const hasRoom = ([, , theme]) => puzzles.filter(([, , about]) => about === theme).length < most;
  for (let deals = 0, end = DEALS * count; puzzles.length < count && deals < end; deals++) {
    const found = await ofDeal(rules, seed + deals, judge, asked), wanted = found.find(hasRoom);
    if (wanted) puzzles.push(wanted);
    else spare.push(...found.slice(0, 1));
    if (puzzles.length + spare.length === count) end = Math.min(end, LONGER * (deals + 1));
  }
  puzzles.push(...spare.slice(0, count - puzzles.length));
  for (const one of [judge, ...asked]) one.close();
  return { format: PUZZLES, rulesVersion: use().constant("rules", "RULES_VERSION"), variant, players, puzzles };
}

/** Find the theme of each puzzle, and how often each level finds its best turn. */
async function measured(file) {
  const rules = makeRules(file.variant, file.players), judge = new Judge(), asked = await askedOf(rules), found = [];
  for (const number of file.puzzles.keys()) {
    const game = gameOf(file, number), advice = await judge.advise(asShown(game), { seconds: SECONDS });
    const best = advice.turns.filter(({ loss }) => loss === 0).map(({ key }) => key);
    const times = [];
    for (const agent of asked) {
      let right = 0;
      for (let seed = 0; seed < TRIES; seed++) {
        await agent.reset(game.seat, seed);
        right += Number(best.includes(keyOf(advice, await turnBy(agent, game))));
      }
      times.push(right);
    }
    found.push({ theme: aboutOf(game, advice), times });
  }
  for (const one of [judge, ...asked]) one.close();
  return found;
}

/** The number of puzzles of each theme. */
const countsOf = ({ puzzles }) => Object.fromEntries(THEME_NAMES
  .map((theme) => [theme, puzzles.filter(([, , about]) => about === theme).length]).filter(([, n]) => n));

/** The key of a turn; "" if the advice does not have the turn. */
function keyOf(advice, turn) {
  try {
    return find(advice, turn).key;
  } catch {
    return "";
  }
}

await command("puzzles", async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true, options: { to: { type: "string" }, count: { type: "string", default: "40" },
      seed: { type: "string", default: "1" }, rate: { type: "boolean" } },
  });
  if (!values.to) throw new Error("give the folder for the puzzles: --to FOLDER");
  const count = intIn(Number(values.count), "--count", 1, 10_000), seed = intIn(Number(values.seed), "--seed", 0);
  await loadKernels();
  mkdirSync(values.to, { recursive: true });
  const place = (variant) => `${values.to}/${variant}.json`, index = place("index");
  const read = (variant) => JSON.parse(readFileSync(place(variant), "utf8"));
  const there = () => readdirSync(values.to).filter((name) => name.endsWith(".json") && name !== "index.json").sort()
    .map((name) => name.slice(0, -".json".length));
  const files = [], wanted = positionals.length ? positionals : values.rate ? there() : Object.keys(variants());
  for (const variant of wanted) {
    const file = values.rate ? readPuzzles(read(variant)) : await make(variant, { count, seed });
    if (!file?.puzzles.length) continue;
    files.push({ file, found: await measured(file) });
    console.log(`${variant}: ${file.puzzles.length} puzzles`);
  }
  const known = positionals.length && existsSync(index) ? JSON.parse(readFileSync(index, "utf8")).levels : undefined;
  const { levels, ratings } = rated(files.flatMap(({ found }) => found.map(({ times }) => times)), TRIES, known);
  for (const { file, found } of files) {
    file.puzzles = file.puzzles.map(([dealt, played], at) => [dealt, played, found[at].theme, ratings.shift()]);
    writeFileSync(place(file.variant), `${JSON.stringify(file)}\n`);
  }
  console.log(`a puzzle of 1500 is found by half of those of 1500; easy, medium, strong are ${levels.join(", ")}`);
  const counts = there().map((variant) => [variant, countsOf(read(variant))]);
  writeFileSync(index, `${JSON.stringify({ levels, games: Object.fromEntries(counts) })}\n`);
});
