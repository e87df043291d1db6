#!/usr/bin/env node
// Measure the statistics that the card table shows to players.
//
//   node play/web/tools/measure.js luck [--deals 2000] [--game khasino] [--agents medium,easy]
//     luck, play and results, and their sums over the sides
//   node play/web/tools/measure.js levels [--deals 30] [--game khasino] [--game swazi:3]
//     points that each level loses at a decision; the mean over the games
//   node play/web/tools/measure.js endings [--deals 12] [--game kasa] [--seconds 40] [--truth 120]
//     verdicts of a review (--seconds a turn) on turns of easy and medium without hidden cards, compared with the exact
//     solver (--truth seconds a turn)
//
// --seed is the seed of the first deal.

import { parseArgs } from "node:util";

import { END } from "../page/casino/src/game/actions.js";
import { Judge, verdict } from "../page/casino/src/agents/analyse.js";
import { makeAgent } from "../page/casino/src/agents/registry.js";
import { Game } from "../page/casino/src/game/game.js";
import { loadKernels } from "../page/casino/src/kernels/kernels.js";
import { observe } from "../page/casino/src/game/observed.js";
import { makeRules, playerCounts } from "../page/casino/src/game/rules.js";
import { levelsOf } from "../page/table/house.js";
import { above, luckOf, pointsOf } from "../page/table/luck.js";
import { judgeTurn, turnBy } from "../page/table/review.js";
import { namesOf } from "../page/words/names.js";
import { intIn } from "../page/casino/src/game/validate.js";
import { command } from "./command.js";

const NAMES = ["easy", "medium", "strong", "strongest"];
const PLAYOUTS = 8; // of each deal: few, as there are many deals
const [GAMES, SECONDS] = [256, 8]; // of each decision: few play-outs, likewise; and more time than they need

/** The spec of a level by its name; any other spec unchanged. */
const specOf = (rules, name) => (NAMES.includes(name) ? levelsOf(rules)[NAMES.indexOf(name)].spec : name);

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;

/** Format the mean and its 95 % interval. @param {number[]} values */
function told(values) {
  const found = mean(values),
    error = Math.sqrt(mean(values.map((each) => (each - found) ** 2)) / Math.max(1, values.length - 1));
  return `${found < 0 ? "" : "+"}${found.toFixed(3)} ± ${(1.96 * error).toFixed(3)}`;
}

/** Play a deal with these agents, one for each seat. */
async function played(rules, seed, seats) {
  const game = new Game(rules, rules.players, seed);
  for (const [seat, agent] of seats.entries()) await agent.reset(seat, seed);
  while (!game.over) game.apply(await seats[game.seat].act(observe(game)));
  return game;
}

async function luck([rules], deals, { first: from, names }) {
  const known = await makeAgent(levelsOf(rules)[0].spec),
    [one, other] = await Promise.all([0, 1].map((k) => makeAgent(specOf(rules, names[k] ?? names[0]))));
  const rows = { result: [], luck: [], play: [] }, first = [], sums = [];
  for (let deal = from; deal < from + deals; deal++) {
    const mine = deal % rules.sides; // alternate sides
    const seats = Array.from({ length: rules.players }, (_, seat) => (rules.side(seat) === mine ? one : other));
    const result = above(pointsOf(await played(rules, deal, seats)));
    const worth = (await luckOf(new Game(rules, rules.players, deal, { skipForced: false }), known,
      { games: PLAYOUTS, seed: 1000 * deal })).luck;
    const play = result.map((each, side) => each - worth[side]);
    rows.result.push(result[mine]);
    rows.luck.push(worth[mine]);
    rows.play.push(play[mine]);
    first.push(worth[0]);
    sums.push(...[result, worth, play].map((each) => Math.abs(each.reduce((sum, side) => sum + side, 0))));
  }
  console.log(`${rules.name}, ${deals} deals: ${names[0]} beside ${names[1] ?? names[0]}, points above the average of the sides, 95 % intervals`);
  for (const [name, values] of Object.entries(rows)) console.log(`  ${name.padEnd(7)} ${told(values)}`);
  console.log(`  luck of the side that begins ${told(first)}; the farthest that a sum over the sides is from nothing: ${Math.max(...sums).toExponential(0)}`);
}

/** At every decision of one seat, judge the turn of each level. The levels take turns to play whole deals. */
async function levels(rules, deals, first) {
  const judge = new Judge(), agents = await Promise.all(levelsOf(rules).slice(0, 3).map(({ spec }) => makeAgent(spec)));
  const lost = agents.map(() => []);
  for (let deal = first; deal < first + deals; deal++) {
    const game = new Game(rules, rules.players, deal), mine = Math.floor(deal / agents.length) % rules.players;
    for (const agent of agents) await agent.reset(mine, deal);
    while (!game.over) {
      const observed = observe(game), { seat } = game, judged = seat === mine && game.legal().length > 1;
      const turns = [];
      for (const [k, agent] of agents.entries())
        turns.push(judged || k === deal % agents.length ? await turnBy(agent, game) : []);
      if (judged && turns.every(([first]) => first !== END)) {
        const advice = await judge.advise(observed, { also: turns, games: GAMES, seconds: SECONDS });
        turns.forEach((turn, k) => lost[k].push(verdict(advice, turn).loss));
      }
      for (const action of turns[deal % agents.length])
        if (!game.over && game.legal().includes(action)) game.apply(action);
    }
  }
  const beside = (one, other) => lost[one].map((each, at) => each - lost[other][at]);
  console.log(`${rules.name} ${rules.players}: points a decision, ${lost[0].length} decisions in ${deals} deals, 95 % intervals`);
  lost.forEach((each, k) =>
    console.log(`  ${NAMES[k].padEnd(7)} ${told(each)}${k < 2 ? `, more than ${NAMES[k + 1]} ${told(beside(k, k + 1))}` : ""}`));
  return lost.map(mean);
}

/** Measure the levels in several games; their means are the anchors of the rating. */
async function anchors(games, deals, { first }) {
  const found = [];
  for (const rules of games) {
    found.push(await levels(rules, deals, first));
    const all = NAMES.slice(0, 3).map((name, k) => `${name} ${mean(found.map((each) => each[k])).toFixed(2)}`);
    if (games.length > 1) console.log(`${found.length} games: ${all.join(", ")}`);
  }
}

/** Play easy against medium; where no card is hidden, compare a review's verdicts with the solver's losses. */
async function endings(games, deals, { first, seconds, truth }) {
  const judge = new Judge(), all = [];
  for (const rules of games) {
    const [easy, medium] = await Promise.all(levelsOf(rules).slice(0, 2).map(({ spec }) => makeAgent(spec)));
    const rows = [];
    for (let deal = first; deal < first + deals; deal++) {
      const game = new Game(rules, rules.players, deal), seats = [easy, ...Array(rules.players - 1).fill(medium)];
      for (const [seat, agent] of seats.entries()) await agent.reset(seat, deal);
      while (!game.over) {
        const turn = await turnBy(seats[game.seat], game), observed = observe(game);
        if (!observed.hidden && game.legal().length > 1 && turn[0] !== END)
          rows.push(...await beside(judge, game, turn, seconds, truth));
        for (const action of turn) if (!game.over && game.legal().includes(action)) game.apply(action);
      }
    }
    console.log(`${rules.name} ${rules.players}, ${deals} deals: ${counts(rows)}`);
    all.push(...rows);
  }
  console.log(`all: ${counts(all)}`);
}

/** Compare a verdict with the solver's; return an empty list if the solver does not finish. */
async function beside(judge, game, turn, seconds, truth) {
  const names = namesOf(Array.from({ length: game.rules.players }, (_, seat) => (seat ? "greedy" : "you")), game.rules);
  let told = await judgeTurn(game, turn, names, judge);
  if (told.kind === "unsure") told = await judgeTurn(game, turn, names, judge, { seconds });
  if (told.exact) return [{ kind: told.kind, exact: true, loss: told.lost }];
  const known = await judge.advise(observe(game), { also: [turn], seconds: truth });
  return known.by === "solver" ? [{ kind: told.kind, exact: false, loss: verdict(known, turn).loss }] : [];
}

/** @param {{ kind: string, exact: boolean, loss: number }[]} rows */
function counts(rows) {
  const those = (wanted) => rows.filter(wanted).length, blamed = those(({ kind }) => kind === "mistake");
  const heavy = rows.filter(({ loss }) => loss >= 2), named = heavy.filter(({ kind }) => kind === "mistake").length;
  const falsely = those(({ kind, loss }) => kind === "mistake" && loss <= 0);
  const unsure = those(({ kind }) => kind === "unsure");
  return `${rows.length} turns with a known loss, ${those(({ exact }) => exact)} by the review itself; `
    + `${blamed} blamed, ${falsely} of them falsely; ${heavy.length} lost two points and more, ${named} of them named; `
    + `${unsure} not judged`;
}

const MEASURES = {
  luck: { run: luck, deals: 2000 }, levels: { run: anchors, deals: 30 }, endings: { run: endings, deals: 12 },
};

/** @param {string} text GAME or GAME:PLAYERS, such as khasino or swazi:3 */
function rulesOf(text) {
  const [name, players] = text.split(":");
  return makeRules(name, players ? Number(players) : playerCounts(name)[0]);
}

await command("measure", async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      deals: { type: "string" }, game: { type: "string", multiple: true, default: ["khasino"] },
      agents: { type: "string", default: "medium,easy" }, seed: { type: "string", default: "0" },
      seconds: { type: "string", default: "40" }, truth: { type: "string", default: "120" },
    },
  });
  const measure = MEASURES[positionals[0]];
  if (!measure) throw new Error(`give one of ${Object.keys(MEASURES).join(" or ")}`);
  await loadKernels();
  const deals = intIn(Number(values.deals ?? measure.deals), "--deals", 1, 1e6),
    first = intIn(Number(values.seed), "--seed", 0, 1e9);
  const names = values.agents.split(/,(?!\w+=)/);
  const times = { seconds: Number(values.seconds), truth: Number(values.truth) };
  await measure.run(values.game.map(rulesOf), deals, { first, names, ...times });
});
