/** The segments of an observation, as networks read it: which there are and where they begin. See docs/observation.md;
 * the kernels write the features that are on by the record that is made here. */

import { sha256 } from "./files.js";

/** @typedef {import("./base.js").Rules} Rules */
/** @typedef {import("./base.js").Kernels} Kernels */
/** @typedef {{ name: string, shape: number[], most: number }} Segment most: features of it that can be on at once */
/** @typedef {(name: string) => number} Row the numbers of a game by the names of its switches, as kernels see them */

/**
 * @typedef {object} Layout
 * @property {Segment[]} segments
 * @property {number} size features
 * @property {number} most that are on at once
 * @property {Record<string, number>} record as kernels have it, but for `constant`
 * @property {number[]} constant features that are always on
 * @property {boolean} universal
 */

/**
 * The layout for the rules of a game; universal: the same for every game, with the rules among the features; match:
 * with the score of the match.
 *
 * @param {Kernels} kernels
 * @param {Rules} rules
 * @param {Row} row of these rules
 * @param {{ universal?: boolean, match?: boolean }} kind
 * @returns {Layout}
 */
export function makeLayout(kernels, rules, row, { universal = false, match = false } = {}) {
  const c = kernels.facts.constants["knowledge.layout"];
  const sizes = universal ? sizesOfAll(kernels, rules, row) : sizesOf(kernels, rules, row);
  const segments = segmentsOf(c, sizes, rules, universal, match);
  /** @type {Record<string, number>} */
  const record = Object.fromEntries(c._SEGMENTS.map((/** @type {string} */ name) => [name, -1]));
  let size = 0, most = 0;
  for (const one of segments) {
    if (one.name in record) record[one.name] = size;
    size += product(one.shape);
    most += one.most;
  }
  const begin = size - c._MOST_RULE_ROWS * c._RULE_BITS;
  const constant = universal ? ruleFeatures(kernels, rules, row).map((feature) => begin + feature) : [];
  Object.assign(record, {
    rows: sizes.rows, players: sizes.players, max_value: sizes.values, hand: sizes.hand, rounds: sizes.rounds,
    ranks: ranksOf(sizes), size, most, constants: constant.length,
  });
  return { segments, size, most, record, constant, universal };
}

/**
 * The features that a policy was trained with stand in the layout where they stood then, whatever has been appended.
 *
 * @param {Kernels} kernels
 * @param {Layout} layout
 * @param {{ size: number, digest: string, rule_rows: number }} features
 */
export function fits(kernels, layout, { size, digest, rule_rows: count }) {
  /** @type {string[]} */
  const rows = layout.universal ? kernels.facts.constants["knowledge.layout"]._RULE_ROWS : [];
  return count <= rows.length && size === layout.size && digest === digestOf(layout, rows.slice(0, count));
}

/**
 * Of every segment, its name and shape, and of the first rows of the rules.
 *
 * @param {Layout} layout
 * @param {string[]} rows
 */
function digestOf(layout, rows) {
  const tuple = (/** @type {number[]} */ shape) => (shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`);
  const parts = layout.segments.map(({ name, shape }) => `('${name}', ${tuple(shape)})`);
  const text = `[${[...parts, ...rows.map((name) => `'${name}'`)].join(", ")}]`;
  return sha256(new TextEncoder().encode(text)).slice(0, 16);
}

// --- sizes ---------------------------------------------------------------------------------------------------------------

/** @typedef {{ rows: number, players: number, values: number, hand: number, rounds: number }} Sizes rows: cards */

/**
 * @param {Kernels} kernels
 * @param {Rules} rules
 * @param {Row} row
 * @returns {Sizes}
 */
function sizesOf(kernels, rules, row) {
  return {
    rows: 4 * kernels.facts.constants.cards.DECKS[rules.deck].length, players: row("players"), values: row("max_build"), hand: row("hand_size"),
    rounds: row("draw_hand") ? 1 : row("rounds"),
  };
}

/**
 * @param {Kernels} kernels
 * @param {Rules} rules
 * @param {Row} row
 * @returns {Sizes}
 */
function sizesOfAll(kernels, rules, row) {
  const { _UNIVERSAL_HAND: hand, _UNIVERSAL_ROUNDS: rounds } = kernels.facts.constants["knowledge.layout"];
  if (row("hand_size") > hand || row("rounds") > rounds)
    throw new Error(
      `${rules.name} with hands of ${row("hand_size")} in ${row("rounds")} rounds does not fit the universal ` +
        `observation (${hand} and ${rounds})`,
    );
  const { SEATS, VALUES } = kernels.facts.constants["engine.state"];
  return { rows: kernels.facts.constants.cards.CARDS, players: SEATS, values: VALUES - 1, hand, rounds };
}

/**
 * Values that a hand card can have: court cards count as well where they take but their equals.
 *
 * @param {Sizes} z
 */
function ranksOf(z) {
  return Math.max(z.values, z.rows / 4);
}

/**
 * @param {Record<string, any>} c
 * @param {Sizes} z
 * @param {Rules} rules
 * @param {boolean} universal
 * @param {boolean} match
 * @returns {Segment[]}
 */
function segmentsOf(c, z, rules, universal, match) {
  const n = z.players, ranks = ranksOf(z);
  const cards = (z.rows === 52 ? 13 : Math.floor(rules.deck / 4)) + 1;
  const seat = z.hand + cards + c.SPADES + c.POINTS + c.SWEEPS + z.values + 3;
  const best = c.BEST_POINTS + c.BEST_CARDS + c.CERTAIN_POINTS + c.EXPECTED;
  const flags = c._FLAGS.length, ofValues = c._ONE_OF_VALUES.length;
  /** @type {[string, number[], number][]} */
  const rows = [
    ["place", [z.rows, 3 + 2 * n + n - 1], 2 * z.rows],
    ["build", [z.rows, z.values], z.rows],
    ["marks", [z.rows, 3], 30],
    ["depth", [z.rows, c.DEPTH_BITS + 1], z.rows * (c.DEPTH_BITS + 1)],
    ["builds", [z.values, n + 2], 2 * z.values],
    ["seats", [n, seat], n * seat],
    ["mode", [c._MODES], 1],
    ["actor", [n], 1],
    ["mover", [n], 1],
    ["flags", [flags], flags],
    ["settled", [2], 2],
    ["values", [ofValues, z.values], ofValues],
    ["source", [n], 1],
    ["round", [z.rounds], z.rounds],
    ["stock", [13], 13],
    ["unseen", [z.rows / 4, 4], z.rows / 4],
    ["holds", [n, ranks, c.CHANCES], n * ranks],
    ["threats", [n, ranks, c.CHANCES, c.REACH_POINTS, c.REACH_CARDS], n * ranks],
    ["best", [best], best],
    ["danger", [3, c.CHANCES + 1, 3, c.REACH_POINTS, 2], z.values],
    ["steals", [n, 2, c.REACH_POINTS], n],
    ["lead", [2 * c.LEAD + 1], 1],
  ];
  if (match || universal) rows.push(["score", [n, c.TENS + c.UNITS], n * c.TENS], ["deals", [c.DEALS], c.DEALS]);
  if (universal) rows.push(["rules", [c._MOST_RULE_ROWS, c._RULE_BITS], c._MOST_RULES_ON]);
  return rows.map(([name, shape, most]) => ({ name, shape, most }));
}

/**
 * Which features of the rules segment are on: the rows as binary numbers; of later ones what differs from the default.
 *
 * @param {Kernels} kernels
 * @param {Rules} rules
 * @param {Row} row
 */
function ruleFeatures(kernels, rules, row) {
  const c = kernels.facts.constants["knowledge.layout"], found = [];
  for (const [at, name] of c._RULE_ROWS.entries()) {
    let value = name === "deck_size" ? rules.deck : name === "big_ten" ? Number(rules.big_ten === "TS") : row(name);
    if (at >= c._FIRST_LATER) value ^= usual(kernels, name);
    for (let bit = 0; bit < c._RULE_BITS; bit++) if ((value >> bit) & 1) found.push(at * c._RULE_BITS + bit);
  }
  return found;
}

/**
 * The default of a switch, as kernels see it.
 *
 * @param {Kernels} kernels
 * @param {string} name
 */
function usual(kernels, name) {
  const known = kernels.facts.switches.find((one) => one.name === name);
  return known?.choices ? known.choices.indexOf(known.default) : Number(known?.default);
}

/** @param {number[]} shape */
function product(shape) {
  return shape.reduce((all, each) => all * each, 1);
}
