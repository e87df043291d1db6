/** Rules as data: a variant is one frozen record of switches. The facts list the switches and the presets. */

import { use } from "../kernels/kernels.js";
import { borrowing } from "../kernels/memory.js";
import { closest, filled, intIn, isObject, shortRepr } from "./validate.js";

/** @import { Switch, Values } from "../kernels/kernels.js" */
/** @typedef {Record<string, any>} Changes switches by their names in Python, such as build_limit */
/** @typedef {{ base: Changes, by_players: Record<string, Changes>, singles: Changes | null, fixed: string[] }}
 *   Preset */
/**
 * @typedef {RulesRecord & Record<string, any>} Rules all switches, by their names in docs/rules.md:
 * rules.table_cards, rules.build_limit, ...
 */

/** @param {string} name @returns {any} */
const constant = (name) => use().constant("rules", name);
/** @returns {Record<string, Preset>} */
const presets = () => use().constant("presets", "PRESETS");

class RulesRecord {
  /** @type {string} */ name = "";
  /** @type {number} */ players = 0;
  /** @type {boolean} */ partners = false;
  /** @type {number} */ deck = 0;
  /** @type {Values} */ #record;
  /** @type {Changes | null} */ #differences = null;
  #key = "";

  /** @param {Changes} values of all switches */
  constructor(values) {
    for (const one of use().facts.switches) checkType(one, values[one.name]);
    /** @type {any} */ (Object).assign(this, values);
    const { record, wrong } = recordOf(values);
    if (wrong) throw new Error(`rules of ${this.name} with ${this.players} players: ${wrong}`);
    this.#record = record;
    this.#key = JSON.stringify(Object.values(values));
    Object.freeze(this);
  }

  /** A key that equal rules share. */
  get key() {
    return this.#key;
  }

  /** The rules in the kernels' format: an array of one record. @returns {Values} */
  get record() {
    return this.#record;
  }

  /** The number of sides: two with partners, else one for each seat. @returns {number} */
  get sides() {
    return this.record.get(0, "sides");
  }

  /** The number of cards in a full hand. @returns {number} */
  get handSize() {
    return this.record.get(0, "hand_size");
  }

  /** The highest value of a build. @returns {number} */
  get maxBuild() {
    return this.record.get(0, "max_build");
  }

  /** The side of a seat. @param {number} seat */
  side(seat) {
    return seat % this.sides;
  }

  /** The changes from which rulesOf() makes these rules again: the switches that differ from the preset, or, with
   * `own`, from the defaults. @returns {Changes} */
  differences() {
    this.#differences ??= this.#unlikeItsPreset();
    return { ...this.#differences };
  }

  /** @returns {Changes} */
  #unlikeItsPreset() {
    try {
      const { name, players, partners } = this;
      const out = unlike(this, preset(name, players, partners));
      if (preset(name, players).partners !== partners) out.partners = partners;
      if (makeRules(name, players, out).key === this.key) return out;
    } catch {
      // no preset
    }
    return { [constant("_OWN")]: true, ...unlike(this, constant("_DEFAULTS")) };
  }
}

/** @param {any} rules @param {any} base @returns {Changes} */
function unlike(rules, base) {
  const names = constant("_FIELDS").filter((/** @type {string} */ name) => rules[name] !== base[name]);
  return Object.fromEntries(names.map((/** @type {string} */ name) => [name, rules[name]]));
}

/** @param {unknown} value @returns {value is Rules} */
export function isRules(value) {
  return value instanceof RulesRecord;
}

/** Return the value if it is Rules, else throw. @param {unknown} value @returns {Rules} */
export function checkedRules(value) {
  if (isRules(value)) return value;
  throw new TypeError(`rules must come from makeRules() or a game, not ${shortRepr(value)}`);
}

// --- what may be ---------------------------------------------------------------------------------------------------

/** @param {Switch} one @param {unknown} value */
function checkType({ name, kind, choices }, value) {
  const said = `rules: ${name} = ${shortRepr(value)}; it must be`;
  if (choices && !choices.includes(/** @type {string} */ (value)))
    throw new Error(`${said} one of ${choices.join(", ")}`);
  if (kind === "bool" && typeof value !== "boolean") throw new Error(`${said} true or false`);
  if (kind === "int") {
    if (!Number.isSafeInteger(value)) throw new Error(`${said} a whole number`);
    const { MOST, MOST_POINTS } = use().constants("engine.playable"), number = Number(value), most = MOST[name]
      ?? MOST_POINTS;
    if (number < 0 || number > most) throw new Error(`${said} 0 to ${most}`);
  }
  if (kind === "str") {
    if (typeof value !== "string") throw new Error(`${said} a string`);
    const fits = value.length > 0 && [...value].length <= 60 && value === value.trim()
      && !/[^\P{Z} ]|\p{C}/u.test(value);
    if (!fits) throw new Error(`${said} one line of 1 to 60 characters`);
  }
}

/** Convert switches to the kernels' format, choices to their indices; also say why they cannot be played, if so.
 * @param {Changes} values */
function recordOf(values) {
  return borrowing((memory) => {
    const { kernels } = memory, laid = memory.records("RULES", 1);
    const { NONSENSE, MOST_POINTS: most } = kernels.constants("engine.playable");
    for (const { name, kind, choices } of kernels.facts.switches) {
      if (!(name in laid.fields) || kind === "str") continue;
      laid.set(0, name, choices ? choices.indexOf(values[name]) : Number(values[name]));
    }
    laid.set(0, "deck_size", values.deck);
    kernels.entry("engine.state.derive")(laid);
    const [row, dealt, points] = kernels.entry("engine.playable.first_nonsense")(laid);
    const wrong = row ? filled(NONSENSE[row], { ...values, dealt, points, most, decks: constant("_DECKS") }) : "";
    return { record: kernels.values("RULES", laid.bytes()), wrong };
  });
}

// --- making them ---------------------------------------------------------------------------------------------------

/** The numbers of players that a preset allows. @param {unknown} name @returns {number[]} */
export function playerCounts(name) {
  const known = presets();
  if (typeof name !== "string" || !Object.hasOwn(known, name)) {
    const names = Object.keys(known);
    throw new Error(`unknown variant ${shortRepr(name)}${closest(name, names)}; known: ${names.join(", ")}`);
  }
  return Object.keys(known[name].by_players).map(Number);
}

/** The rules of a preset. @param {string} name @param {number} players @param {boolean} [partners] @returns {Rules} */
export function preset(name, players, partners) {
  const counts = playerCounts(name);
  if (!counts.includes(intIn(players, "players"))) {
    throw new Error(`${name} is played by ${counts.join(", ")} players, not ${shortRepr(players)}`);
  }
  const { base, by_players: rows, singles } = presets()[name];
  /** @type {Changes} */
  let values = { ...base, ...rows[players] };
  if (singles && players > 2) {
    if (partners !== undefined) values = { ...values, partners };
    if (!values.partners) values = { ...values, ...singles };
  }
  return made({ ...constant("_DEFAULTS"), ...values, name, players });
}

/** The rules of a preset with some switches changed; throw, with one line, if they cannot be played.
 * @param {string} variant @param {number} [players] @param {Changes} [changes] @returns {Rules} */
export function makeRules(variant, players = 2, changes = {}) {
  if (!isObject(changes)) throw new Error("rules: must be an object of rule fields");
  const { partners } = changes;
  const rules = preset(variant, players, typeof partners === "boolean" ? partners : undefined);
  checkFields(changes);
  for (const [key, value] of Object.entries(changes)) {
    if (presets()[variant].fixed.includes(key) && value !== rules[key]) {
      throw new Error(`rules: ${variant} has no ${key}; its document rules it out`);
    }
  }
  return made({ ...rules, ...changes });
}

/** The rules that a file describes: changes to a preset or, with `own`, a custom game as changes to the defaults.
 * @param {unknown} variant @param {unknown} players @param {unknown} changes @returns {Rules} */
export function rulesOf(variant, players, changes) {
  if (!isObject(changes)) throw new Error("rules: must be an object of rule fields");
  if (["variant", "name", "players"].some((key) => Object.hasOwn(changes, key))) {
    throw new Error("rules: give variant and players beside them, not in them");
  }
  const { [constant("_OWN")]: given, ...rest } = changes;
  // More than half of all fields are a custom game even without `own`: older files stored custom games so.
  const own = given ?? Object.keys(changes).length > Math.floor(constant("_FIELDS").length / 2);
  if (typeof own !== "boolean") throw new Error(`rules: own = ${shortRepr(own)}; it must be true or false`);
  if (!own) return makeRules(/** @type {string} */ (variant), /** @type {number} */ (players), rest);
  checkFields(rest);
  return made({ ...constant("_DEFAULTS"), ...rest, name: variant, players });
}

/** @param {Changes} changes */
function checkFields(changes) {
  const fields = constant("_FIELDS");
  for (const key of Object.keys(changes)) {
    if (!fields.includes(key)) throw new Error(`unknown rule ${shortRepr(key)}${closest(key, fields)}`);
  }
}

/** @param {Changes} values @returns {Rules} */
function made(values) {
  return /** @type {Rules} */ (new RulesRecord(values));
}

/** All presets by name, each with its smallest number of players. @returns {Record<string, Rules>} */
export function variants() {
  return Object.fromEntries(Object.keys(presets()).map((name) => [name, preset(name, playerCounts(name)[0])]));
}

/** All presets with every number of players, and their variations at a table of that size.
 * @returns {Record<string, Rules>} */
export function tables() {
  return Object.fromEntries(Object.entries(use().facts.tables)
    .map(([name, { variant, players, rules }]) => [name, rulesOf(variant, players, rules)]));
}
