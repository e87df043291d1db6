/** Load the kernels (Python's engine and agents compiled to WebAssembly) and call their entry points as functions.
 * Arguments travel in a block of 64-bit words: a number is one word, an array its pointer and then its sizes; the
 * answer overwrites the block from its beginning (casino_env/aot). facts.json, generated with the WebAssembly, lists
 * the signature of each entry and the offsets of the fields of records. */

import { failing, isObject, knownKeys } from "../game/validate.js";

/** @typedef {number | bigint} Word A 64-bit integer; a BigInt where a number could not hold it exactly. */
/** @typedef {"i8" | "u8" | "i16" | "i32" | "i64" | "u64" | "f32" | "f64"} ElementType */
/** @typedef {any} Answer The result of an entry: a Word, a float or a boolean; tuples as arrays. */
/** @typedef {Word | Records | Numbers | Pinned | { [name: string]: any } | any[]} Argument Tuples as arrays, or as
 *   objects by field name. */
/** @typedef {string | [type: string, dimensions: number, sizes?: (number | string)[]]} Kind A number (q Q d), an array
 *   with its dimensions (and its sizes, in a workspace), or the name of a tuple. */
/** @typedef {[type: string, offset: number, shape: number[]]} Field */
/** @typedef {{ variant: string, players: number, rules: Record<string, any> }} GameFacts rules: changes to the
 *   preset */
/** @typedef {{ symbol: string, takes: string, returns: string, arguments: Record<string, Kind> }} EntryFacts */
/** @typedef {{ name: string, kind: "str" | "int" | "bool" | "choice", default: any, choices?: string[] }} Switch */
/**
 * @typedef {object} Facts What JavaScript must know about the engine beside its WebAssembly.
 * @property {string} version
 * @property {Record<string, EntryFacts>} entries
 * @property {Record<string, RecordFacts>} records
 * @property {Record<string, Record<string, Kind>>} tuples
 * @property {Switch[]} switches
 * @property {Record<string, GameFacts>} tables every preset with every number of players
 * @property {Record<string, { level: string, of: string, games: GameFacts[] }>} policies
 * @property {(GameFacts & { policy: string })[]} strongest the best policy for each game that one has learnt
 * @property {Record<string, Record<string, ["int" | "float" | "str", boolean]>>} parameters by agent: type, and
 *   whether it is required
 * @property {Record<string, Record<string, number>[]>} bots records of the bots by name
 * @property {Record<string, Record<string, Record<string, number>>>} workspaces sizes, by kind of agent and part
 * @property {Record<string, Record<string, any>>} constants by Python module and name
 */

/** @type {Record<string, any>} */
const VIEWS = {
  i8: Int8Array, u8: Uint8Array, i16: Int16Array, i32: Int32Array, i64: BigInt64Array, u64: BigUint64Array,
  f32: Float32Array, f64: Float64Array,
};
/** The types' names in DataView methods, as in getInt16. @type {Record<string, string>} */
const NAMES = Object.fromEntries(Object.entries(VIEWS).map(([type, { name }]) => [type, name.replace("Array", "")]));
const SLOTS = 512;
const HIGH = 2 ** 32;

/** @typedef {{ size: number, fields: Record<string, Field> }} RecordFacts */

/** An array of records, in any memory. */
export class Fielded {
  /** @param {string} type @param {RecordFacts} facts @param {number} length */
  constructor(type, facts, length) {
    this.type = type;
    this.size = facts.size;
    this.fields = facts.fields;
    this.length = length;
  }

  /** The whole memory that contains the records. @returns {DataView} */
  get memory() {
    throw new Error("records without memory");
  }

  /** The offset of the first record. */
  get begin() {
    return 0;
  }

  /** @param {number} i */
  #start(i) {
    if (!(i >= 0 && i < this.length)) throw new Error(`${this.type}[${i}]: indices are 0 to ${this.length - 1}`);
    return this.begin + i * this.size;
  }

  /** @param {number} i */
  #part(i) {
    const { buffer, byteOffset } = this.memory;
    return new Uint8Array(buffer, byteOffset + this.#start(i), this.size);
  }

  /** @param {number} i @param {string} name @param {number} index into a field that is an array, row by row */
  #place(i, name, index) {
    const field = this.fields[name];
    if (!field) throw new Error(`${this.type} has no field ${name}`);
    const many = size(field[2]);
    if (!(index >= 0 && index < many)) throw new Error(`${this.type}.${name}[${index}]: indices are 0 to ${many - 1}`);
    return this.#start(i) + field[1] + index * VIEWS[field[0]].BYTES_PER_ELEMENT;
  }

  /** Read a field of a record, at `index` if the field is an array. @param {number} i @param {string} name
   * @param {number} [index] @returns {any} a number; a BigInt where a number could not hold it exactly */
  get(i, name, index = 0) {
    const at = this.#place(i, name, index), data = /** @type {any} */ (this.memory), type = this.fields[name][0];
    if (!NAMES[type].startsWith("Big")) return data[`get${NAMES[type]}`](at, true);
    return joined(data.getUint32(at, true), type === "i64" ? data.getInt32(at + 4, true)
      : data.getUint32(at + 4, true));
  }

  /** Read all numbers of a field. @param {number} i @param {string} name @returns {any[]} */
  list(i, name) {
    return Array.from({ length: size(this.fields[name]?.[2] ?? [0]) }, (_, index) => this.get(i, name, index));
  }

  /** @param {number} i @param {string} name @param {Word} value @param {number} [index] */
  set(i, name, value, index = 0) {
    const at = this.#place(i, name, index), data = /** @type {any} */ (this.memory), type = this.fields[name][0];
    data[`set${NAMES[type]}`](at, NAMES[type].startsWith("Big") ? BigInt(value) : Number(value), true);
  }

  /** A copy of the bytes of a record. @param {number} [i] */
  bytes(i = 0) {
    return this.#part(i).slice();
  }

  /** @param {number} i @param {Uint8Array} bytes */
  write(i, bytes) {
    if (bytes.length !== this.size)
      throw new Error(`a record of ${this.type} has ${this.size} bytes, not ${bytes.length}`);
    this.#part(i).set(bytes);
  }

  /** Copy record i of another array to record j of this one. @param {Fielded} from @param {number} [i]
   * @param {number} [j] */
  copy(from, i = 0, j = 0) {
    if (from.type !== this.type) throw new Error(`${from.type} is not ${this.type}`);
    this.#part(j).set(from.#part(i));
  }
}

/** Records in JavaScript's own memory: plain values that need no free(). */
export class Values extends Fielded {
  #memory;

  /** @param {string} type @param {RecordFacts} facts @param {Uint8Array} [bytes] */
  constructor(type, facts, bytes) {
    super(type, facts, bytes ? bytes.length / facts.size : 1);
    if (!Number.isInteger(this.length))
      throw new Error(`a record of ${type} has ${facts.size} bytes, not ${bytes?.length}`);
    this.#memory = new DataView(bytes ? new Uint8Array(bytes).buffer : new ArrayBuffer(facts.size));
    this.facts = facts;
  }

  get memory() {
    return this.#memory;
  }

  clone() {
    return new Values(this.type, this.facts, new Uint8Array(this.#memory.buffer));
  }
}

/** Records in the kernels' memory. */
export class Records extends Fielded {
  /** @param {Kernels} kernels @param {string} name @param {number[]} shape */
  constructor(kernels, name, shape) {
    const facts = kernels.facts.records[name], known = Object.keys(kernels.facts.records);
    if (!facts) throw new Error(`unknown record ${JSON.stringify(name)}; known: ${known.join(", ")}`);
    super(name, facts, size(shape));
    this.kernels = kernels;
    this.shape = shape;
    /** Where they begin; 0 once freed. */
    this.pointer = kernels.borrow(this.length, facts.size);
  }

  get memory() {
    return this.kernels.data;
  }

  get begin() {
    if (!this.pointer) throw new Error("the records have been freed");
    return this.pointer;
  }

  free() {
    if (this.pointer) this.kernels.giveBack(this.pointer);
    this.pointer = 0;
  }
}

/** An array of numbers in the kernels' memory. */
export class Numbers {
  /** @type {any} */
  #view = null;

  /** @param {Kernels} kernels @param {ElementType} type @param {number[]} shape
   * @param {number} [within] pointer into memory that something else owns */
  constructor(kernels, type, shape, within) {
    const known = Object.keys(VIEWS);
    if (!VIEWS[type])
      throw new Error(`unknown array type ${JSON.stringify(type)}; known: ${known.join(", ")}`);
    this.kernels = kernels;
    this.type = type;
    this.shape = shape;
    this.length = size(shape);
    this.owned = within === undefined;
    /** Where it begins; 0 once freed. */
    this.pointer = within ?? kernels.borrow(this.length, VIEWS[type].BYTES_PER_ELEMENT);
  }

  /** A live view, valid until the memory grows: get it again after a call. @returns {any} */
  get data() {
    const { buffer } = this.kernels.memory;
    if (!this.pointer) throw new Error("the array has been freed");
    if (this.#view?.buffer !== buffer) this.#view = new VIEWS[this.type](buffer, this.pointer, this.length);
    return this.#view;
  }

  free() {
    if (this.owned && this.pointer) this.kernels.giveBack(this.pointer);
    this.pointer = 0;
  }
}

/** A tuple checked once and encoded for repeated calls. Do not free its arrays while it is in use. */
export class Pinned {
  /** @param {string} letters @param {Int32Array} words @param {any} tuple */
  constructor(letters, words, tuple) {
    this.letters = letters;
    this.words = words;
    this.tuple = tuple;
  }
}

/** @param {number[]} shape @returns {number} */
function size(shape) {
  for (const many of shape) {
    if (!Number.isInteger(many) || many < 0)
      throw new Error(`an array of ${shape.join(" x ")}: sizes must be whole numbers`);
  }
  return shape.reduce((all, many) => all * many, 1);
}

/**
 * @typedef {object} Node The type of an argument or result, parsed from letters and facts.
 * @property {string} letter q (i64), Q (u64), d (f64), ? (boolean), a (array), or an opening parenthesis (tuple)
 * @property {string} letters the whole type in letters
 * @property {number} dimensions
 * @property {string} type element type of an array
 * @property {string[]} names field names of a tuple
 * @property {Node[]} parts
 */

/** Join two 32-bit words. @param {number} low @param {number} high @returns {Word} */
function joined(low, high) {
  const whole = high * HIGH + low;
  return Number.isSafeInteger(whole) ? whole : (BigInt(high) << 32n) | BigInt(low);
}

export class Kernels {
  #block;
  /** @type {DataView} */
  #data;
  /** @type {Map<string, (...args: any[]) => any>} */
  #entries = new Map();
  #next = 0;
  #name = "";
  #words = new Int32Array();
  #doubles = new Float64Array();

  /** @param {WebAssembly.Instance} instance @param {Facts} facts */
  constructor(instance, facts) {
    this.facts = facts;
    /** @type {any} */
    this.exports = instance.exports;
    /** @type {WebAssembly.Memory} */
    this.memory = this.exports.memory;
    this.exports._initialize?.();
    this.#data = new DataView(this.memory.buffer);
    this.#block = this.borrow(SLOTS, 8);
  }

  /** The whole memory at its current size. */
  get data() {
    if (this.#data.buffer !== this.memory.buffer) this.#data = new DataView(this.memory.buffer);
    return this.#data;
  }

  /** A view of some bytes of the memory, valid until it grows. @param {number} at @param {number} many */
  bytes(at, many) {
    return new Uint8Array(this.memory.buffer, at, many);
  }

  /** Allocate zeroed memory. @param {number} many @param {number} size @returns {number} */
  borrow(many, size) {
    const bytes = many * size;
    const place = bytes < 2 ** 31 ? this.exports.casino_borrow(BigInt(Math.max(many, 1)), BigInt(size)) : 0;
    if (!place) throw new Error(`no memory for ${bytes} bytes`);
    return place >>> 0;
  }

  /** @param {number} place */
  giveBack(place) {
    this.exports.casino_give_back(place);
  }

  /** Allocate zeroed records, such as records("GAME", 1). @param {string} name @param {number | number[]} [shape] */
  records(name, shape = 1) {
    return new Records(this, name, Array.isArray(shape) ? shape : [shape]);
  }

  /** Allocate an array of zeros. @param {ElementType} type @param {number | number[]} shape */
  array(type, shape) {
    return new Numbers(this, type, Array.isArray(shape) ? shape : [shape]);
  }

  /** Records outside the kernels' memory, from bytes or zeroed. @param {string} name @param {Uint8Array} [bytes] */
  values(name, bytes) {
    return new Values(name, this.facts.records[name], bytes);
  }

  /** A constant of a Python module, by its name there. @param {string} module @param {string} name @returns {any} */
  constant(module, name) {
    const found = this.constants(module)[name];
    if (found === undefined) throw new Error(`${module} has no ${name}`);
    return found;
  }

  /** All exported constants of a Python module, by name. @param {string} module @returns {Record<string, any>} */
  constants(module) {
    return this.facts.constants[module] ?? {};
  }

  /** An entry as a function, by its name in Python. @param {string} name @returns {(...args: Argument[]) => any} */
  entry(name) {
    const known = this.#entries.get(name);
    if (known) return known;
    const facts = this.facts.entries[name];
    const kernel = facts && this.exports[facts.symbol];
    if (!kernel) throw new Error(`unknown entry ${JSON.stringify(name)}`);
    const names = Object.keys(facts.arguments), takes = Object.values(facts.arguments).map((kind) => this.#node(kind));
    if (takes.map((node) => node.letters).join("") !== facts.takes)
      throw new Error(`${name}: the facts contradict each other`);
    const returns = letters(facts.returns);
    const called = (/** @type {any[]} */ ...args) => {
      if (args.length !== takes.length)
        throw new Error(`${name} takes ${takes.length} arguments (${names.join(", ")}), not ${args.length}`);
      this.#begin(name);
      for (let i = 0; i < takes.length; i++) this.#fill(args[i], takes[i], names[i]);
      let failed;
      try {
        failed = kernel(this.#block);
      } catch (error) {
        throw new Error(`${name} failed: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
      if (failed) throw new Error(`${name} failed`);
      if (!returns.length) return undefined;
      this.#begin(name);
      return this.#answer(returns[0]);
    };
    this.#entries.set(name, called);
    return called;
  }

  /** Check and encode a tuple once, for repeated calls. @param {string} name type of the tuple in Python
   * @param {any} tuple */
  pin(name, tuple) {
    const node = this.#node(name);
    this.#begin(name);
    this.#fill(tuple, node, name);
    return new Pinned(node.letters, this.#words.slice(0, 2 * this.#next), tuple);
  }

  /** @param {Kind} kind @returns {Node} */
  #node(kind) {
    if (Array.isArray(kind)) {
      const [type, dimensions] = kind;
      const size = VIEWS[type]?.BYTES_PER_ELEMENT ?? this.facts.records[type].size;
      return { letter: "a", letters: `a${dimensions}:${size};`, dimensions, type, names: [], parts: [] };
    }
    const fields = this.facts.tuples[kind];
    if (!fields) return { letter: kind, letters: kind, dimensions: 0, type: "", names: [], parts: [] };
    const parts = Object.values(fields).map((part) => this.#node(part));
    return { letter: "(", letters: `(${parts.map((part) => part.letters).join("")})`, dimensions: 0, type: kind,
      names: Object.keys(fields), parts };
  }

  /** Return to the beginning of the block; renew the views if the memory has grown. @param {string} name */
  #begin(name) {
    this.#next = 0;
    this.#name = name;
    if (this.#words.buffer !== this.memory.buffer) {
      this.#words = new Int32Array(this.memory.buffer, this.#block, 2 * SLOTS);
      this.#doubles = new Float64Array(this.memory.buffer, this.#block, SLOTS);
    }
  }

  /** @param {any} value @param {Node} node @param {string} where */
  #fill(value, node, where) {
    if (node.letter === "a") this.#fillArray(value, node, where);
    else if (node.letter === "(") this.#fillTuple(value, node, where);
    else this.#fillNumber(value, node.letter, where);
  }

  /** @param {any} value @param {string} letter @param {string} where */
  #fillNumber(value, letter, where) {
    const at = this.#next++;
    if (letter === "d") {
      if (typeof value !== "number") throw new Error(`${this.#name}: ${where} must be a number`);
      this.#doubles[at] = value;
    } else if (typeof value === "bigint") {
      this.#words[2 * at] = Number(BigInt.asIntN(32, value));
      this.#words[2 * at + 1] = Number(BigInt.asIntN(32, value >> 32n));
    } else if (Number.isSafeInteger(value)) {
      this.#words[2 * at] = value;
      this.#words[2 * at + 1] = Math.floor(value / HIGH);
    } else throw new Error(`${this.#name}: ${where} must be a whole number`);
  }

  /** @param {any} value @param {Node} node @param {string} where */
  #fillArray(value, node, where) {
    const array = value instanceof Records || value instanceof Numbers;
    if (!array || value.type !== node.type || value.shape.length !== node.dimensions) {
      const what = array ? `${value.type} of ${value.shape.length}` : typeof value;
      throw new Error(`${this.#name}: ${where} must be an array of ${node.type} of ${node.dimensions} dimensions, not ${what}`);
    }
    if (value.kernels !== this) throw new Error(`${this.#name}: ${where} is in the memory of other kernels`);
    if (!value.pointer) throw new Error(`${this.#name}: ${where} has been freed`);
    this.#word(value.pointer);
    for (const size of value.shape) this.#word(size);
  }

  /** @param {any} value @param {Node} node @param {string} where */
  #fillTuple(value, node, where) {
    if (value instanceof Pinned) {
      if (value.letters !== node.letters) throw new Error(`${this.#name}: ${where}: the pinned value has another type`);
      this.#words.set(value.words, 2 * this.#next);
      this.#next += value.words.length / 2;
      return;
    }
    const many = node.parts.length;
    const listed = Array.isArray(value);
    if (!value || typeof value !== "object" || (listed && value.length !== many)) {
      throw new Error(`${this.#name}: ${where} must be a tuple: ${node.names.join(", ")}`);
    }
    for (let i = 0; i < many; i++)
      this.#fill(listed ? value[i] : value[node.names[i]], node.parts[i], `${where}.${node.names[i]}`);
  }

  /** @param {number} value */
  #word(value) {
    const at = this.#next++;
    this.#words[2 * at] = value;
    this.#words[2 * at + 1] = 0;
  }

  /** @param {Node} node @returns {Answer} */
  #answer(node) {
    if (node.letter === "(") return node.parts.map((part) => this.#answer(part));
    const at = this.#next++;
    if (node.letter === "d") return this.#doubles[at];
    const low = this.#words[2 * at] >>> 0;
    if (node.letter === "?") return low !== 0;
    const high = this.#words[2 * at + 1];
    return joined(low, node.letter === "Q" ? high >>> 0 : high);
  }
}

/** Parse the type that an entry returns. @param {string} text @returns {Node[]} */
function letters(text) {
  let at = 0;
  /** @returns {Node[]} */
  const several = () => {
    const found = [];
    while (at < text.length && text[at] !== ")") {
      const letter = text[at++];
      const parts = letter === "(" ? several() : [];
      if (letter === "(") at++;
      found.push({ letter, letters: "", dimensions: 0, type: "", names: [], parts });
    }
    return found;
  };
  return several();
}

// --- loading -------------------------------------------------------------------------------------------------------

/** @type {Kernels | null} */
let loaded = null;

/** Resolve an address, relative to the page or, in node, to the working directory. @param {string | URL} place */
export function addressOf(place) {
  return new URL(place, globalThis.location?.href ?? `file://${process.cwd()}/`);
}

/** Import a node module; the comments hide it from browser bundlers. @param {string} name @returns {Promise<any>} */
export const ofNode = (name) => import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);

/** Read a file, in node or in a browser. @param {string | URL} place @returns {Promise<Uint8Array>} */
export async function readBytes(place) {
  const url = addressOf(place);
  if (url.protocol === "file:" && typeof process !== "undefined") {
    return new Uint8Array(await (await ofNode("fs/promises")).readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Load the kernels that all modules use; by default from the package's dist/. @param {{
 * wasm?: string | URL | BufferSource | WebAssembly.Module, facts?: string | URL | Facts }} [from]
 * @returns {Promise<Kernels>} */
export async function loadKernels(from = {}) {
  knownKeys(from, ["wasm", "facts"], "options of loadKernels");
  const { wasm, facts } = from;
  const binary = wasm ?? new URL("../../dist/casino.wasm", import.meta.url);
  const said = facts ?? new URL("../../dist/facts.json", import.meta.url);
  /** @type {Facts} */
  const known = said instanceof URL || typeof said === "string"
    ? JSON.parse(new TextDecoder().decode(await readBytes(said))) : said;
  if (!isObject(known?.entries)) throw new Error("facts: not those of the kernels, which are in dist/facts.json");
  const code = binary instanceof URL || typeof binary === "string" ? await readBytes(binary) : binary;
  /** @type {any} */
  const module = code instanceof WebAssembly.Module ? code
    : await WebAssembly.compile(/** @type {BufferSource} */ (code)).catch(failing("wasm"));
  loaded = new Kernels(/** @type {any} */ (await WebAssembly.instantiate(module, {})), known);
  return loaded;
}

/** The loaded kernels; throw if there are none. */
export function use() {
  if (!loaded) throw new Error("nothing is loaded yet: await loadKernels() first");
  return loaded;
}
