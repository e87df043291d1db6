/** Validate external numbers, words and JSON. An error is one line: where, what, and what would be right. */

/** Whitespace as both Python and JavaScript define it: their definitions differ beyond these characters. */
export const BLANKS = /[ \t\n\r\f\v]/;
const AROUND = /^[ \t\n\r\f\v]+|[ \t\n\r\f\v]+$/g;
/** Strip whitespace at both ends. @param {string} text */
export const trimmed = (text) => text.replace(AROUND, "");

/** Format a value for a message: one line of at most `length` characters. @param {unknown} value
 * @param {number} [length] @returns {string} */
export function shortRepr(value, length = 120) {
  const text = repr(value, 3)
    .replace(/\p{C}/gu, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return text.length <= length ? text : `${text.slice(0, length - 3)}...`;
}

/** @param {unknown} value @param {number} deep @returns {string} */
function repr(value, deep) {
  if (typeof value === "string")
    return `'${value.length > 60 ? `${value.slice(0, 28)}...${value.slice(-29)}` : value}'`;
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) {
    const parts = value.slice(0, 6).map((part) => (deep ? repr(part, deep - 1) : "..."));
    return `[${parts.join(", ")}${value.length > 6 ? ", ..." : ""}]`;
  }
  const keys = Object.keys(value);
  const parts = keys.slice(0, 4)
    .map((key) => `'${key.slice(0, 60)}': ${deep ? repr(/** @type {any} */ (value)[key], deep - 1) : "..."}`);
  return `{${parts.join(", ")}${keys.length > 4 ? ", ..." : ""}}`;
}

/** Replace the {placeholders} of a text. @param {string} text @param {Record<string, any>} words */
export function filled(text, words) {
  return text.replace(/{(\w+)}/g, (_, word) => words[word]);
}

/** The message of an error as one line. @param {unknown} error @param {number} [length] */
export function oneLine(error, length = 400) {
  return (error instanceof Error ? error.message : String(error)).split(/\s+/).filter(Boolean).join(" ")
    .slice(0, length);
}

/** A handler that throws the error again with its place in front. @param {string} where
 * @param {new (message: string, options: ErrorOptions) => Error} [Kind] @returns {(error: any) => never} */
export const failing = (where, Kind = Error) => (error) => {
  throw new Kind(`${where}: ${oneLine(error)}`, { cause: error });
};

/** Call a function; put the place in front of any error. @template T @param {string} where @param {() => T} work
 * @param {new (message: string, options: ErrorOptions) => Error} [Kind] @returns {T} */
export function within(where, work, Kind) {
  try {
    return work();
  } catch (error) {
    return failing(where, Kind)(error);
  }
}

/** " (did you mean ...?)" or nothing. @param {unknown} word @param {readonly string[]} known */
export function closest(word, known) {
  if (typeof word !== "string" || word.length > 60) return "";
  let [near, most] = ["", 0.5];
  for (const other of known) {
    const like = (2 * common(word, other)) / (word.length + other.length || 1);
    if (like > most || (like === most && other > near)) [near, most] = [other, like];
  }
  return near ? ` (did you mean '${near}'?)` : "";
}

/** Count the letters that two words share: their longest common substring, then recursively those before and after it.
 * @param {string} one @param {string} two @returns {number} */
function common(one, two) {
  let [longest, at, there] = [0, 0, 0];
  for (let i = 0; i < one.length; i++) {
    for (let j = 0; j < two.length; j++) {
      let many = 0;
      while (j + many < two.length && one[i + many] === two[j + many]) many++;
      if (many > longest) [longest, at, there] = [many, i, j];
    }
  }
  if (!longest) return 0;
  return longest + common(one.slice(0, at), two.slice(0, there))
    + common(one.slice(at + longest), two.slice(there + longest));
}

/** Return the value if it is a whole number within bounds, else throw. @param {unknown} value @param {string} where
 * @param {number} [low] @param {number} [high] @returns {number} */
export function intIn(value, where, low, high) {
  if (Number.isSafeInteger(value)) {
    const number = /** @type {number} */ (value);
    if ((low === undefined || number >= low) && (high === undefined || number <= high)) return number + 0;
  }
  const bounds = low === undefined ? "" : high === undefined ? ` of ${low} or more` : ` from ${low} to ${high}`;
  throw new Error(`${where} = ${shortRepr(value)}; it must be a whole number${bounds}`);
}

/** Return the value if it is a number within bounds, else throw. above: exclude `low`. @param {unknown} value
 * @param {string} where @param {number} low @param {number} high @param {boolean} [above] @returns {number} */
export function floatIn(value, where, low, high, above = false) {
  if (typeof value === "number" && value >= low && value <= high && !(above && value === low)) return value;
  const bounds = above ? `above ${low} and at most ${high}` : `from ${low} to ${high}`;
  throw new Error(`${where} = ${shortRepr(value)}; it must be a number ${bounds}`);
}

/** @typedef {{ text: string, bool: boolean, int: number, float: number, list: any[], dict: Record<string, any> }}
 *   Kinds */

const KINDS = {
  text: ["text", (/** @type {unknown} */ value) => typeof value === "string"],
  bool: ["true or false", (/** @type {unknown} */ value) => typeof value === "boolean"],
  int: ["a whole number", Number.isSafeInteger],
  float: ["a number", Number.isFinite],
  list: ["a list", Array.isArray],
  dict: ["an object", isObject],
};

/** @param {unknown} value @returns {value is Record<string, any>} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Return the JSON value if it is of this kind, else throw. @template {keyof Kinds} K @param {unknown} value
 * @param {string} where @param {K} kind @returns {Kinds[K]} */
export function ofKind(value, where, kind) {
  const [words, fits] = /** @type {[string, (value: unknown) => boolean]} */ (KINDS[kind]);
  if (fits(value)) return /** @type {Kinds[K]} */ (value);
  throw new Error(`${where} = ${shortRepr(value)}; it must be ${words}`);
}

/** An object with none but these keys. @param {unknown} data @param {readonly string[]} keys @param {string} where */
export function knownKeys(data, keys, where) {
  for (const key of Object.keys(ofKind(data, where, "dict"))) {
    if (!keys.includes(key)) throw new Error(`${where}: unknown key ${shortRepr(key)}${closest(key, keys)}`);
  }
}

/** Parse JSON; put the place in front of an error. @param {string} text @param {string} where @returns {any} */
export const parseJson = (text, where) => within(where, () => JSON.parse(text));
