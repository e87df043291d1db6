/** Read the two files of a policy: weights (safetensors) and their description (JSON with a checksum). */

import { floatIn, intIn, isObject, knownKeys, ofKind, shortRepr, within } from "../game/validate.js";
import { borrowing } from "../kernels/memory.js";

/** @import { Kernels } from "../kernels/kernels.js" */

const SEAL = ', "checksum": "'; // the last key of a sealed file

// --- checksums -------------------------------------------------------------------------------------------------------

const [ROUNDS, BEGIN] = constants();

/** The constants of SHA-256: fractional bits of the roots of the first primes. The arrays drop what is above 32 bits,
 * and so the whole part. */
function constants() {
  const rounds = new Uint32Array(64), begin = new Uint32Array(8);
  for (let number = 2, found = 0; found < 64; number++) {
    let divisor = 2;
    while (number % divisor) divisor++;
    if (divisor < number) continue;
    if (found < 8) begin[found] = number ** (1 / 2) * 2 ** 32;
    rounds[found++] = number ** (1 / 3) * 2 ** 32;
  }
  return [rounds, begin];
}

/** The first 128 bits of a SHA-256. (Browsers offer crypto.subtle on secure pages only.) @param {Uint8Array} data */
export function checksum(data) {
  return sha256(data).slice(0, 32);
}

/** @param {Uint8Array} data */
export function sha256(data) {
  const length = ((data.length + 72) >> 6) << 6, padded = new Uint8Array(length);
  padded.set(data);
  padded[data.length] = 0x80;
  const words = new DataView(padded.buffer);
  words.setUint32(length - 8, Math.floor(data.length / 2 ** 29));
  words.setUint32(length - 4, data.length * 8);
  const state = Uint32Array.from(BEGIN), w = new Uint32Array(64);
  for (let at = 0; at < length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = words.getUint32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15], b = w[i - 2];
      const low = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3), high = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
      w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const chosen = (e & f) ^ (~e & g), most = (a & b) ^ (a & c) ^ (b & c);
      const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + ROUNDS[i] + w[i]) | 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** @param {number} word @param {number} bits */
function turned(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/** Parse a sealed JSON file; throw if its checksum does not match. @param {Uint8Array} bytes @param {string} name
 * @returns {Record<string, any>} */
export function unseal(bytes, name) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\n$/, "");
  } catch {
    throw new Error(`${name}: is not UTF-8 text`);
  }
  const mark = text.lastIndexOf(SEAL);
  if (mark < 0) throw new Error(`${name}: damaged, or written by an older version: it has no checksum`);
  const body = text.slice(0, mark);
  if (text.slice(mark + SEAL.length) !== `${checksum(new TextEncoder().encode(body))}"}`)
    throw new Error(`${name}: damaged: its checksum does not match`);
  return asTable(body + "}", name);
}

/** @param {string} text @param {string} name @returns {Record<string, any>} */
function asTable(text, name) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Error(`${name}: is not JSON`);
  }
  if (!isObject(data)) throw new Error(`${name}: damaged: not a JSON object`);
  return data;
}

// --- descriptions ----------------------------------------------------------------------------------------------------

/** @typedef {{ variant: string, players: number, rules: Record<string, any> }} Game a game as a file names it */
/** @typedef {{ temperature: number, turns: number, width: number, exact: number }} PlaySettings how a policy plays */

/**
 * The keys of a description that the program reads (policy_files.py, KEYS); others (training, strength) inform people.
 *
 * @typedef {object} Description
 * @property {"actions" | "afterstates"} network what the network judges
 * @property {number[]} hidden widths of its hidden layers
 * @property {number} [values] number of value outputs; default: as many as the game needs
 * @property {string} variant
 * @property {number} players
 * @property {Record<string, any>} rules switches that differ from the preset
 * @property {{ size: number, digest: string, rule_rows: number }} features
 * @property {"own" | "universal"} layout
 * @property {boolean} match
 * @property {number} value_scale points per unit of its value
 * @property {PlaySettings} play
 * @property {Record<string, { play: Partial<PlaySettings> }>} levels weaker levels of the policy, by name
 * @property {string[]} weights accepted checksums of the weights
 * @property {{ game?: { others?: Game[] } }} [config] configuration of the training: more games that it has learnt
 */

/** Read and check the description of a policy. @param {Uint8Array} bytes @param {string} name of the file
 * @param {Kernels} kernels its versions of rules and observations must match @returns {Description} */
export function readDescription(bytes, name, kernels) {
  const data = unseal(bytes, name), known = kernels.constants("agents.policy.policy_files");
  if (data.format !== known.FORMAT)
    throw new Error(`${name}: format ${shortRepr(data.format)}; this program reads '${known.FORMAT}'`);
  const versions = {
    rules_version: kernels.constant("rules", "RULES_VERSION"),
    observation_version: kernels.constant("knowledge.layout", "OBSERVATION_VERSION"),
  };
  for (const [key, ours] of Object.entries(versions))
    if (data[key] !== ours)
      throw new Error(`${name}: made with ${key} ${shortRepr(data[key])}; this program has ${ours}; train it again`);
  const check = (/** @type {string} */ key) => checkValue(data[key], known.KEYS[key], key);
  within(name, () => {
    for (const key of known.NEEDED) if (!(key in data)) throw new Error(`${key} is missing`);
    Object.keys(known.KEYS).filter((key) => key in data).forEach(check);
  });
  return { ...known.USUAL, ...data, play: { ...known.USUAL_PLAY, ...data.play } };
}

/** Throw, in the words of policy_files.py, if a value is not of a kind. An object as a kind allows its own keys only;
 * "some" allows others too. @param {any} value @param {any} kind @param {string} where */
export function checkValue(value, kind, where) {
  if (typeof kind === "string") {
    ofKind(value, where, /** @type {"text" | "bool" | "dict" | "list"} */ (kind));
  } else if (!Array.isArray(kind)) {
    knownKeys(value, Object.keys(kind), where);
    for (const key of Object.keys(value)) checkValue(value[key], kind[key], `${where}${where && "."}${key}`);
  } else if (kind[0] === "int") intIn(value, where, kind[1], kind[2]);
  else if (kind[0] === "float") floatIn(value, where, kind[1], kind[2]);
  else if (kind[0] === "some") {
    ofKind(value, where, "dict");
    for (const key of Object.keys(kind[1]).filter((one) => Object.hasOwn(value, one)))
      checkValue(value[key], kind[1][key], `${where}.${key}`);
  } else if (kind[0] === "all") {
    checkValue(value, kind[1], where);
    for (const key of Object.keys(kind[1])) if (!(key in value)) throw new Error(`${where}.${key} is missing`);
  } else if (kind[0] === "choice") {
    if (!kind.slice(1).includes(ofKind(value, where, "text")))
      throw new Error(`${where} = ${shortRepr(value)}; it must be ${kind.slice(1).join(" or ")}`);
  } else {
    const count = kind[0] === "each" ? ofKind(value, where, "list").length : 0;
    if (kind[0] === "each" && !(count >= kind[2] && count <= kind[3]))
      throw new Error(`${where} = ${shortRepr(value)}; it must be a list of ${kind[2]} to ${kind[3]}`);
    for (const [key, one] of Object.entries(kind[0] === "each" ? value : ofKind(value, where, "dict")))
      checkValue(one, kind[1], `${where}.${key}`);
  }
}

// --- safetensors -----------------------------------------------------------------------------------------------------

/** @typedef {{ type: string, shape: number[], bytes: Uint8Array }} Tensor */

/** @type {Record<string, number>} */
const SIZES = { F64: 8, F32: 4, F16: 2, I64: 8, I32: 4, I16: 2, I8: 1, U8: 1 };

/** Read tensors by name. @param {Uint8Array} bytes @param {string} name of the file @returns {Map<string, Tensor>} */
export function readTensors(bytes, name) {
  const broken = (/** @type {string} */ why) => new Error(`${name}: broken weights (${why})`);
  if (bytes.length < 8) throw broken("no header");
  const header = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (header > bytes.length - 8) throw broken("its header is cut off");
  let table;
  try {
    table = asTable(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, 8 + header)), name);
  } catch {
    throw broken("its header is not JSON");
  }
  const data = bytes.subarray(8 + header), found = new Map();
  let covered = 0;
  const rows = Object.entries(table).filter(([key]) => key !== "__metadata__");
  // what is no number stands anywhere, and is refused below
  rows.sort(([, one], [, other]) => one?.data_offsets?.[0] - other?.data_offsets?.[0]
    || one?.data_offsets?.[1] - other?.data_offsets?.[1]);
  for (const [key, one] of rows) {
    const { dtype, shape, data_offsets: place } = one ?? {};
    const whole = (/** @type {any} */ list) =>
      Array.isArray(list) && list.every((each) => Number.isSafeInteger(each) && each >= 0);
    if (!(dtype in SIZES) || !whole(shape) || !whole(place) || place.length !== 2)
      throw broken(`tensor ${shortRepr(key)}`);
    const size = shape.reduce((/** @type {number} */ all, /** @type {number} */ each) => all * each, SIZES[dtype]);
    if (place[0] !== covered || place[1] - place[0] !== size || place[1] > data.length)
      throw broken(`tensor ${shortRepr(key)} is not where it should be`);
    covered = place[1];
    found.set(key, { type: dtype, shape, bytes: data.subarray(place[0], place[1]) });
  }
  if (covered !== data.length) throw broken("some bytes belong to no tensor");
  return found;
}

/** Copy the numbers of a floating-point tensor. @param {Tensor} tensor @param {Float32Array} to */
function copyFloats(tensor, to) {
  const view = new DataView(tensor.bytes.buffer, tensor.bytes.byteOffset, tensor.bytes.byteLength);
  for (let i = 0; i < to.length; i++)
    to[i] =
      tensor.type === "F16" ? fromHalf(view.getUint16(2 * i, true))
      : tensor.type === "F32" ? view.getFloat32(4 * i, true)
      : view.getFloat64(8 * i, true);
}

/** Decode a 16-bit float. @param {number} bits */
export function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

// --- weights ---------------------------------------------------------------------------------------------------------

const [FIRST, ROWS, SCALES] = ["layer0.weight", "layer0.rows", "layer0.scales"];

/** The sizes of a network. */
export class Shape {
  /** @param {number} features @param {number[]} hidden @param {number} values 1: the value of the own side (of two);
   * else one for each side, the own first @param {number} logits of the policy head; 0: no policy head */
  constructor(features, hidden, values, logits) {
    this.features = features;
    this.hidden = hidden;
    this.values = values;
    this.logits = logits;
  }

  get judgesActions() {
    return this.logits > 0;
  }

  /** The named sizes of a workspace (casino_env/compiler/types.py). */
  get sizes() {
    const { features, values: outputs, hidden } = this;
    const words = Math.ceil(features / 64);
    return { words, outputs, first_layer: hidden[0], units: hidden.reduce((all, width) => all + width, 0) };
  }

  /** The shape in the kernels' format. */
  get record() {
    return [this.features, this.values, this.logits, this.hidden.length, ...this.hidden];
  }

  /** The parts of the flat array of weights, in order: name and shape. */
  get parts() {
    /** @type {[string, number[]][]} */
    const parts = [];
    let before = this.features;
    this.hidden.forEach((width, layer) => {
      parts.push([`layer${layer}.weight`, [before, width]], [`layer${layer}.bias`, [width]]);
      before = width;
    });
    parts.push(["policy.weight", [this.logits, before]], ["policy.bias", [this.logits]]);
    parts.push(["value.weight", [this.values, before]], ["value.bias", [this.values]]);
    return parts;
  }

  get size() {
    return this.parts.reduce((all, [, shape]) => all + product(shape), 0);
  }
}

/** @param {number[]} shape */
function product(shape) {
  return shape.reduce((all, each) => all * each, 1);
}

/** Read weights into a flat array, dequantized; throw if the description was written for other weights.
 * @param {Uint8Array} bytes @param {string} name of the file @param {Description} about @param {Shape} shape
 * @param {Kernels} kernels */
export function readWeights(bytes, name, about, shape, kernels) {
  if (!about.weights.includes(checksum(bytes)))
    throw new Error(`${name}: damaged: not the weights of its description`);
  const tensors = readTensors(bytes, name), theta = new Float32Array(shape.size);
  let at = 0;
  for (const [part, wanted] of shape.parts) {
    const to = theta.subarray(at, (at += product(wanted))), tensor = tensors.get(part);
    if (part === FIRST && tensors.has(ROWS)) dequantize(tensors, shape, to, name);
    else if (!tensor || tensor.shape.join() !== wanted.join())
      throw new Error(`${name}: weights ${part}: ${tensor ? `[${tensor.shape}]` : "nothing"}, not [${wanted}]`);
    else if (!tensor.type.startsWith("F"))
      throw new Error(`${name}: weights ${part}: ${tensor.type}, not floating point`);
    else copyFloats(tensor, to);
  }
  const fault = borrowing((memory) => kernels.entry("agents.policy.mlp.soundness")(
    memory.numbers("f32", theta), memory.numbers("i64", shape.record)), kernels);
  const { FAULTS } = kernels.constants("agents.policy.policy_files");
  if (fault) throw new Error(`${name}: broken weights (${FAULTS[fault]})`);
  return theta;
}

/** Dequantize the first layer. It has a row for each feature seen in training: integers from -127 to 127 and a scale.
 * @param {Map<string, Tensor>} tensors @param {Shape} shape @param {Float32Array} to @param {string} name */
function dequantize(tensors, shape, to, name) {
  const first = tensors.get(FIRST), rows = tensors.get(ROWS), scales = tensors.get(SCALES), width = shape.hidden[0];
  if (!rows || rows.type !== "I32" || rows.shape.length !== 1)
    throw new Error(`${name}: weights ${ROWS}: must be feature numbers in rising order`);
  const [count] = rows.shape;
  if (!first || first.type !== "I8" || first.shape.join() !== `${count},${width}`)
    throw new Error(`${name}: weights ${FIRST}: must be ${count} rows of ${width} 8-bit numbers`);
  if (!scales || scales.type !== "F32" || scales.shape.join() !== `${count}`)
    throw new Error(`${name}: weights ${SCALES}: must be one for each of ${count} rows`);
  // Copy, for alignment; slice() of node's Buffer would not copy.
  const copy = (/** @type {Tensor} */ { bytes }) => new Uint8Array(bytes).buffer;
  const numbers = new Int8Array(copy(first)), places = new Int32Array(copy(rows));
  const factors = new Float32Array(copy(scales));
  places.forEach((row, k) => {
    if (row <= (k ? places[k - 1] : -1) || row >= shape.features)
      throw new Error(`${name}: weights ${ROWS}: a feature must be from 0 to ${shape.features - 1}, each once`);
    for (let j = 0; j < width; j++) to[row * width + j] = numbers[k * width + j] * factors[k];
  });
}
