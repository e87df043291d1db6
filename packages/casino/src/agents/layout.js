/** The segments of a network's observation and where each begins (docs/observation.md). A kernel computes the layout
 * (knowledge/layout.py); other kernels write the features that are on. */

import { filled } from "../game/validate.js";
import { Numbers } from "../kernels/kernels.js";
import { borrowing } from "../kernels/memory.js";
import { sha256 } from "./files.js";

/** @import { Kernels, Values } from "../kernels/kernels.js" */
/** @import { Rules } from "../game/rules.js" */
/** @import { Weights } from "./policies.js" */
/** @typedef {{ name: string, shape: number[], most: number }} Segment most: how many features can be on at once */

/**
 * @typedef {object} Layout
 * @property {Segment[]} segments
 * @property {number} size number of features
 * @property {number} most how many features can be on at once
 * @property {Values} record the layout in the kernels' format
 * @property {boolean} universal
 */

/** The layout for the rules of a game. universal: the same for every game, with features for the rules; match: with
 * features for the score of the match. @param {Kernels} kernels @param {Rules} rules
 * @param {{ universal?: boolean, match?: boolean }} kind @returns {Layout} */
export function makeLayout(kernels, rules, { universal = false, match = false } = {}) {
  const { SEGMENTS, _RULE_FIELDS, UNIVERSAL, MATCH, TOO_LARGE } = kernels.constants("knowledge.layout");
  return borrowing((memory) => {
    const row = memory.copies(rules.record), layout = memory.records("LAYOUT", 1), names = Object.keys(SEGMENTS);
    const words = new Numbers(kernels, "i64", [row.size / 8], row.pointer);
    const fields = memory.numbers("i64", _RULE_FIELDS.flat(), _RULE_FIELDS.length, 2);
    const kind = (universal ? UNIVERSAL : 0) | (match ? MATCH : 0), placed = memory.records("SEGMENT", names.length);
    const count = kernels.entry("knowledge.layout.lay_out")(row, words, fields, kind, layout, placed);
    const { name, handSize: hand, rounds } = rules;
    if (!count) throw new Error(filled(TOO_LARGE, { name, hand, rounds }));
    const shape = (/** @type {number} */ k) => placed.list(k, "shape").filter(Boolean);
    const segments = names.slice(0, count).map((name, k) => ({ name, shape: shape(k), most: placed.get(k, "most") }));
    const [size, most] = [layout.get(0, "size"), layout.get(0, "most")];
    return { segments, size, most, record: kernels.values("LAYOUT", layout.bytes()), universal };
  }, kernels);
}

/** The layout that a network reads in a game; throw if it cannot play the game. @param {Kernels} kernels
 * @param {Weights} weights @param {Rules} rules */
export function layoutFor(kernels, { name, layout: ours, match, shape, rules: learnt }, rules) {
  const layout = makeLayout(kernels, rules, { universal: ours.universal, match }), { sides } = rules;
  const told = (/** @type {Layout} */ { segments }) => JSON.stringify(segments.map((one) => [one.name, one.shape]));
  if (told(layout) !== told(ours) || (sides === 2 ? 1 : sides) > shape.values)
    throw new Error(`${name} plays ${learnt.name} with ${learnt.players} players, not ${rules.name} with ${rules.players}`);
  return layout;
}

/** Whether the features that a policy was trained with still have their places in the layout; rules may have been
 * appended. @param {Kernels} kernels @param {Layout} layout
 * @param {{ size: number, digest: string, rule_rows: number }} features */
export function fits(kernels, layout, { size, digest, rule_rows: count }) {
  /** @type {string[]} */
  const rows = layout.universal ? kernels.constant("knowledge.layout", "_RULE_ROWS") : [];
  const tuple = (/** @type {number[]} */ shape) => (shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`);
  const parts = layout.segments.map(({ name, shape }) => `('${name}', ${tuple(shape)})`);
  const text = `[${[...parts, ...rows.slice(0, count).map((name) => `'${name}'`)].join(", ")}]`;
  // a digest of all segments and the first rows of the rules
  const ours = sha256(new TextEncoder().encode(text)).slice(0, 16);
  return count <= rows.length && size === layout.size && digest === ours;
}
