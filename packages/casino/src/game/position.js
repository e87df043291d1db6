/**
 * Position JSON: a game at any moment as plain data, checked on the way in.
 *
 * Beside the keys of the fixed format a position may carry, where they differ from their defaults: `leader`, `sweeps`
 * (by side), `turns` (finished in this deal), `turn` (the fields of a turn that has begun), `match` (how many deals are
 * finished, and the state of the random stream that deals the next) and `winner` (the side, or null if it is shared, of
 * a match that is over and of a deal that was ended by counting out).
 */

import { cardName, cardNames, CARDS, cardsOf, countOf, hasCard, maskOf, parseCard, union } from "./cards.js";
import { emptyRecord, endTable, stateNumbers } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { rulesOf } from "./rules.js";
import { intIn, isObject, knownKeys, ofKind, oneLine, shortRepr } from "./validate.js";
import { limits, proveAction, validateFields } from "./validate_position.js";

/** @typedef {import("../kernels/kernels.js").Values} Values */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {{ value: number, owner: number, sets: string[][] }} Build */
/**
 * @typedef {object} Position
 * @property {string} variant
 * @property {number} players
 * @property {Record<string, any>} rules switches that differ from the preset
 * @property {number} round
 * @property {number} to_move
 * @property {string[][]} hands
 * @property {string[]} layout in the order in which they were laid
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

/** A position that cannot be: says where and what would be right. */
export class PositionError extends Error {
  name = "PositionError";
}

/** @param {string} name @returns {any} */
const constant = (name) => use().constant("position", name);
const HIGHEST = 14;

/** The fields of a turn that are numbers. @returns {string[]} */
function turnFields() {
  const { OPEN, TURN } = use().facts.constants.validate_position;
  const others = [...constant("_TURN_CARDS"), ...constant("_TURN_SETS"), "open_count"];
  return ["mode", "actor", ...Object.keys({ ...TURN, ...OPEN }).filter((name) => !others.includes(name))];
}

// --- builds and piles of a record as lists -----------------------------------------------------------------------------

/** A linked list of cards, bottom first. @param {Values} game @param {number} top */
export function chain(game, top) {
  const cards = [];
  for (let card = top; card >= 0 && cards.length < CARDS; card = game.get(0, "below", card)) cards.push(card);
  return cards.reverse();
}

/** Loose cards in the order in which they were laid. @param {Values} game @param {number} mask */
export function byTime(game, mask) {
  const laid = (/** @type {number} */ card) => game.get(0, "laid", card);
  return cardsOf(mask).sort((one, two) => laid(one) - laid(two) || one - two);
}

/** The sets of a build in the order in which they were laid, cards bottom first. @param {Values} game @param {number} value */
export function buildSets(game, value) {
  /** @type {number[][]} */
  const sets = [];
  for (const card of chain(game, game.get(0, "build_top", value))) {
    if (hasCard(game.get(0, "starts"), card) || !sets.length) sets.push([]);
    sets[sets.length - 1].push(card);
  }
  return sets;
}

/** @param {number} bits */
function values(bits) {
  return Array.from({ length: HIGHEST }, (_, i) => i + 1).filter((value) => (bits >> value) & 1);
}

// --- out -----------------------------------------------------------------------------------------------------------

/** @param {Values} game @param {Rules} rules @returns {Position} */
export function toJson(game, rules) {
  const { players, sides } = rules;
  const number = (/** @type {string} */ name) => game.get(0, name);
  const perSeat = (/** @type {(seat: number) => any} */ what) => Array.from({ length: players }, (_, seat) => what(seat));
  /** @type {Position} */
  const out = {
    variant: rules.name,
    players,
    rules: rules.differences(),
    round: number("round"),
    to_move: number("to_move"),
    hands: perSeat((seat) => cardNames(cardsOf(game.get(0, "hands", seat)))),
    layout: cardNames(byTime(game, number("layout"))),
    builds: buildsJson(game, players),
    piles: perSeat((seat) => cardNames(chain(game, game.get(0, "pile_top", seat)))),
    stock: cardNames(chain(game, number("stock_top"))),
    proven: perSeat((seat) => values(game.get(0, "proven", seat))),
    last_capture: number("last_capture") < 0 ? null : number("last_capture"),
    match_score: game.list(0, "match_score").slice(0, sides),
  };
  const sweeps = game.list(0, "sweeps").slice(0, sides);
  if (sweeps.some(Boolean)) out.sweeps = sweeps;
  if (number("leader")) out.leader = number("leader");
  if (number("turns")) out.turns = number("turns");
  const turn = turnJson(game);
  if (Object.keys(turn).length) out.turn = turn;
  if (number("match")) out.match = { deals: number("deals"), stream: BigInt(number("rng")).toString(16).padStart(16, "0") };
  const over = number("mode") === stateNumbers().OVER;
  if (over && (number("match") || game.list(0, "hands").some(Boolean))) out.winner = number("winner") >= 0 ? number("winner") : null;
  return out;
}

/** @param {Values} game @param {number} players @returns {Build[]} */
function buildsJson(game, players) {
  /** @type {Record<number, number>} */
  const owners = {};
  for (let seat = 0; seat < players; seat++) for (const value of values(game.get(0, "owned", seat))) owners[value] = seat;
  return Object.entries(owners).map(([value, owner]) => {
    return { value: Number(value), owner, sets: buildSets(game, Number(value)).map(cardNames) };
  });
}

/** The fields of a turn that has begun which differ from those of a fresh one. @param {Values} game */
function turnJson(game) {
  /** @type {Record<string, any>} */
  const out = {};
  if (game.get(0, "mode") === stateNumbers().OVER) return out;
  const fresh = emptyRecord(game.get(0, "to_move"));
  const differs = (/** @type {string} */ name) => game.get(0, name) !== fresh.get(0, name);
  for (const name of turnFields()) if (differs(name)) out[name] = game.get(0, name);
  for (const name of constant("_TURN_CARDS")) if (differs(name)) out[name] = cardName(game.get(0, name));
  for (const name of constant("_TURN_SETS")) if (game.get(0, name)) out[name] = cardNames(cardsOf(game.get(0, name)));
  const count = game.get(0, "open_count");
  if (count) out.open_cards = cardNames(game.list(0, "open_cards").slice(0, count));
  return out;
}

// --- in ------------------------------------------------------------------------------------------------------------

/** Nothing, as Python sees it. @param {unknown} value */
function isEmpty(value) {
  return !value || (Array.isArray(value) && !value.length) || (isObject(value) && !Object.keys(value).length);
}

/** Puts the cards of a position into a record and refuses what cannot be. */
class Reader {
  /** @type {Map<number, string>} */
  #seen = new Map();

  /** @param {Record<string, any>} data @param {Rules} rules */
  constructor(data, rules) {
    this.data = data;
    this.rules = rules;
    this.game = emptyRecord(seatOf(data.to_move ?? (data.to_move === undefined ? 0 : null), "to_move", rules.players));
    this.deck = rules.record.get(0, "deck");
    this.numeric = rules.record.get(0, "numeric");
  }

  /** @param {unknown} text @param {string} where */
  card(text, where) {
    if (typeof text !== "string") throw new PositionError(`${where}: ${shortRepr(text)} is not a card`);
    const card = within(where, () => parseCard(text));
    if (!hasCard(this.deck, card)) throw new PositionError(`${where}: ${text} is not in the deck of ${this.rules.deck} cards`);
    if (this.#seen.has(card)) throw new PositionError(`${where}: ${text} is already in ${this.#seen.get(card)}`);
    this.#seen.set(card, where);
    return card;
  }

  /** @param {unknown} items @param {string} where */
  cards(items, where) {
    if (!Array.isArray(items)) throw new PositionError(`${where}: must be a list of cards`);
    return items.map((text) => this.card(text, where));
  }

  /** @param {string} key @returns {unknown[]} */
  perSeat(key) {
    const { players } = this.rules;
    const items = isEmpty(this.data[key]) ? Array.from({ length: players }, () => []) : this.data[key];
    if (!Array.isArray(items) || items.length !== players) {
      throw new PositionError(`${key}: must be a list of ${players} lists, one a seat`);
    }
    return items;
  }

  /** @param {number[]} cards @param {string} field @param {number} index */
  stack(cards, field, index) {
    let top = -1;
    for (const card of cards) {
      this.game.set(0, "below", top, card);
      top = card;
    }
    this.game.set(0, field, top, index);
  }

  /** @param {string} field @param {number[]} cards @param {number} [index] */
  include(field, cards, index = 0) {
    this.game.set(0, field, union(this.game.get(0, field, index), maskOf(cards)), index);
  }

  read() {
    const { game, rules, data } = this;
    if (isEmpty(data.hands)) throw new PositionError("hands: missing; give a list of cards for each seat");
    this.perSeat("hands").forEach((hand, seat) => this.include("hands", this.cards(hand, `hands[${seat}]`), seat));
    this.cards(given(data, "layout", []), "layout").forEach((card, order) => {
      this.include("layout", [card]);
      game.set(0, "laid", order, card);
    });
    game.set(0, "laid_next", countOf(game.get(0, "layout")));
    ofKind(given(data, "builds", []), "builds", "list").forEach((build, number) => this.build(build, `builds[${number}]`));
    this.perSeat("piles").forEach((pile, seat) => {
      const cards = this.cards(pile, `piles[${seat}]`);
      if (cards.length && rules.shared_pile && seat >= 2) {
        throw new PositionError(`piles[${seat}]: partners share a pile; list it under seat ${seat - 2}`);
      }
      this.stack(cards, "pile_top", seat);
      this.include("piles", cards, seat);
      this.include("starts", cards); // no batch is known: every card is one of its own
    });
    this.stack(this.cards(given(data, "stock", []), "stock"), "stock_top", 0);
    this.scalars();
    return game;
  }

  /** @param {any} build @param {string} where */
  build(build, where) {
    const { game, rules } = this;
    const keys = constant("_BUILD_KEYS");
    if (!isObject(build) || keys.some((/** @type {string} */ key) => !Object.hasOwn(build, key))) {
      throw new PositionError(`${where}: must have value, owner and sets`);
    }
    knownKeys(build, keys, where);
    const value = intIn(build.value, `${where}.value`, 1, rules.maxBuild);
    const owner = seatOf(build.owner, `${where}.owner`, rules.players);
    if (game.get(0, "build_top", value) >= 0) throw new PositionError(`${where}: a second build of value ${value}`);
    /** @type {number[]} */
    const cards = [];
    const sets = ofKind(build.sets, `${where}.sets`, "list");
    sets.forEach((items, number) => {
      const mine = this.cards(items, `${where}.sets[${number}]`);
      this.checkSum(mine, value, `${where}.sets[${number}]`);
      this.include("starts", [mine[0]]);
      cards.push(...mine);
    });
    const unfinished = isObject(this.data.turn) ? this.data.turn.unfinished : undefined; // still a lone base
    if (cards.length < 2 && value !== unfinished) throw new PositionError(`${where}: a build has two cards or more`);
    this.stack(cards, "build_top", value);
    game.set(0, "build_cards", maskOf(cards), value);
    game.set(0, "build_sets", sets.length, value);
    game.set(0, "owned", game.get(0, "owned", owner) | (1 << value), owner);
  }

  /** @param {number[]} cards @param {number} value @param {string} where */
  checkSum(cards, value, where) {
    if (!cards.length) throw new PositionError(`${where}: is empty`);
    for (const card of cards) {
      if (!hasCard(this.numeric, card)) throw new PositionError(`${where}: ${cardName(card)} has no value in ${this.rules.name}`);
    }
    const total = cards.reduce((sum, card) => sum + (card >> 2) + 1, 0);
    if (total !== value && !(value === HIGHEST && cards.length === 1 && cards[0] < 4)) {
      throw new PositionError(`${where}: ${cardNames(cards).join(" ")} sum to ${total}, not ${value}`);
    }
  }

  scalars() {
    const { game, rules, data } = this;
    game.set(0, "round", intIn(given(data, "round", 1), "round", 1, use().constant("validate_position", "MOST_ROUNDS") - (data.stock?.length ?? 0)));
    this.perSeat("proven").forEach((numbers, seat) => {
      for (const value of ofKind(numbers, `proven[${seat}]`, "list")) {
        const bit = 1 << intIn(value, `proven[${seat}]`, 1, rules.maxBuild);
        game.set(0, "proven", game.get(0, "proven", seat) | bit, seat);
      }
    });
    const last = data.last_capture ?? null;
    game.set(0, "last_capture", last === null ? -1 : seatOf(last, "last_capture", rules.players));
    for (const [key, low] of /** @type {[string, number][]} */ ([["match_score", -30_000], ["sweeps", 0]])) {
      const numbers = ofKind(isEmpty(data[key]) ? new Array(rules.sides).fill(0) : data[key], key, "list");
      if (numbers.length !== rules.sides) throw new PositionError(`${key}: must have ${rules.sides} numbers, one a side`);
      numbers.forEach((number, side) => game.set(0, key, intIn(number, `${key}[${side}]`, low, -low || 99), side));
    }
    game.set(0, "leader", seatOf(given(data, "leader", 0), "leader", rules.players));
    game.set(0, "turns", intIn(given(data, "turns", 0), "turns", 0, 52));
    this.turn(given(data, "turn", {}));
    if (Object.hasOwn(data, "match")) this.match(data.match);
  }

  /** @param {unknown} match */
  match(match) {
    if (!isObject(match)) throw new PositionError("match: must be an object");
    knownKeys(match, constant("_MATCH_KEYS"), "match");
    const stream = given(match, "stream", "0");
    if (typeof stream !== "string" || !/^[0-9a-fA-F]{1,16}$/.test(stream)) {
      throw new PositionError(`match.stream: ${shortRepr(stream)}; it must be a text of 16 hexadecimal digits`);
    }
    this.game.set(0, "match", 1);
    this.game.set(0, "deals", intIn(given(match, "deals", 0), "match.deals", 0, 30_000));
    this.game.set(0, "rng", BigInt(`0x${stream}`));
  }

  /** @param {unknown} turn */
  turn(turn) {
    if (!isObject(turn)) throw new PositionError("turn: must be an object");
    const { game } = this;
    const { IDLE, BUNDLE, OPEN_CARDS } = stateNumbers();
    const [numbers, cards, sets] = [turnFields(), constant("_TURN_CARDS"), constant("_TURN_SETS")];
    knownKeys(turn, [...numbers, ...cards, ...sets, "open_cards"], "turn");
    /** @type {Record<string, [number, number]>} */
    const between = { ...limits(this.rules), mode: [IDLE, BUNDLE] };
    const has = (/** @type {string} */ name) => Object.hasOwn(turn, name);
    for (const name of numbers.filter(has)) game.set(0, name, intIn(turn[name], `turn.${name}`, ...between[name]));
    for (const name of cards.filter(has)) game.set(0, name, this.turnCards([turn[name]], name)[0]);
    for (const name of sets.filter(has)) game.set(0, name, maskOf(this.turnCards(turn[name], name)));
    const opened = this.turnCards(given(turn, "open_cards", []), "open_cards");
    if (opened.length > OPEN_CARDS) throw new PositionError(`turn.open_cards: no set has more than ${OPEN_CARDS} cards`);
    game.set(0, "open_count", opened.length);
    opened.forEach((card, i) => game.set(0, "open_cards", card, i));
  }

  /** Cards that lie somewhere already. @param {unknown} items @param {string} name @returns {number[]} */
  turnCards(items, name) {
    const known = new Map(cardsOf(this.deck).map((card) => [cardName(card), card]));
    const texts = ofKind(items, `turn.${name}`, "list");
    if (texts.some((text) => !known.has(text))) throw new PositionError(`turn.${name}: ${shortRepr(texts)} are not cards of the deck`);
    return texts.map((text) => known.get(text) ?? 0);
  }
}

/** What stands under a key, else a default. @param {Record<string, any>} data @param {string} key @param {any} otherwise */
function given(data, key, otherwise) {
  return Object.hasOwn(data, key) ? data[key] : otherwise;
}

/** @param {unknown} value @param {string} where @param {number} players @returns {number} */
function seatOf(value, where, players) {
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) >= players) {
    throw new PositionError(`${where}: seat ${shortRepr(value)} is out of range; seats are 0 to ${players - 1}`);
  }
  return Number(value);
}

/** @template T @param {string} where @param {() => T} what @returns {T} */
function within(where, what) {
  try {
    return what();
  } catch (error) {
    throw new PositionError(`${where}: ${oneLine(error)}`, { cause: error });
  }
}

/** @param {unknown} data @returns {Rules} */
export function rulesFromJson(data) {
  if (!isObject(data)) throw new PositionError("a position is a JSON object");
  knownKeys(data, constant("_KEYS"), "position");
  for (const key of constant("_REQUIRED")) if (!Object.hasOwn(data, key)) throw new PositionError(`${key}: missing`);
  if (typeof data.variant !== "string" || !Number.isInteger(data.players)) {
    throw new PositionError("variant must be a name and players a whole number");
  }
  return rulesOf(data.variant, data.players, isEmpty(data.rules) ? {} : data.rules);
}

/** A record and its rules; whatever is wrong is a PositionError. @param {unknown} data @returns {{ record: Values, rules: Rules }} */
export function fromJson(data) {
  const { record, rules } = unproven(data);
  asPositionError(() => proveAction(record, rules));
  return { record, rules };
}

/** The same, whether or not the hands allow what is open in the turn. @param {unknown} data @returns {{ record: Values, rules: Rules }} */
export function unproven(data) {
  return asPositionError(() => {
    const rules = rulesFromJson(data);
    const position = /** @type {Record<string, any>} */ (data);
    const record = new Reader(position, rules).read();
    settle(record, rules, position);
    validateFields(record, rules);
    return { record, rules };
  });
}

/** @template T @param {() => T} what @returns {T} */
function asPositionError(what) {
  try {
    return what();
  } catch (error) {
    // an error of another kind is one of this program
    if (!(error instanceof Error) || (error.constructor !== Error && !(error instanceof PositionError))) throw error;
    throw new PositionError(error.message, { cause: error });
  }
}

/** Whether it is over, and who has won. @param {Values} game @param {Rules} rules @param {Record<string, any>} data */
function settle(game, rules, data) {
  const { SORTING, IDLE } = stateNumbers();
  const mode = game.get(0, "mode");
  const held = game.list(0, "hands").some(Boolean);
  const mover = game.get(0, "to_move");
  if (Object.hasOwn(data, "winner")) won(game, rules, data.winner, held);
  else if (!held && !game.get(0, "played") && mode !== SORTING) finished(game, rules);
  else if (mode === IDLE && !game.get(0, "acted") && !game.get(0, "hands", mover)) {
    throw new PositionError(`to_move: seat ${mover} has no card to play`);
  }
}

/** A match that is over, or a deal in which somebody has counted out. */
/** @param {Values} game @param {Rules} rules @param {unknown} winner @param {boolean} held */
function won(game, rules, winner, held) {
  if (!game.get(0, "match") && !(rules.count_out && held)) {
    throw new PositionError("winner: it follows from the piles; only a match, or a deal that was counted out, says it");
  }
  game.set(0, "winner", winner === null ? -2 : intIn(winner, "winner", 0, rules.sides - 1));
  game.set(0, "mode", stateNumbers().OVER);
}

/** No card in any hand: the deal is over, and the last capturer takes what is left. @param {Values} game @param {Rules} rules */
function finished(game, rules) {
  if (game.get(0, "stock_top") >= 0) throw new PositionError("hands: all are empty although cards are left in the stock; deal them");
  if (game.get(0, "match")) {
    throw new PositionError("hands: all are empty; a match goes on with the next deal, or it has a winner (or null)");
  }
  game.set(0, "mode", stateNumbers().OVER);
  endTable(game, rules);
}
