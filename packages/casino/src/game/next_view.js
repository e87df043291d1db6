/** A seat's next view after an action, for an app that knows one hand and does not deal. The action is played in a game
 * that agrees with the view and in which the deciding seat's hand allows it. The dealer, called the house, supplies
 * what the action reveals (Told). */

import { actionText, NO, parseAction, YES } from "./actions.js";
import { cardNames, cardsOf, countOf, maskOf, parseCard, without } from "./cards.js";
import { allowingHand, stateNumbers } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { IllegalActionError } from "./game.js";
import { validateRecord } from "./position.js";
import { filled, intIn, knownKeys, ofKind, oneLine, within } from "./validate.js";
import { gameOf, Sight, texts, viewOf } from "./views.js";

/** @import { Values } from "../kernels/kernels.js" */
/** @import { CardSet } from "./cards.js" */
/** @import { Game } from "./game.js" */
/** @import { Rules } from "./rules.js" */
/** @typedef {Record<string, any>} Data */
/**
 * Facts about an action that only the house knows.
 * @typedef {object} Told
 * @property {string[]} [dealt] cards dealt to the view's seat
 * @property {string[]} [tops] cards revealed on piles
 * @property {number | null} [owner] owner of the new build; null: not declared yet
 * @property {boolean} [take_build] whether a capture takes the build at once
 * @property {string[]} [layout] the table of a new deal
 * @property {number} [leader] the seat that leads the new deal
 */
/**
 * @typedef {object} Step
 * @property {Data} view
 * @property {number} seat the seat that decides next
 * @property {boolean} over
 * @property {number[]} legal the legal actions, if the view's seat decides next
 * @property {Game | null} game for the points that are known; null if the view forgets piles
 */

/** A fact that only the house knows is missing or impossible. */
export class ToldError extends Error {
  name = "ToldError";
}

/** The message for a refusal. @param {string} why @param {Record<string, any>} [words] */
const refusal = (why, words = {}) => filled(use().constant("views", "REFUSALS")[why], words);
/** @param {string} why @param {Record<string, any>} [words] */
const toldError = (why, words) => new ToldError(refusal(why, words));

/** The same seat's view after one action of any seat. Forced actions are not played: a view cannot know those of
 * others. Throws IllegalActionError if no possible hand allows the action, ToldError if a fact of Told is missing or
 * impossible, another error if the view is impossible. @param {unknown} view @param {string} action
 * @param {Told | null} [given] @returns {Step} */
export function nextView(view, action, given) {
  const { SORTING } = stateNumbers(), told = given ?? {};
  const sight = new Sight(view), { seat, memory } = sight, number = parseAction(action);
  readTold(told, sight.rules.players);
  const game = allowing(sight, number, told);
  const before = game.record.clone(), mode = () => game.record.get(0, "mode");
  const othersSort = game.seat !== seat && mode() === SORTING;
  game.apply(number);
  while (othersSort && mode() === SORTING) game.apply(game.legal()[0]); // the view does not see the order of the cards
  sayOwner(game, seat, before, told);
  const nextDeal = game.record.get(0, "deals") !== before.get(0, "deals") && !game.over;
  if (memory === "none" && (nextDeal || game.over)) throw toldError("forgotten");
  const after = viewOf(game, seat, { memory });
  if (nextDeal) newDeal(after, game.rules, told);
  else uncover(after, sight, told);
  deal(after, seat, game.record.get(0, "hands", seat), nextDeal ? 0 : before.get(0, "hands", seat), told);
  const mine = game.seat === seat;
  const reread = !game.over && (mine || told.dealt?.length) ? within("told", () => gameOf(after).game, ToldError)
    : null;
  return {
    view: after,
    seat: after.turn?.actor ?? after.to_move,
    over: game.over,
    legal: mine && reread ? reread.legal() : [],
    game: memory === "perfect" ? game : null,
  };
}

/** A game in which the deciding seat's hand allows the action. @param {Sight} sight @param {number} action
 * @param {Told} told */
function allowing(sight, action, told) {
  const record = sight.record(new Map(), use().constants("engine.flat_form").UNPROVEN), seat = record.get(0, "actor");
  if (seat === sight.seat) return sight.game(new Map(), { skipForced: false });
  const { NO_HAND, REFUSED, SAY_TAKE_BUILD, UNSAID } = use().constants("knowledge.sights");
  const took = typeof told.take_build === "boolean" ? Number(told.take_build) : UNSAID;
  const said = [took, told.owner === undefined ? UNSAID : 0];
  const { why, hand } = allowingHand(sight.view, sight.rules, sight.seat, action, said, record);
  if (why === NO_HAND) throw new IllegalActionError(refusal("no hand", { action: actionText(action), seat }));
  if (why === REFUSED) validateRecord(record, sight.rules, 2);
  if (why) throw toldError(why === SAY_TAKE_BUILD ? "take_build" : "owner", { seat });
  return sight.game(new Map([[seat, hand]]), { skipForced: false });
}

// --- what the house tells --------------------------------------------------------------------------------------------

/** @param {Data} told @param {number} players */
function readTold(told, players) {
  const kinds = use().constant("views", "TOLD");
  try {
    knownKeys(told, Object.keys(kinds), "told");
    for (const [key, value] of Object.entries(told)) {
      if (value !== undefined) checkTold(value, key, kinds[key], players);
    }
  } catch (error) {
    throw new ToldError(oneLine(error), { cause: error });
  }
}

/** Throw unless a value is of its kind, whether or not it is needed. @param {unknown} value @param {string} key
 * @param {string} kind @param {number} players */
function checkTold(value, key, kind, players) {
  if (value === null && kind.endsWith("?")) return;
  if (kind.startsWith("seat")) {
    intIn(value, key, 0, players - 1);
  } else if (kind.startsWith("bool")) {
    ofKind(value, key, "bool");
  } else {
    const cards = ofKind(value, key, "list");
    cards.forEach((card) => parseCard(ofKind(card, key, "text")));
    if (new Set(cards).size < cards.length) throw toldError("twice", { key });
  }
}

/** Apply the mover's declaration of the build's owner, made when completing it. @param {Game} game
 * @param {number} looks @param {Values} before @param {Told} told */
function sayOwner(game, looks, before, { owner }) {
  const mover = before.get(0, "to_move"), value = before.get(0, "open_value");
  if (owner === undefined || owner === null || mover === looks || !value) return;
  if (game.record.get(0, "mode") === stateNumbers().OWNER && [mover, (mover + 2) % 4].includes(owner))
    game.apply(owner === mover ? YES : NO);
  if (!((game.record.get(0, "owned", owner) >> value) & 1)) throw toldError("no owner", { owner, value });
}

/** Put the cards that lay under stolen tops on top. The view does not know the order of others' piles, so the house
 * names these cards. @param {Data} after @param {Sight} sight @param {Told} told */
function uncover(after, { piles, seat, rules }, told) {
  let tops = told.tops ?? [];
  piles.forEach((was, number) => {
    const now = after.piles[number];
    if (!Array.isArray(was) || !Array.isArray(now) || !now.length) return;
    const mine = tops.filter((card) => now.includes(card)), top = now[now.length - 1];
    tops = tops.filter((card) => !now.includes(card));
    const own = number === seat && !rules.shared_pile;
    const hidden = rules.stacking === "secret" && !own && was.length && !now.includes(was[was.length - 1])
      && was.includes(top);
    if (!hidden || now.length === 1) {
      const wrong = mine.find((card) => card !== top);
      if (wrong) throw toldError("wrong top", { card: wrong, pile: number, top });
    } else if (mine.length !== 1 || !was.includes(mine[0])) {
      throw toldError("which top", { pile: number });
    } else {
      after.piles[number] = [...now.filter((card) => card !== mine[0]), mine[0]];
    }
  });
  if (tops.length) throw toldError("no pile", { card: tops[0] });
}

/** Begin the next deal of a match: set the cards on the table, and the leader where the leader is drawn.
 * @param {Data} after @param {Rules} rules @param {Told} told */
function newDeal(after, rules, { layout = [], leader }) {
  if (layout.length !== rules.table_cards) {
    throw toldError("layout", { count: rules.table_cards });
  }
  const drawn = rules.next_leader === "drawn";
  const leads = leader ?? (drawn ? null : after.to_move);
  if (leads === null) throw toldError("drawn");
  if (!drawn && leads !== after.to_move) throw toldError("leads", { leader: leads, seat: after.to_move });
  delete after.leader;
  Object.assign(after, { layout: [...layout], to_move: leads }, leads ? { leader: leads } : {});
}

/** Replace the guessed cards of a new hand by those that the house dealt. @param {Data} after @param {number} seat
 * @param {CardSet} hand in the guessed game, new cards included @param {CardSet} kept before @param {Told} told */
function deal(after, seat, hand, kept, { dealt = [] }) {
  const got = without(hand, kept), count = countOf(got), stays = cardNames(cardsOf(without(hand, got)));
  if (dealt.length !== count) {
    throw toldError("dealt", { seat, cards: count === 1 ? "1 card" : `${count} cards`, count: dealt.length });
  }
  const seen = texts([stays, after.layout, after.builds, after.piles]);
  const twice = dealt.find((card) => seen.has(card));
  if (twice) throw toldError("in sight", { card: twice });
  after.hands[seat] = cardNames(cardsOf(maskOf([...stays, ...dealt].map(parseCard))));
}
