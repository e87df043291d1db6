// A person's table that plays itself, for the tests of everything that uses a table.

import { loadKernels } from "../page/casino/src/kernels/kernels.js";
import { Table } from "../page/table/index.js";
import { en } from "../page/languages/en.js";
import { Speaker, textOf } from "../page/words/message.js";

await loadKernels();

/** Random numbers from a seed. */
export class Random {
  constructor(seed = 1) {
    this.state = BigInt(seed) + 1n;
  }

  below(n) {
    this.state = BigInt.asUintN(64, this.state * 6364136223846793005n + 1442695040888963407n);
    return Number((this.state >> 33n) % BigInt(n));
  }

  of(list) {
    return list[this.below(list.length)];
  }
}

/** An agent that plays any legal action, by the seed that it is reset with. */
export class Dice {
  reset(_seat, seed) {
    this.random = new Random(seed);
  }

  act(observed) {
    return this.random.of(observed.legal());
  }

  analyse(observed) {
    const legal = observed.legal(),
      chances = new Float64Array(192);
    for (const action of legal) chances[action] = 1 / legal.length;
    return { action: legal[0], chances, value: null, values: new Map() };
  }

  close() {}
}

export const agents = { of: () => new Dice() };

/** Play random moves of the person, and the agents' moves in between. */
export async function playOn(table, random, steps = 10_000) {
  for (let step = 0; step < steps && !table.over; step++) {
    if (table.waiting) await table.advance(agents);
    else table.play(random.of(table.moves()).actions);
  }
}

export function tableOf(variant, players = 2, { seat = 0, ...more } = {}) {
  const seats = Array.from({ length: players }, (_, at) => (at === seat ? "you" : "greedy"));
  return new Table({ variant, players, seats, seed: 7, ...more });
}

/** Save a table and load it again. */
export const copyOf = (table) => Table.load(JSON.parse(JSON.stringify(table.save())));

/** A speaker that names cards by their codes. */
class Coded extends Speaker {
  card(name) {
    return name;
  }
}

const coded = new Coded(en);

export const text = (message) => textOf(coded, message);
