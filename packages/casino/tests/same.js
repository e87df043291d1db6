/** Answer the requests of tests/same.py, one line of JSON each, with a value or an error: node tests/same.js. */

import { createInterface } from "node:readline";
import { Judge, verdict } from "../src/agents/analyse.js";
import { makeAgent, usePolicies } from "../src/agents/registry.js";
import { perft } from "./perft.js";
import { ACTIONS, actionText, Game, gameOf, loadKernels, nextView, Observed, readRecord, replay, rulesOf, viewOf,
  writeRecord } from "../src/index.js";
import { digests } from "./golden.js";

const kernels = await loadKernels();
usePolicies(new URL("../../../agents/policies/", import.meta.url));

const rulesFor = ({ variant, players, rules }) => rulesOf(variant, players, rules);
const hexOf = (game) => Buffer.from(game.toBytes()).toString("hex");
const seenBy = (rules, { seat, view, legal }) =>
  new Observed(rules, seat, kernels.values("GAME", new Uint8Array(Buffer.from(view, "base64"))), legal);

/** Everything that the package says about a state. */
function whole(game, turns) {
  const seats = Array.from({ length: game.rules.players }, (_, seat) => seat);
  return {
    over: game.over, winner: game.winner, scores: game.scores(), breakdown: game.breakdown(), position: game.toJson(),
    bytes: hexOf(game),
    views: seats.flatMap((seat) => ["perfect", "none"].map((memory) => viewOf(game, seat, { memory }))),
    ...(turns ? { turns: orError(() => game.turns()) } : {}),
  };
}

function orError(make) {
  try {
    return make();
  } catch (error) {
    return { error: error.message };
  }
}

const DO = {
  catalogue: () => Array.from({ length: ACTIONS }, (_, action) => actionText(action)),
  golden: digests,
  deal({ seed, match, skip, actions, looks, ...asked }) {
    const game = new Game(rulesFor(asked), asked.players, BigInt(seed), { match, skipForced: skip });
    return looks.map((look, at) => {
      if (at) game.apply(actions[at - 1]);
      return { seat: game.seat, legal: game.legal(), ...(look ? whole(game, look > 1) : {}) };
    });
  },
  perft: ({ position, depth }) => perft(Game.fromJson(position, { skipForced: false }), depth),
  rules: (asked) => Buffer.from(rulesFor(asked).record.bytes(0)).toString("hex"),
  position: ({ position }) => whole(Game.fromJson(position), false),
  view({ view }) {
    const { game, seat, memory } = gameOf(view);
    return { seat, memory, view: viewOf(game, seat, { memory }), legal: game.legal() };
  },
  next({ view, action, told }) {
    const { game: _, ...step } = nextView(view, action, told);
    return step;
  },
  record({ text }) {
    const seed = /^seed: (\d+)$/m.exec(text), game = replay(text);
    return { text: writeRecord(seed ? BigInt(seed[1]) : readRecord(text).game, game), bytes: hexOf(game) };
  },
  bytes({ bytes, ...asked }) {
    const game = Game.fromBytes(Uint8Array.from(Buffer.from(bytes, "hex")), rulesFor(asked), { skipForced: false });
    for (let i = 0; i < 30 && !game.over; i++) game.apply(game.legal()[0]);
    return hexOf(game);
  },
  async agent({ spec, seat, seed, steps, ...asked }) {
    const rules = rulesFor(asked), agent = await makeAgent(spec), answers = [];
    await agent.check?.(rules);
    await agent.reset(seat, seed);
    for (const step of steps) {
      const seen = seenBy(rules, step);
      if (!step.asked) answers.push(await agent.watch?.(seen));
      else {
        const { action, chances, value, values } = await agent.analyse(seen);
        answers.push({ action, value, chances: step.legal.map((each) => chances[each]),
          values: [...values].sort(([one], [other]) => one - other) });
      }
    }
    agent.close();
    return answers.map((answer) => answer ?? null);
  },
  async settings({ spec }) {
    const agent = await makeAgent(spec), { kind, play = null, state = {} } = agent.made;
    agent.close();
    return { kind, play, state };
  },
  async advice({ options, ...asked }) {
    const advice = await new Judge().advise(seenBy(rulesFor(asked), asked), options);
    const turns = advice.turns.map(({ actions, value, low, high, chance, games }) =>
      ({ actions, value, low, high, chance, games }));
    return { by: advice.by, turns, mistakes: advice.turns.map(({ actions }) => verdict(advice, actions).mistake) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { do: what, ...asked } = JSON.parse(line);
  let answer;
  try {
    answer = { value: await DO[what](asked) };
  } catch (error) {
    answer = { error: ["TypeError", "RangeError", "ReferenceError"].includes(error.name) ? error.stack
      : error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
