// Draw a link as a QR code (ISO/IEC 18004): byte mode, lowest error correction, one mask.

import { drawn } from "../dom.js";

const MARGIN = 4; // width of the quiet zone, in modules
const MOST = 20; // largest version: 858 bytes
/** By version, for the lowest error correction: correction codewords in a block, and number of blocks. */
const CORRECTION = [0, 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const BLOCKS = [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];

/** @typedef {boolean[][]} Grid */

/** The QR code of a text; null if the text is too long. @param {string} text @returns {Grid | null} */
export function qrOf(text) {
  const bytes = new TextEncoder().encode(text);
  for (let version = 1; version <= MOST; version++) {
    const words = (roomOf(version) >> 3) - CORRECTION[version] * BLOCKS[version], head = version < 10 ? 2 : 3;
    if (bytes.length + head <= words) return gridOf(version, interleaved(version, wordsOf(bytes, version, words)));
  }
  return null;
}

/** The number of data bits, which function patterns leave free. @param {number} version */
function roomOf(version) {
  const marks = version > 1 ? Math.floor(version / 7) + 2 : 0;
  return (16 * version + 128) * version + 64 - (marks ? (25 * marks - 10) * marks - 55 : 0) - (version > 6 ? 36 : 0);
}

/** @param {Uint8Array} bytes @param {number} version @param {number} room in words */
function wordsOf(bytes, version, room) {
  const bits = (/** @type {number} */ value, /** @type {number} */ length) => value.toString(2).padStart(length, "0");
  const head = bits(4, 4) + bits(bytes.length, version < 10 ? 8 : 16);
  const all = `${head}${Array.from(bytes, (byte) => bits(byte, 8)).join("")}0000`;
  const words = (all.match(/.{8}/g) ?? []).map((eight) => parseInt(eight, 2));
  for (let at = 0; words.length < room; at++) words.push(at % 2 ? 0x11 : 0xec);
  return words;
}

/** Split codewords into blocks, add correction, and interleave. @param {number} version @param {number[]} words */
function interleaved(version, words) {
  const count = BLOCKS[version], length = CORRECTION[version], short = Math.floor(words.length / count),
    long = words.length % count; // so many of the last blocks have one more codeword
  const divisor = divisorOf(length);
  let from = 0;
  const blocks = Array.from({ length: count }, (_, block) => {
    const part = words.slice(from, from += short + (block >= count - long ? 1 : 0));
    return { part, rest: remainder(part, divisor) };
  });
  const turn = (/** @type {number[][]} */ lists) =>
    Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, at) => lists.map((list) => list[at]))
      .flat().filter((word) => word !== undefined);
  return [...turn(blocks.map(({ part }) => part)), ...turn(blocks.map(({ rest }) => rest))];
}

/** Multiply in GF(256), modulo x^8 + x^4 + x^3 + x^2 + 1. @param {number} one @param {number} other */
function times(one, other) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((other >> bit) & 1) * one);
  return product;
}

/** @param {number} degree */
function divisorOf(degree) {
  const divisor = [...Array(degree - 1).fill(0), 1];
  for (let count = 0, root = 1; count < degree; count++, root = times(root, 2))
    divisor.forEach((_, at) => { divisor[at] = times(divisor[at], root) ^ (divisor[at + 1] ?? 0); });
  return divisor;
}

/** @param {number[]} words @param {number[]} divisor */
function remainder(words, divisor) {
  const rest = Array(divisor.length).fill(0);
  for (const word of words) {
    const factor = word ^ rest.shift();
    rest.push(0);
    divisor.forEach((each, at) => { rest[at] ^= times(each, factor); });
  }
  return rest;
}

/** @param {number} version @param {number[]} words @returns {Grid} */
function gridOf(version, words) {
  const size = 4 * version + 17;
  /** @type {(boolean | null)[][]} null: free for data. */
  const grid = Array.from({ length: size }, () => Array(size).fill(null));
  const set = (/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ dark) => {
    if (grid[y]?.[x] !== undefined) grid[y][x] = dark;
  };
  for (let at = 0; at < size; at++) set(6, at, at % 2 === 0), set(at, 6, at % 2 === 0);
  const square = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ reach, light = [2]) => {
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++)
        set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
  };
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(x, y, 4, [2, 4]);
  const places = marksOf(version), last = places.length - 1;
  places.forEach((x, i) => places.forEach((y, j) => {
    if (!((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0))) square(x, y, 2, [1]);
  }));
  drawFormat(size, set);
  if (version > 6) {
    const bits = version << 12 | remainderOf(version, 12, 0x1f25);
    for (let at = 0; at < 18; at++) {
      const dark = (bits >> at & 1) === 1, one = size - 11 + at % 3, other = Math.floor(at / 3);
      set(one, other, dark), set(other, one, dark);
    }
  }
  return filled(grid, words);
}

/** The coordinates of the alignment patterns. @param {number} version */
function marksOf(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2, last = 4 * version + 10;
  const step = Math.ceil((last - 6) / (count - 1) / 2) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => last - step * (count - 2 - at))];
}

/** The remainder of value x^degree by a polynomial. @param {number} value @param {number} degree @param {number} by */
function remainderOf(value, degree, by) {
  let rest = value;
  for (let count = 0; count < degree; count++) rest = (rest << 1) ^ ((rest >> (degree - 1)) * by);
  return rest;
}

/** Draw the format information: lowest correction (1), mask 0. @param {number} size
 * @param {(x: number, y: number, dark: boolean) => void} set */
function drawFormat(size, set) {
  const bits = (1 << 13 | remainderOf(1 << 3, 10, 0x537)) ^ 0x5412;
  for (let at = 0; at < 15; at++) {
    const dark = (bits >> at & 1) === 1;
    set(8, at < 6 ? at : at < 8 ? at + 1 : size - 15 + at, dark);
    set(at < 8 ? size - 1 - at : at < 9 ? 7 : 14 - at, 8, dark);
  }
  set(8, size - 8, true);
}

/** Fill in data in columns of two, zigzagging from the lower right, with the mask. @param {(boolean | null)[][]} grid
 * @param {number[]} words @returns {Grid} */
function filled(grid, words) {
  const size = grid.length;
  let bit = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    const up = ((right + 1) & 2) === 0;
    for (let row = 0; row < size; row++) {
      const y = up ? size - 1 - row : row;
      for (const x of [right, right - 1]) {
        if (grid[y][x] !== null) continue;
        const dark = ((words[bit >> 3] ?? 0) >> (7 - (bit & 7)) & 1) === 1;
        grid[y][x] = dark !== ((x + y) % 2 === 0);
        bit += 1;
      }
    }
  }
  return /** @type {Grid} */ (grid);
}

/** @param {string} text @param {string} label */
export function qrPicture(text, label) {
  const grid = qrOf(text), size = (grid?.length ?? 0) + 2 * MARGIN;
  const dark = grid?.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x + MARGIN} ${y + MARGIN}h1v1h-1z`] : [])));
  return drawn("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, class: "qr" },
    [drawn("path", { d: dark?.join("") ?? "" })]);
}
