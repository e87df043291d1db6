/** Position JSON: a game at any moment as plain data, validated when read. Beside its required keys a position may have
 * these, where they differ from their defaults: `leader`, `sweeps` (by side), `turns` (finished in this deal), `turn`
 * (the fields of a turn that has begun), `match` (the number of finished deals, and the state of the random stream that
 * deals the next) and `winner` (the side, or null if shared, of a finished match or of a deal ended by counting out).
 * This module turns JSON into rows of numbers; a kernel (casino_env/engine/flat_form.py) makes the record from them and
 * refuses impossible positions. */

import { buildRecord, flatten, refusal } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { cardName, cardNames, CARDS, parseCard } from "./cards.js";
import { rulesOf } from "./rules.js";
import { filled, intIn, isObject, knownKeys, ofKind, shortRepr, within } from "./validate.js";

/** @import { Refusal } from "../kernels/engine.js" */
/** @import { Values } from "../kernels/kernels.js" */
/** @import { Rules } from "./rules.js" */
/** @typedef {{ value: number, owner: number, sets: string[][] }} Build */
/**
 * @typedef {object} Position
 * @property {string} variant
 * @property {number} players
 * @property {Record<string, any>} rules switches that differ from the preset
 * @property {number} round
 * @property {number} to_move
 * @property {string[][]} hands
 * @property {string[]} layout in the order in which the cards were laid
 * @property {Build[]} builds
 * @property {string[][]} piles from the bottom up
 * @property {string[]} stock from the bottom up
 * @property {number[][]} proven
 * @property {number | null} last_capture
 * @property {number[]} match_score by side
 * @property {number[]} [sweeps]
 * @property {number} [leader]
 * @property {number} [turns]
 * @property {Record<string, any>} [turn]
 * @property {{ deals: number, stream?: string }} [match]
 * @property {number | null} [winner]
 */

/** An impossible position. The message says where, and what would be right. */
export class PositionError extends Error {
  name = "PositionError";
}

/** @param {string} name @returns {any} */
const constant = (name) => use().constant("position", name);
/** Constants of engine/flat_form.py by name. @returns {any} */
const flat = () => use().constants("engine.flat_form");

// --- refusals --------------------------------------------------------------------------------------------------------

/** The message for a kernel's refusal. @param {Refusal} found @param {Rules} rules */
function refusalText([code, place, part, number, low, high], rules) {
  const { PLACES, BUILDS, REFUSALS } = flat();
  const { FIELDS, MODE } = use().constants("engine.invariants");
  const index = place % FIELDS.length, field = FIELDS[index];
  const placed = (/** @type {number} */ at, /** @type {number} */ set) =>
    (at < BUILDS ? PLACES[at] : `builds[${at - BUILDS}].sets[${set}]`);
  /** @type {Record<string, any>} */
  const words = {
    field, name: index >= MODE ? `turn.${field}` : field === "deals" ? "match.deals" : field,
    place: placed(place, part), other: placed(low, high), seat: place, card: cardName(Math.abs(Number(number)) % CARDS),
    deck: rules.deck,
    number, low, high, range: high > low ? `${low} to ${high}` : low,
  };
  return filled(REFUSALS[code], words);
}

/** Throw, with one line, unless play can continue from the record or its game is over. @param {Values} record
 * @param {Rules} rules @param {number} [part] of what is looked at, see refusal() */
export function validateRecord(record, rules, part = 3) {
  refuse(refusal(record, rules, part), rules);
}

/** Throw if a kernel refused. @param {Refusal} found @param {Rules} rules */
export function refuse(found, rules) {
  if (found[0]) throw new PositionError(refusalText(found, rules));
}

// --- out -------------------------------------------------------------------------------------------------------------

/** @param {Values} game @param {Rules} rules @returns {Position} */
export function toJson(game, rules) {
  const { players } = rules, { HANDS, PILES, PROVEN, LAYOUT, STOCK, MATCH_SCORE, SWEEPS } = flat();
  const { number, lists, builds, said, stream } = flatten(game, rules);
  const perSeat = (/** @type {number} */ first) => lists.slice(first, first + players);
  /** @type {Position} */
  const out = {
    variant: rules.name,
    players,
    rules: rules.differences(),
    round: number.round,
    to_move: number.to_move,
    hands: perSeat(HANDS).map(cardNames),
    layout: cardNames(lists[LAYOUT]),
    builds: builds.map(({ value, owner, sets }) => ({ value, owner, sets: sets.map(cardNames) })),
    piles: perSeat(PILES).map(cardNames),
    stock: cardNames(lists[STOCK]),
    proven: perSeat(PROVEN),
    last_capture: number.last_capture < 0 ? null : number.last_capture,
    match_score: lists[MATCH_SCORE],
  };
  if (lists[SWEEPS].some(Boolean)) out.sweeps = lists[SWEEPS];
  if (number.leader) out.leader = number.leader;
  if (number.turns) out.turns = number.turns;
  const turn = turnJson(number, lists);
  if (Object.keys(turn).length) out.turn = turn;
  if (number.match) out.match = { deals: number.deals, stream: BigInt(stream).toString(16).padStart(16, "0") };
  if (said) out.winner = number.winner >= 0 ? number.winner : null;
  return out;
}

/** The turn's fields that differ from those of a turn that has not begun. @param {Record<string, number>} number
 * @param {number[][]} lists */
function turnJson(number, lists) {
  const before = { ...constant("_BEFORE"), actor: number.to_move };
  /** @type {Record<string, any>} */
  const out = {};
  for (const name of constant("_TURN_NUMBERS")) if (number[name] !== before[name]) out[name] = number[name];
  for (const name of constant("_TURN_CARDS")) if (number[name] !== before[name]) out[name] = cardName(number[name]);
  for (const [name, place] of Object.entries(constant("_TURN_SETS")))
    if (lists[place].length) out[name] = cardNames(lists[place]);
  return out;
}

// --- in --------------------------------------------------------------------------------------------------------------

/** Reads a position into flat form: numbers by name, and its lists as rows. */
export class Reader {
  /** @type {[what: number, place: number, part: number][]} */
  rows = [];
  /** @type {[value: number, owner: number, sets: number][]} */
  builds = [];
  said = 0;
  stream = 0n;
  each = "lists";

  /** @param {Record<string, any>} data @param {Rules} rules */
  constructor(data, rules) {
    this.data = data;
    this.rules = rules;
    /** @type {Record<string, number>} */
    this.numbers = { ...constant("_BEFORE") };
  }

  read() {
    const { data, rules } = this, { HANDS, PILES, PROVEN, LAYOUT, STOCK, BUILDS, MATCH_SCORE, SWEEPS } = flat();
    const hands = given(data, "hands", []);
    if (Array.isArray(hands) && !hands.length)
      throw new PositionError("hands: missing; give a list of cards for each seat");
    for (const [key, first] of [["hands", HANDS], ["piles", PILES]]) {
      this.perSeat(key).forEach((cards, seat) => this.cards(cards, `${key}[${seat}]`, first + seat));
    }
    this.cards(given(data, "layout", []), "layout", LAYOUT);
    this.cards(given(data, "stock", []), "stock", STOCK);
    ofKind(given(data, "builds", []), "builds", "list")
      .forEach((build, k) => this.build(build, `builds[${k}]`, BUILDS + k));
    this.perSeat("proven").forEach((values, seat) => {
      const where = `proven[${seat}]`;
      for (const value of ofKind(values, where, "list")) this.rows.push([numberOf(value, where), PROVEN + seat, 0]);
    });
    for (const [key, place] of [["match_score", MATCH_SCORE], ["sweeps", SWEEPS]]) {
      const said = ofKind(given(data, key, []), key, "list");
      const numbers = said.length ? said : new Array(rules.sides).fill(0);
      if (numbers.length !== rules.sides)
        throw new PositionError(`${key}: must have ${rules.sides} numbers, one for each side`);
      numbers.forEach((number, side) => this.rows.push([numberOf(number, `${key}[${side}]`), place, side]));
    }
    this.scalars();
    return this;
  }

  scalars() {
    const { data, numbers } = this;
    for (const key of ["round", "turns"]) numbers[key] = numberOf(given(data, key, numbers[key]), key);
    for (const key of ["to_move", "leader"]) numbers[key] = this.seat(given(data, key, 0), key);
    if ((data.last_capture ?? null) !== null) numbers.last_capture = this.seat(data.last_capture, "last_capture");
    numbers.actor = numbers.to_move;
    this.turn(given(data, "turn", {}));
    if (Object.hasOwn(data, "match")) this.match(data.match);
    if (Object.hasOwn(data, "winner")) {
      numbers.winner = data.winner === null ? -2 : intIn(data.winner, "winner", 0, this.rules.sides - 1);
      this.said |= flat().WINNER_SAID;
    }
  }

  /** @param {string} key @returns {unknown[]} */
  perSeat(key) {
    const { players } = this.rules, items = given(this.data, key, []);
    if (!Array.isArray(items) || ![0, players].includes(items.length)) {
      throw new PositionError(`${key}: must be a list of ${players} ${this.each}, one for each seat`);
    }
    return items.length ? items : Array.from({ length: players }, () => []);
  }

  /** @param {unknown} items @param {string} where @param {number} place @param {number} [part] */
  cards(items, where, place, part = 0) {
    if (!Array.isArray(items)) throw new PositionError(`${where}: must be a list of cards`);
    for (const text of items) this.rows.push([cardOf(text, where), place, part]);
  }

  /** @param {any} build @param {string} where @param {number} place */
  build(build, where, place) {
    const keys = constant("_BUILD_KEYS");
    if (!isObject(build) || keys.some((/** @type {string} */ key) => !Object.hasOwn(build, key))) {
      throw new PositionError(`${where}: must have value, owner and sets`);
    }
    knownKeys(build, keys, where);
    const value = intIn(build.value, `${where}.value`, 1, this.rules.maxBuild),
      owner = this.seat(build.owner, `${where}.owner`);
    const sets = ofKind(build.sets, `${where}.sets`, "list");
    sets.forEach((items, part) => this.cards(items, `${where}.sets[${part}]`, place, part));
    this.builds.push([value, owner, sets.length]);
  }

  /** @param {Record<string, any>} turn */
  turn(turn) {
    const [numbers, cards, sets] = [constant("_TURN_NUMBERS"), constant("_TURN_CARDS"), constant("_TURN_SETS")];
    knownKeys(turn, [...numbers, ...cards, ...Object.keys(sets)], "turn");
    for (const name of numbers) this.numbers[name] = numberOf(given(turn, name, this.numbers[name]), `turn.${name}`);
    for (const name of cards) if (Object.hasOwn(turn, name)) this.numbers[name] = cardOf(turn[name], `turn.${name}`);
    for (const [name, place] of Object.entries(sets)) this.cards(given(turn, name, []), `turn.${name}`, place);
  }

  /** @param {Record<string, any>} match */
  match(match) {
    knownKeys(match, constant("_MATCH_KEYS"), "match");
    const stream = given(match, "stream", "0");
    if (typeof stream !== "string" || !/^[0-9a-fA-F]{1,16}$/.test(stream)) {
      throw new PositionError(`match.stream: ${shortRepr(stream)}; it must be a string of 16 hexadecimal digits`);
    }
    Object.assign(this.numbers, { match: 1, deals: numberOf(given(match, "deals", 0), "match.deals") });
    this.stream = BigInt(`0x${stream}`);
  }

  /** @param {unknown} value @param {string} where @returns {number} */
  seat(value, where) {
    const { players } = this.rules;
    if (Number.isInteger(value) && Number(value) >= 0 && Number(value) < players) return Number(value) + 0;
    throw new PositionError(`${where}: seat ${shortRepr(value)} is out of range; seats are 0 to ${players - 1}`);
  }
}

/** The value of a key, else a default. @param {Record<string, any>} data @param {string} key @param {any} otherwise */
function given(data, key, otherwise) {
  return Object.hasOwn(data, key) && data[key] !== undefined ? data[key] : otherwise;
}

/** @param {unknown} text @param {string} where */
function cardOf(text, where) {
  if (typeof text !== "string") throw new PositionError(`${where}: ${shortRepr(text)} is not a card`);
  return within(where, () => parseCard(text), PositionError);
}

/** @param {unknown} value @param {string} where */
function numberOf(value, where) {
  return intIn(value, where, -constant("_LARGE"), constant("_LARGE"));
}

/** @param {unknown} data @returns {Rules} */
export function rulesFromJson(data) {
  if (!isObject(data)) throw new PositionError("a position must be a JSON object");
  knownKeys(data, constant("_KEYS"), "position");
  for (const key of constant("_REQUIRED")) if (!Object.hasOwn(data, key)) throw new PositionError(`${key}: missing`);
  if (typeof data.variant !== "string" || !Number.isInteger(data.players)) {
    throw new PositionError("variant must be a name and players a whole number");
  }
  return rulesOf(data.variant, data.players, given(data, "rules", {}));
}

/** Read a position; throw a PositionError if it is wrong. @param {unknown} data
 * @returns {{ record: Values, rules: Rules }} */
export function fromJson(data) {
  try {
    const rules = rulesFromJson(data);
    const read = new Reader(/** @type {Record<string, any>} */ (data), rules).read(),
      { record, found } = buildRecord(rules, read);
    refuse(found, rules);
    return { record, rules };
  } catch (error) {
    // errors of other classes are bugs in this program
    if (!(error instanceof Error) || (error.constructor !== Error && !(error instanceof PositionError))) throw error;
    throw new PositionError(error.message, { cause: error });
  }
}
