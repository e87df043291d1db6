/** What kernels work in, made once for an agent: named tuples of arrays, as they are in Python. */

import { ACTIONS } from "../game/actions.js";
import { CARDS } from "../game/cards.js";

/** @typedef {import("./base.js").Memory} Memory */
/** @typedef {import("./files.js").Shape} Shape */
/** @typedef {import("../kernels/kernels.js").Records} Records */
/** @typedef {any} Tuple the parts of a named tuple by name, in its order */

// --- names of cards ----------------------------------------------------------------------------------------------------

const PLACES = 22;
// Of numpy's generator with the seed 1: keys of positions are the same words here as there.
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
const [STATE, INCREMENT] = [0x9c5b484bfedb756c2a6e7d6f320fbc7en, 0x922af2da2645f895a19857b95740937bn];

/** @type {BigUint64Array | undefined} */
let words;

/** Random words by card and place (PCG64). */
function codes() {
  if (words) return words;
  words = new BigUint64Array(CARDS * PLACES);
  let state = STATE;
  for (let i = 0; i < words.length; i++) {
    state = BigInt.asUintN(128, state * MULTIPLIER + INCREMENT);
    const word = (state >> 64n) ^ BigInt.asUintN(64, state), turn = state >> 122n;
    words[i] = BigInt.asUintN(64, (word >> turn) | (word << (64n - turn)));
  }
  return words;
}

/**
 * @param {Memory} memory
 * @param {Records} rules
 */
export function namesOf(memory, rules) {
  const names = memory.tuple("Names", { same: CARDS, codes: [CARDS, PLACES] });
  names.codes.data.set(codes());
  nameEquals(memory, rules, names);
  return names;
}

/**
 * Which cards no rule of this game tells apart.
 *
 * @param {Memory} memory
 * @param {Records} rules
 * @param {Tuple} names
 */
export function nameEquals(memory, rules, names) {
  for (let card = 0; card < CARDS; card++) names.same.data[card] = BigInt(card);
  memory.kernels.entry("engine.position_keys.find_equals")(rules, names.same);
}

// --- networks ----------------------------------------------------------------------------------------------------------

/**
 * @param {Memory} memory
 * @param {string} module
 * @param {string} name
 * @returns {any}
 */
export function constant(memory, module, name) {
  return memory.kernels.constant(module, name);
}

/**
 * @param {Memory} memory
 * @param {Shape} shape
 * @param {number} features the most that are on at once
 */
export function newThought(memory, shape, features) {
  return memory.tuple("Thought", {
    view: 1, indices: features, on: 1, actions: ACTIONS, work: shape.hidden.reduce((all, width) => all + width, 0),
    logits: ACTIONS, chances: ACTIONS, values: shape.values,
  });
}

/**
 * @param {Memory} memory
 * @param {Records} rules
 */
export function newAfterstates(memory, rules) {
  const module = "engine.afterstates", [depth, most] = [constant(memory, module, "DEPTH"), constant(memory, module, "MOST")];
  const afterstates = memory.tuple("Afterstates", { stack: depth + 1, records: most, walk: 1 });
  nameCards(memory, rules, afterstates.walk);
  return afterstates;
}

/**
 * What keys are made of, into each record of a walk.
 *
 * @param {Memory} memory
 * @param {Records} rules
 * @param {Records} walks
 */
function nameCards(memory, rules, walks) {
  const same = memory.kernels.array("i64", [CARDS]);
  nameEquals(memory, rules, { same });
  for (let card = 0; card < CARDS; card++) walks.set(0, "same", same.data[card], card);
  codes().forEach((word, i) => walks.set(0, "codes", word, i));
  for (let i = 1; i < walks.length; i++) walks.copy(walks, 0, i);
  same.free();
}

/**
 * @param {Memory} memory
 * @param {Records} rules
 * @param {Shape} shape
 * @param {number} features
 */
export function newJudged(memory, rules, shape, features) {
  const most = constant(memory, "engine.afterstates", "MOST"), seats = constant(memory, "engine.state", "SEATS");
  return memory.tuple("Judged", {
    afterstates: newAfterstates(memory, rules), indices: [most, features], counts: most, values: [most, seats],
    worth: most, chances: most, thought: newThought(memory, shape, features),
    changes: memory.tuple("Changes", {
      seen: shape.features, clock: 1, new: features, gone: features, sums: [2, shape.hidden[0]],
    }),
  });
}

/**
 * Of a search for the exact end: with as many entries of its table as fit, a power of two.
 *
 * @param {Memory} memory
 * @param {Records} rules
 * @param {number} megabytes
 * @param {number} levels
 */
export function newAlphaBeta(memory, rules, megabytes, levels = constant(memory, "agents.solver.alpha_beta", "_LEVELS")) {
  const bytes = memory.kernels.facts.records["alpha_beta.ENTRY"].size;
  const entries = 2 ** Math.floor(Math.log2(Math.floor((megabytes * 2 ** 20) / bytes)));
  const modes = constant(memory, "engine.state", "OVER") + 1;
  return memory.tuple("AlphaBeta", {
    control: 1, games: levels, frames: levels, moves: [levels, ACTIONS], table: entries, history: [2, modes, ACTIONS],
    names: namesOf(memory, rules),
  });
}

/**
 * A turn on each of so many levels. entries: of the transposition table, a power of two.
 *
 * @param {Memory} memory
 * @param {Records} rules
 * @param {Shape} shape
 * @param {number} features
 * @param {number} turns
 * @param {number} entries
 */
export function newLevels(
  memory, rules, shape, features, turns, entries = constant(memory, "agents.policy.lookahead", "_ENTRIES"),
) {
  const module = "engine.afterstates", [depth, most] = [constant(memory, module, "DEPTH"), constant(memory, module, "MOST")];
  const seats = constant(memory, "engine.state", "SEATS");
  const levels = memory.tuple("Levels", {
    state: 1, frames: turns, stack: [turns, depth + 1], records: [turns, most], walks: turns,
    indices: [turns, most, features], counts: [turns, most], values: [turns, most, seats], worth: [turns, most],
    remaining: [turns, most], entries, judged: newJudged(memory, rules, shape, features),
    last: newAlphaBeta(memory, rules, 1 / 8, 256),
  });
  nameCards(memory, rules, levels.walks);
  return levels;
}

// --- bots --------------------------------------------------------------------------------------------------------------

/** @param {Memory} memory */
export function newBotWorkspace(memory) {
  const depth = constant(memory, "agents.scripted.choosing", "DEPTH");
  const work = memory.tuple("BotWorkspace", { stack: depth, todo: [depth, 4], facts: 1, actions: ACTIONS, scores: ACTIONS });
  const values = constant(memory, "engine.state", "VALUES");
  for (let value = 0; value < values; value++) {
    work.facts.set(0, "of", 1, value); // of each value the same always: one, and itself
    work.facts.set(0, "of", value, values + value);
  }
  return work;
}

/**
 * Of whoever decides in a search: bots and networks of one shape.
 *
 * @param {Memory} memory
 * @param {Records} rules
 * @param {Shape} shape
 * @param {number} features
 */
export function newWorkspace(memory, rules, shape, features) {
  const judged = newJudged(memory, rules, shape, features);
  return memory.tuple("Workspace", { bot: newBotWorkspace(memory), thought: judged.thought, judged });
}
