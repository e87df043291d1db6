// The rules of a game in a page of words, made from its switches: first the aim and what a turn is, then the words that
// are used, then what counts.

import { cardArg, say } from "./message.js";
import { en } from "../languages/en.js";

/** @import { Message } from "./message.js" */
/** @import { Rules } from "../casino/src/game/rules.js" */
/** @typedef {{ name: string, title: Message, lines: Message[] }} Section */

// Fields of a section in their order; a value of which English says nothing says nothing.
const CARDS = ["partners", "ace_high", "courts"];
const TAKING = [
  "bundles",
  "multi_capture",
  "capture_tops",
  "tops_in_sums",
  "owner_top",
  "chain.all",
  "pile_capture_needs_table_card",
  "insist_capture",
  "partner_builds",
];
const BUILDING = [
  "equal_builds",
  "new_builds",
  "keep_backing",
  "limit_first_phase_only",
  "raise_by",
  "raise_with_table",
  "raise_limit",
  "raise_or_add",
  "add_to_partner",
  "owner_discard",
  "use_discard_same_turn",
  "insist_augment",
];
const STEALING = ["steal", "steal_from_partner", "no_return", "chain.no"];
const PILES = ["stacking", "pile_order", "resort_raised", "shared_pile", "leftovers"];
const NUMERALS = 10; // ranks of a pack without pictures

/** @param {Rules} rules @returns {Section[]} */
export function rulesText(rules) {
  const sections = rules.bundles
    ? bundleSections(rules)
    : [
        section("aim", [...aim(rules), ...turn(rules)]),
        section("cards", [deal(rules), ...sentences(rules, CARDS), ...recut(rules), ...leader(rules)]),
        section("taking", [...sentences(rules, TAKING), ...requests(rules)]),
        section("building", building(rules)),
        section("stealing", stealing(rules)),
        section("piles", sentences(rules, PILES)),
        section("points", points(rules)),
      ];
  return sections.filter(({ lines }) => lines.length);
}

/** @param {Rules} rules */
function bundleSections(rules) {
  return [
    section("aim", [say("rules.aim.bundles"), say("rules.turn.bundles")]),
    section("cards", [deal(rules)]),
    section("taking", [say("rule.bundles.true"), say("rules.not.taken")]),
    section("piles", [say("rules.bundle.pile"), ...sentences(rules, ["leftovers"])]),
    section("points", points(rules)),
  ];
}

/** @param {string} name @param {Message[]} lines @returns {Section} */
const section = (name, lines) => ({ name, title: say(`rules.${name}`), lines });

// --- the aim, a turn, words ------------------------------------------------------------------------------------------

/** @param {Rules} rules @returns {Message[]} */
function aim(rules) {
  const what = [
    rules.cards_points ? say("aim.cards") : null,
    rules.spade_cards ? say("aim.every") : rules.spades_points ? say("aim.spades") : null,
    rules.five_spades_points && !rules.spade_cards ? say("aim.five") : null,
    rules.ace_points ? say("aim.aces") : null,
    rules.little_points && !rules.spade_cards ? say("aim.card", { card: cardArg("2S") }) : null,
    rules.big_points ? say("aim.card", { card: cardArg(rules.big_ten) }) : null,
    rules.sweeps ? say("aim.sweeps") : null,
  ].filter((each) => each !== null);
  return what.length ? [say(rules.partners ? "rules.aim.partners" : "rules.aim.points", { what })] : [];
}

/** @param {Rules} rules @returns {Message[]} */
function turn(rules) {
  const cards = { nine: cardArg("9H"), same: cardArg(rules.deck < 40 ? "3S" : "9C"), a: cardArg("5D"),
    b: cardArg("4S") };
  const lines = [say("rules.turn")];
  if (rules.equal_builds === "merge") lines.push(say("rules.turn.merge"));
  if (rules.deck >= 40) lines.push(say(rules.multi_capture ? "rules.example" : "rules.example.single", cards));
  return lines;
}

/** @param {Rules} rules @returns {Message[]} */
function building(rules) {
  const words = rules.deck >= 40 ? [say("rules.word.set", { a: cardArg("5D"), b: cardArg("4S"), same: cardArg("9C") })]
    : [];
  const limit = rules.build_limit ? [say("rule.build_limit", { n: rules.build_limit })] : [];
  const second = rules.build_limit && rules.second_build_in_turn && rules.equal_builds === "merge"
    ? [say("rule.second_build_in_turn.true")] : [];
  const lines = sentences(rules, BUILDING), after = lines.findIndex(({ key }) => key.startsWith("rule.keep_backing"))
    + 1;
  lines.splice(after, 0, ...limit, ...second);
  return [...words, say("rules.word.build"), say("rules.word.single"), ...lines];
}

/** @param {Rules} rules @returns {Message[]} */
function stealing(rules) {
  const lines = sentences(rules, STEALING);
  return rules.steal === "no" ? [] : [say("rules.word.steal"), ...lines];
}

// --- sentences of fields ---------------------------------------------------------------------------------------------

/** @param {Rules} rules @param {string[]} fields a field, or a field and the only value that is told here
 * @returns {Message[]} */
export function sentences(rules, fields) {
  const idle = idleFields(rules);
  return fields.flatMap((name) => {
    const [field, only] = name.split(".");
    if (idle.includes(field) || (only && rules[field] !== only)) return [];
    const key = `rule.${field}.${rules[field]}`;
    return key in en ? [say(key)] : [];
  });
}

/** Fields that say nothing beside others: of tops that are part of no sum, of partners where there are none.
 * @param {Rules} rules */
function idleFields(rules) {
  const idle = rules.tops_in_sums ? [] : ["capture_tops", "pile_capture_needs_table_card"];
  if (rules.tops_in_sums) idle.push("owner_top");
  if (!rules.partners) idle.push("add_to_partner", "steal_from_partner", "shared_pile", "partner_builds");
  if (rules.chain === "all" && !rules.capture_tops) idle.push("chain");
  if (!rules.build_limit) idle.push("limit_first_phase_only");
  if (rules.deck < 52) idle.push(...(rules.deck <= 4 * NUMERALS ? ["courts"] : []));
  return idle;
}

/** @param {Rules} rules @returns {Message[]} */
function requests(rules) {
  return rules.partner_request === "off" ? [] : [say(`rule.request.${rules.request_for}.${rules.partner_request}`)];
}

/** @param {Rules} rules @returns {Message} */
function deal(rules) {
  const args = { deck: rules.deck, table: rules.table_cards, hand: rules.draw_hand || rules.handSize,
    times: rules.rounds };
  return say(rules.draw_hand ? "rules.deal.draw" : "rules.deal", args);
}

/** @param {Rules} rules @returns {Message[]} */
const recut = (rules) => (rules.recut ? [say("rules.recut")] : []);

/** @param {Rules} rules @returns {Message[]} */
const leader = (rules) =>
  (rules.target || rules.match_games || rules.match_rounds ? [say(`rules.lead.${rules.next_leader}`)] : []);

// --- points ----------------------------------------------------------------------------------------------------------

/** @param {Rules} rules @returns {Message[]} */
function points(rules) {
  const little = { card: cardArg("2S") }, big = { card: cardArg(rules.big_ten) }, spades = rules.spade_cards;
  const majorities = rules.cards_points || (rules.spades_points && !spades);
  /** @param {number} n @param {string} key @param {object} [args] */
  const each = (n, key, args) => (n ? [say(key, { n, ...args })] : []);
  return [
    ...each(rules.cards_points, "points.cards"),
    ...each(spades ? 0 : rules.spades_points, "points.spades"),
    ...each(rules.five_spades_points, "points.five"),
    ...each(spades ? 0 : rules.little_points, "points.little", little),
    ...each(rules.big_points, "points.big", big),
    ...each(rules.ace_points, "points.ace"),
    ...each(majorities, `points.tie.${rules.ties}`),
    ...each(majorities && rules.shutout ? 1 : 0, "points.shutout", big),
    ...each(spades ? 1 : 0, "points.spade"),
    ...each(rules.sweeps ? 1 : 0, "points.sweeps"),
    ...each(rules.tie_break === "big_ten" ? 1 : 0, "points.break", big),
    ...each(rules.target, "points.target", { target: rules.target }),
    ...each(rules.target, `points.first.${rules.counting}`, { target: rules.target }),
    ...each(rules.count_out ? 1 : 0, "points.out"),
    ...each(rules.match_rounds, "points.rounds", { rounds: rules.match_rounds }),
    ...each(rules.match_games, "points.games",
      { won: Math.floor(rules.match_games / 2) + 1, deals: rules.match_games }),
  ];
}
