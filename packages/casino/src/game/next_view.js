/**
 * The next view of a seat after an action, for an app that knows one hand and does not deal.
 *
 * The action is done in a game that the view may be of, in which the seat that decides has cards that allow it. What
 * comes to light then is told by whoever deals (Told).
 */

import { actionText, NO, parseAction, YES } from "./actions.js";
import { cardNames, cardsOf, countOf, maskOf, parseCard, RANKS, without } from "./cards.js";
import { act, allows, legal, mayHold, needsOf, stateNumbers } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { IllegalActionError } from "./game.js";
import { PositionError, proveAction } from "./position.js";
import { knownKeys, ofKind, oneLine, shortRepr } from "./validate.js";
import { gameOf, Sight, texts, viewOf } from "./views.js";

/** @typedef {import("../kernels/kernels.js").Values} Values */
/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./cards.js").CardSet} CardSet */
/** @typedef {Record<string, any>} Data */
/**
 * What an app may have to be told of an action.
 * @typedef {object} Told
 * @property {string[]} [dealt] cards dealt to its seat
 * @property {string[]} [tops] cards that have come to light on piles
 * @property {number | null} [owner] whose the new build is; null: it has not been said yet
 * @property {boolean} [take_build] whether a capture takes the build at once
 * @property {string[]} [layout] the table of a new deal
 * @property {number} [leader] who leads it
 */
/**
 * @typedef {object} Step
 * @property {Data} view
 * @property {number} seat who decides next
 * @property {boolean} over
 * @property {number[]} legal of the seat that looks, if it is the one
 * @property {Game | null} game what is known of points; null if the view forgets piles
 */

const TOLD = ["dealt", "tops", "owner", "take_build", "layout", "leader"];

/** What the house alone knows of an action is missing, or cannot be. */
export class ToldError extends Error {
  name = "ToldError";
}

/**
 * The view of the same seat after one action, its own or another seat's; nothing is played on, since a view does not
 * know what others are forced to. IllegalActionError: no cards that the seat may have allow it; ToldError: something of
 * Told is missing, or cannot be; other errors: no such view.
 * @param {unknown} view
 * @param {string} action
 * @param {Told} [told]
 * @returns {Step}
 */
export function nextView(view, action, told = {}) {
  const { SORTING } = stateNumbers();
  readTold(told);
  const sight = new Sight(view), { seat, memory } = sight, number = parseAction(action);
  const game = allowing(sight, number, told);
  const before = game.record.clone(), mode = () => game.record.get(0, "mode");
  const othersSort = game.seat !== seat && mode() === SORTING;
  game.apply(number);
  while (othersSort && mode() === SORTING) game.apply(game.legal()[0]); // who looks on does not see one by one
  sayOwner(game, seat, before, told);
  const nextDeal = game.record.get(0, "deals") !== before.get(0, "deals") && !game.over;
  if (memory === "none" && (nextDeal || game.over)) {
    throw new ToldError("piles: the deal is over, and its points follow from cards that this view does not name: go on with a new view");
  }
  const after = viewOf(game, seat, { memory });
  if (nextDeal) newDeal(after, game.rules, told);
  else uncover(after, sight, told);
  deal(after, seat, game.record.get(0, "hands", seat), nextDeal ? 0 : before.get(0, "hands", seat), told);
  const mine = game.seat === seat;
  const reread = !game.over && (mine || told.dealt?.length) ? dealtGame(after) : null;
  return {
    view: after,
    seat: after.turn?.actor ?? after.to_move,
    over: game.over,
    legal: mine && reread ? reread.legal() : [],
    game: memory === "perfect" ? game : null,
  };
}

/** @param {Data} after */
function dealtGame(after) {
  try {
    return gameOf(after).game;
  } catch (error) {
    throw new ToldError(`told: ${oneLine(error)}`, { cause: error });
  }
}

// --- a game in which the seat that decides has cards for the action -------------------------------------------------

/**
 * What follows from an action and shows, although it depends on the rest of the hand.
 * @typedef {object} Outcome
 * @property {boolean} asked whose the new build is
 * @property {boolean} took a capture takes the build at once, since it is the last card for it
 * @property {string} owned
 */

/** @param {Sight} sight @param {number} action @param {Told} told */
function allowing(sight, action, told) {
  const record = sight.record(new Map(), use().constant("position", "UNPROVEN")), seat = record.get(0, "actor");
  if (sight.size(seat) === null) return sight.game(new Map(), { skipForced: false });
  const worlds = new Hands(sight, record, seat, action).worlds();
  if (!worlds.length) throw new IllegalActionError(`${actionText(action)} is illegal for seat ${seat}: no cards that it may have allow it`);
  const [one, other] = [worlds[0], worlds[worlds.length - 1]];
  let world = one;
  if (one.outcome.took !== other.outcome.took) {
    if (typeof told.take_build !== "boolean") {
      throw new ToldError(`take_build: seat ${seat} may have another card for its build or not; say whether this capture takes the build at once (true or false)`);
    }
    world = one.outcome.took === told.take_build ? one : other;
  } else if (one !== other) {
    if (told.owner === undefined) {
      throw new ToldError(`owner: seat ${seat} may build for itself or for its partner; say whose the new build is, or null as long as it has not said`);
    }
    world = one.outcome.asked ? one : other;
  }
  return sight.game(new Map([[seat, world.hand]]), { skipForced: false });
}

/**
 * The cards that the seat that decides may have: all that are not in sight, but for those that others must have. The
 * more of them the more it may do, so the action is tried with all of them, and with as few as it takes.
 */
class Hands {
  /** @param {Sight} sight @param {Values} record @param {number} seat @param {number} action */
  constructor(sight, record, seat, action) {
    const { rules, view } = sight;
    this.record = record;
    this.rules = rules;
    this.seat = seat;
    this.size = sight.size(seat) ?? 0;
    this.action = action;
    /** @type {CardSet} */
    this.all = mayHold(view, rules, sight.seat, seat, action);
    /** @type {CardSet} */
    this.shown = view.get(0, "hands", seat);
    this.needs = needsOf(view, rules, seat);
    this.record.set(0, "stock_top", -1);
    this.record.set(0, "hidden_stock", sight.stock);
    proveAction(this.with(this.all), rules);
  }

  /** @param {CardSet} hand */
  with(hand) {
    this.record.set(0, "hands", hand, this.seat);
    return this.record;
  }

  /** A hand for each outcome that there may be. */
  worlds() {
    if (!this.allows(this.all)) return [];
    const least = this.least(this.all, (hand) => this.allows(hand));
    const [one, other] = [this.outcome(least), this.outcome(this.all)];
    const starts = sameOutcome(one, other) ? [{ outcome: one, start: this.all }] : [{ outcome: one, start: least }, { outcome: other, start: this.all }];
    return starts.flatMap(({ outcome, start }) => {
      const hand = this.hand(start, outcome);
      return hand === null ? [] : [{ outcome, hand }];
    });
  }

  /** One of the right size with which this follows. @param {CardSet} start @param {Outcome} outcome */
  hand(start, outcome) {
    let hand = this.least(start, (cards) => this.allows(cards) && sameOutcome(this.outcome(cards), outcome));
    for (const card of cardsOf(without(this.all, hand))) {
      const more = hand + 2 ** card;
      if (countOf(hand) < this.size && sameOutcome(this.outcome(more), outcome)) hand = more;
    }
    return countOf(hand) === this.size ? hand : null;
  }

  /** Without any card that could be missing: first whole ranks. @param {CardSet} hand @param {(hand: CardSet) => boolean} fits */
  least(hand, fits) {
    for (const part of [...Array.from(RANKS, (_, rank) => 15 * 16 ** rank), ...cardsOf(hand).map((card) => 2 ** card)]) {
      const fewer = without(hand, part);
      if (fewer !== hand && fits(fewer)) hand = fewer;
    }
    return hand;
  }

  /** @param {CardSet} hand */
  allows(hand) {
    const beside = new Array(this.needs.length).fill(0);
    for (const card of cardsOf(without(hand, this.shown))) beside[(card >> 2) + 1]++;
    if (without(this.shown, hand) || this.needs.some((need, rank) => beside[rank] < need)) return false;
    if (!allows(legal(this.with(hand), this.rules), this.action)) return false;
    try {
      proveAction(this.record, this.rules);
      return true;
    } catch (error) {
      if (error instanceof PositionError) return false;
      throw error;
    }
  }

  /** @param {CardSet} hand @returns {Outcome} */
  outcome(hand) {
    const after = this.with(hand).clone(), builds = (/** @type {Values} */ of) => of.list(0, "owned").reduce((all, some) => all | some, 0);
    act(after, this.rules, this.action);
    if (after.get(0, "turns") !== this.record.get(0, "turns")) return { asked: false, took: false, owned: "" };
    const fewer = countOf(builds(after)) < countOf(builds(this.record));
    return {
      asked: after.get(0, "mode") === stateNumbers().OWNER,
      took: Boolean(after.get(0, "take_build")) || fewer,
      owned: after.list(0, "owned").join(),
    };
  }
}

/** @param {Outcome} one @param {Outcome} other */
function sameOutcome(one, other) {
  return one.asked === other.asked && one.took === other.took && one.owned === other.owned;
}

/** @param {string[]} names */
function setOf(names) {
  return maskOf(names.map(parseCard));
}

// --- what the house tells --------------------------------------------------------------------------------------------

/** @param {unknown} told */
function readTold(told) {
  try {
    const data = ofKind(told, "told", "dict");
    knownKeys(data, TOLD, "told");
    for (const key of ["dealt", "tops", "layout"]) {
      const cards = ofKind(data[key] === undefined ? [] : data[key], key, "list");
      cards.forEach((card) => parseCard(ofKind(card, key, "text")));
      if (new Set(cards).size < cards.length) throw new Error(`${key}: a card is named twice`);
    }
  } catch (error) {
    throw new ToldError(oneLine(error), { cause: error });
  }
}

/** The mover has said whose the build is in one go with completing it. */
/** @param {Game} game @param {number} looks @param {Values} before @param {Told} told */
function sayOwner(game, looks, before, { owner }) {
  const mover = before.get(0, "to_move"), value = before.get(0, "open_value");
  if (owner === undefined || owner === null || mover === looks || !value) return;
  if (game.record.get(0, "mode") === stateNumbers().OWNER && [mover, (mover + 2) % 4].includes(owner)) game.apply(owner === mover ? YES : NO);
  const owns = Number.isInteger(owner) && owner >= 0 && owner < game.rules.players && (game.record.get(0, "owned", owner) >> value) & 1;
  if (!owns) throw new ToldError(`owner: ${shortRepr(owner)}; the build of ${value} cannot be of that seat`);
}

/**
 * What lay under stolen tops has come to light. In which order others have laid their cards is not known, so the house
 * says which card it is.
 * @param {Data} after
 * @param {Sight} sight
 * @param {Told} told
 */
function uncover(after, { piles, seat, rules }, told) {
  let tops = told.tops ?? [];
  piles.forEach((was, number) => {
    const now = after.piles[number];
    if (!Array.isArray(was) || !Array.isArray(now) || !now.length) return;
    const mine = tops.filter((card) => now.includes(card)), top = now[now.length - 1];
    tops = tops.filter((card) => !now.includes(card));
    const own = number === seat && !rules.shared_pile;
    const hidden = rules.stacking === "secret" && !own && was.length && !now.includes(was[was.length - 1]) && was.includes(top);
    if (!hidden || now.length === 1) {
      const wrong = mine.find((card) => card !== top);
      if (wrong) throw new ToldError(`tops: ${wrong} does not lie on top of pile ${number}; ${top} does`);
    } else if (mine.length !== 1 || !was.includes(mine[0])) {
      throw new ToldError(`tops: a card of pile ${number} has been taken; say which one of it lies on top now`);
    } else {
      after.piles[number] = [...now.filter((card) => card !== mine[0]), mine[0]];
    }
  });
  if (tops.length) throw new ToldError(`tops: ${tops[0]} lies in no pile`);
}

/** The next deal of a match: the cards on the table, and who leads where that is drawn. */
/** @param {Data} after @param {Rules} rules @param {Told} told */
function newDeal(after, rules, { layout = [], leader }) {
  if (layout.length !== rules.table_cards) {
    throw new ToldError(`layout: a new deal begins with ${rules.table_cards} cards on the table; say which, the first first`);
  }
  const drawn = rules.next_leader === "drawn";
  const leads = leader === undefined && !drawn ? after.to_move : leader ?? null;
  if (!Number.isInteger(leads) || leads < 0 || leads >= rules.players) {
    throw new ToldError(`leader: ${shortRepr(leads)}; the leader of the new deal is drawn: say its seat`);
  }
  if (!drawn && leads !== after.to_move) throw new ToldError(`leader: ${leads}; seat ${after.to_move} leads the new deal`);
  delete after.leader;
  Object.assign(after, { layout: [...layout], to_move: leads }, leads ? { leader: leads } : {});
}

/** The cards that the seat gets with this action. hand: of the game, in which others have been dealt. */
/** @param {Data} after @param {number} seat @param {CardSet} hand @param {CardSet} kept @param {Told} told */
function deal(after, seat, hand, kept, { dealt = [] }) {
  const got = without(hand, kept), count = countOf(got), stays = cardNames(cardsOf(without(hand, got)));
  if (dealt.length !== count) {
    throw new ToldError(`dealt: seat ${seat} gets ${count} card${count === 1 ? "" : "s"} with this, not ${dealt.length}; say which`);
  }
  const seen = texts([stays, after.layout, after.builds, after.piles]);
  const twice = dealt.find((card) => seen.has(card));
  if (twice) throw new ToldError(`dealt: ${twice} lies in sight already`);
  after.hands[seat] = cardNames(cardsOf(setOf([...stays, ...dealt])));
}
