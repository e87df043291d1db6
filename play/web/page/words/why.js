// Explain why a move is illegal, by the one rule that forbids it.
//
// Wrong sums are found by counting. Otherwise the rules are lifted one after the other: the first one without which the
// move is legal is the rule that forbids it.

import { cardName, cardsOf, hasCard, parseCard } from "../casino/src/game/cards.js";
import { cardArg, rankArg, say } from "./message.js";
import { partition } from "./facts.js";

/** @import { Message } from "./message.js" */
/** @import { Look } from "./look.js" */
/** @import { Names } from "./names.js" */
/** @typedef {{ [field: string]: any }} Change */

const FREE = { owner_discard: "always", build_limit: 0 };
// Changes that lift a rule, and the message if that helps. Keeping cards for builds comes last: it lifts others too.
/** @type {[Change, string][]} */
const LIFTED = [
  [{ insist_capture: "never" }, "insist_capture"],
  [{ insist_augment: "never" }, "insist_augment"],
  [{ new_builds: "with_hand" }, "new_builds.by_hand"],
  [{ new_builds: "free" }, "new_builds"],
  [{ add_to_partner: true }, "add_to_partner"],
  [{ raise_limit: "none" }, "raise_limit"],
  [{ owner_top: true }, "owner_top"],
  [{ tops_in_sums: true }, "tops_in_sums"],
  [{ chain: "sets" }, "chain.one"],
  [{ chain: "all" }, "chain"],
  [{ owner_discard: "always" }, "owner_discard"],
  [{ build_limit: 0 }, "build_limit"],
  [{ capture_tops: true }, "capture_tops"],
  [{ pile_capture_needs_table_card: false }, "pile_capture_needs_table_card"],
  [{ multi_capture: true }, "multi_capture"],
  [{ raise_by: "anyone" }, "raise_by"],
  [{ raise_with_table: true, equal_builds: "join" }, "raise_with_table"],
  [{ use_discard_same_turn: true }, "use_discard_same_turn"],
  [{ second_build_in_turn: true }, "second_build_in_turn"],
  [{ raise_or_add: false }, "raise_or_add"],
  [{ no_return: false }, "no_return"],
  [{ steal: "augment" }, "steal"],
  [{ keep_backing: false, partner_builds: false, partner_request: "off", ...FREE }, "keep_backing"],
];

/** The tokens that somebody would like to use, and the possible moves. @typedef {object} Wish
 * @property {Look} look
 * @property {any} rules
 * @property {Names} names
 * @property {number} numeric set of cards that have a value in sums
 * @property {string[]} tokens
 * @property {string} wanted "discard", "end", or "" for any use
 * @property {(change: Change | null) => { do: string, tokens: string[] }[]} moves returns the moves under changed
 *   rules; none if the change is no change, or is not playable
 */

/** Chosen cards and builds by place. @typedef {{ hand: number[], table: number[], builds: number[] }}
 * Sorted */

/** Explain why the wish is illegal; null if it is legal. @param {Wish} wish @returns {Message | null} */
export function whyNot(wish) {
  const sorted = sort(wish);
  if (can(wish.moves(null), wish)) return null;
  return counted(wish, sorted) ?? lifted(wish, sorted) ?? say("why.general");
}

/** @param {Wish} wish @returns {Sorted} */
function sort({ look, tokens }) {
  const hand = look.num("hands", look.actor), cards = [], builds = [];
  for (const token of tokens) {
    const built = /^b(\d{1,2})$/.exec(token);
    if (built) {
      const value = Number(built[1]);
      if (value < 1 || value > 14 || look.num("build_top", value) < 0)
        throw new Error(`${token}: no such build`);
      builds.push(value);
    } else {
      cards.push(parseCard(token));
    }
  }
  return { hand: cards.filter((card) => hasCard(hand, card)), table: cards.filter((card) => !hasCard(hand, card)),
    builds };
}

/** @param {{ do: string, tokens: string[] }[]} found @param {Wish} wish */
const can = (found, wish) =>
  found.some((move) => wish.tokens.every((token) => move.tokens.includes(token))
    && (wish.wanted === "" || wish.wanted === move.do));

// --- lifting rules ---------------------------------------------------------------------------------------------------

/** @param {Wish} wish @param {Sorted} sorted @returns {Message | null} */
function lifted(wish, { hand }) {
  for (const [change, key] of LIFTED) {
    if (!can(wish.moves(change), wish)) continue;
    if (key === "insist_capture")
      return say(`why.rule.${key}`, { held: hand.length ? cardArg(cardName(hand[0])) : "none" });
    if (key === "owner_discard" && wish.rules.owner_discard === "second_phase")
      return say("why.rule.owner_discard.phase");
    if (key === "capture_tops" && wish.rules.steal === "no") return say("why.rule.capture_tops.none");
    return say(`why.rule.${key}`, { n: wish.rules.build_limit });
  }
  return null;
}

// --- counting --------------------------------------------------------------------------------------------------------

/** @param {Wish} wish @param {Sorted} sorted @returns {Message | null} */
function counted(wish, sorted) {
  const { look, wanted } = wish, { hand, builds } = sorted;
  if (wanted === "end") return end(look);
  if (hand.length > 1) return say("why.one");
  if (hand.length && look.num("played")) return say("why.played");
  const kept = hand.length ? bound(wish) : null;
  if (kept) return kept;
  if (wanted === "discard") return null;
  if (builds.length) return withBuild(wish, sorted);
  return hand.length ? fromHand(wish, sorted) : fromTable(wish, sorted);
}

/** Say what the hand card must be kept for after a stolen top or a build begun without it. @param {Wish} wish */
function bound({ look, rules }) {
  const debt = look.num("debt"), unfinished = look.num("unfinished");
  if (debt && rules.steal === "bound") return say("why.bound", { value: debt });
  return unfinished && rules.new_builds === "with_hand" ? say("why.bound.new", { value: unfinished }) : null;
}

/** @param {Look} look */
function end(look) {
  const debt = look.num("debt"), unfinished = look.num("unfinished");
  if (!look.num("played")) return say("why.first");
  if (debt) return say("why.debt", { value: debt });
  return unfinished ? say("why.unfinished", { value: unfinished }) : null;
}

/** @param {Wish} wish @param {number} value */
function buildWords({ look, names, rules }, value) {
  const owner = look.owner(value, rules.players);
  return owner < 0 ? say("of.nobody.build", { value }) : say("of.build", { owner: names.of(owner), value });
}

/** @param {Wish} wish @param {Sorted} sorted */
function withBuild(wish, { hand, table, builds }) {
  const value = builds[0], build = buildWords(wish, value);
  if (builds.length > 1) return say("why.two.builds");
  if (!hand.length) return table.length ? null : say("why.no.card.build", { rank: rankArg(value), build });
  if (worths(wish, hand[0]).includes(value)) return partition(falling(table), value) ? null
    : say("why.beside", { value });
  if (wish.look.num("build_sets", value) > 1) return say("why.several", { build });
  return needs(wish, value + worth([...hand, ...table]), hand[0], ".raise");
}

/** @param {Wish} wish @param {Sorted} sorted */
function fromHand(wish, { hand, table }) {
  const card = hand[0];
  if (!table.length) return say("why.nothing", { card: cardArg(cardName(card)) });
  if (worths(wish, card).some((value) => partition(falling(table), value))) return null;
  if (wish.rules.bundles || ![card, ...table].every((each) => hasCard(wish.numeric, each)))
    return say("why.own.rank", { card: cardArg(cardName(card)) });
  const total = worth([card, ...table]);
  const stands = total <= wish.rules.maxBuild && wish.look.num("build_top", total) >= 0;
  return stands && holds(wish, total, card) ? say("why.stands", { build: buildWords(wish, total) })
    : needs(wish, total, card, "");
}

/** @param {Wish} wish @param {Sorted} sorted */
function fromTable(wish, { table }) {
  if (!table.length) return null;
  if (table.length === 1) return say("why.no.card", { card: cardArg(cardName(table[0])) });
  const apart = wish.rules.bundles ? table : table.filter((card) => !hasCard(wish.numeric, card));
  if (apart.length) return table.every((card) => card >> 2 === apart[0] >> 2) ? null
    : say("why.apart", { card: cardArg(cardName(apart[0])) });
  const total = worth(table);
  if (holds(wish, total, -1)) return null;
  return total > 14 ? say("why.highest", { total, most: wish.rules.maxBuild })
    : say("why.sum", { total, rank: rankArg(total) });
}

/** Say what a build of this total lacks; null if nothing. @param {Wish} wish @param {number} total
 * @param {number} but the hand card that is not counted @param {string} kind */
function needs(wish, total, but, kind) {
  const most = wish.rules.maxBuild;
  if (total > most) return say(`why.highest${kind}`, { total, most });
  return holds(wish, total, but) ? null : say(`why.no.other${kind}`, { total, rank: rankArg(total) });
}

/** @param {Wish} wish @param {number} value @param {number} but */
function holds(wish, value, but) {
  return cardsOf(wish.look.num("hands", wish.look.actor))
    .some((card) => card !== but && worths(wish, card).includes(value));
}

/** @param {Wish} wish @param {number} card */
const worths = (wish, card) => (card < 4 && wish.rules.ace_high ? [1, 14] : [(card >> 2) + 1]);

/** @param {number[]} cards */
const worth = (cards) => cards.reduce((sum, card) => sum + (card >> 2) + 1, 0);

/** @param {number[]} cards */
const falling = (cards) => [...cards].sort((a, b) => b - a);
