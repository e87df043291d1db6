// The rules of a game on one page: the sentences of casino_env/text/rules_text.py that its switches select.

import { cardArg, say } from "./message.js";

/** @import { Message } from "./message.js" */
/** @import { Rules } from "../casino/src/game/rules.js" */
/** @typedef {{ name: string, title: Message, lines: Message[] }} Section */

/** The sentences of each section: a key, then its conditions. docs/generate.py writes them.
 * @type {{ [section: string]: string[] }} */
const ROWS = {
  // rows:begin
  what: [
    "aim.cards cards_points",
    "aim.every spade_cards",
    "aim.spades spades_points !spade_cards",
    "aim.five five_spades_points !spade_cards",
    "aim.aces ace_points",
    "aim.card little_points !spade_cards",
    "aim.card big_points",
    "aim.sweeps sweeps",
  ],
  aim: [
    "rules.aim.points some_points !partners",
    "rules.aim.partners some_points partners",
    "rules.aim.bundles bundles",
    "rules.turn",
    "rules.turn.merge equal_builds=merge",
    "rules.turn.bundles bundles",
    "rules.example forty multi_capture",
    "rules.example.single forty !multi_capture",
  ],
  cards: [
    "rules.deal any !draw_hand",
    "rules.deal.draw any draw_hand",
    "rule.partners.true",
    "rule.ace_high.true",
    "rule.ace_high.false",
    "rule.courts.value pictures",
    "rule.courts.any pictures",
    "rule.courts.one_or_three pictures",
    "rule.courts.one pictures",
    "rules.recut recut",
    "rules.lead.rotates many_deals next_leader=rotates",
    "rules.lead.loser many_deals next_leader=loser",
    "rules.lead.drawn many_deals next_leader=drawn",
  ],
  taking: [
    "rule.bundles.true any",
    "rules.not.taken bundles",
    "rule.multi_capture.true",
    "rule.multi_capture.false",
    "rule.capture_tops.true tops_in_sums",
    "rule.tops_in_sums.false",
    "rule.owner_top.false !tops_in_sums",
    "rule.chain.all capture_tops",
    "rule.pile_capture_needs_table_card.true tops_in_sums",
    "rule.insist_capture.always",
    "rule.insist_capture.never",
    "rule.insist_capture.ask",
    "rule.partner_builds.true partners",
    "rule.request.builds.optional partner_request=optional request_for=builds",
    "rule.request.builds.binding partner_request=binding request_for=builds",
    "rule.request.loose.optional partner_request=optional request_for=loose",
    "rule.request.loose.binding partner_request=binding request_for=loose",
    "rule.request.any.optional partner_request=optional request_for=any",
    "rule.request.any.binding partner_request=binding request_for=any",
  ],
  building: [
    "rules.word.set forty",
    "rules.word.build",
    "rules.word.single",
    "rule.equal_builds.merge",
    "rule.equal_builds.join",
    "rule.equal_builds.never",
    "rule.new_builds.by_hand",
    "rule.new_builds.with_hand",
    "rule.keep_backing.true",
    "rule.keep_backing.false",
    "rule.build_limit build_limit",
    "rule.second_build_in_turn.true build_limit equal_builds=merge",
    "rule.limit_first_phase_only.true build_limit",
    "rule.raise_by.opponents",
    "rule.raise_by.anyone",
    "rule.raise_with_table.true",
    "rule.raise_limit.double",
    "rule.raise_or_add.true",
    "rule.add_to_partner.false partners",
    "rule.owner_discard.second_phase",
    "rule.owner_discard.never",
    "rule.use_discard_same_turn.false",
    "rule.insist_augment.always",
    "rule.insist_augment.ask",
  ],
  stealing: [
    "rules.word.steal !steal=no",
    "rule.steal.augment",
    "rule.steal.with_hand_card",
    "rule.steal.bound",
    "rule.steal_from_partner.true !steal=no partners",
    "rule.no_return.true !steal=no",
    "rule.chain.no !steal=no",
  ],
  piles: [
    "rules.bundle.pile bundles",
    "rule.stacking.secret",
    "rule.stacking.as_built",
    "rule.stacking.lowest_on_top",
    "rule.stacking.build_on_top",
    "rule.stacking.face_down",
    "rule.pile_order.ask",
    "rule.resort_raised.true",
    "rule.shared_pile.true partners",
    "rule.leftovers.last_capture any",
    "rule.leftovers.nobody any",
  ],
  points: [
    "points.cards cards_points any",
    "points.spades spades_points !spade_cards any",
    "points.five five_spades_points any",
    "points.little little_points !spade_cards any",
    "points.big big_points any",
    "points.ace ace_points any",
    "points.tie.one_each majorities ties=one_each any",
    "points.tie.nobody majorities ties=nobody any",
    "points.shutout shutout majorities any",
    "points.spade spade_cards any",
    "points.sweeps sweeps any",
    "points.break tie_break=big_ten any",
    "points.target target any",
    "points.first.big_first target counting=big_first any",
    "points.first.little_first target counting=little_first any",
    "points.first.total target counting=total any",
    "points.out count_out any",
    "points.rounds match_rounds any",
    "points.games match_games any",
  ],
  // rows:end
};

/** @param {Rules} rules @returns {Section[]} */
export function rulesText(rules) {
  const facts = factsOf(rules), { what: aims, ...sections } = ROWS;
  facts.some_points = aims.some((row) => holds(row, facts));
  facts.what = said(aims, facts);
  return Object.entries(sections)
    .map(([name, rows]) => ({ name, title: say(`rules.${name}`), lines: said(rows, facts) }))
    .filter(({ lines }) => lines.length);
}

/** The sentences about these fields, in their order. @param {Rules} rules @param {string[]} fields */
export function sentences(rules, fields) {
  const all = rulesText(rules).flatMap(({ lines }) => lines);
  return fields.flatMap((field) => all.filter(({ key }) => key.startsWith(`rule.${field}.`)));
}

/** The values that select and fill sentences: the switches, and others derived from them.
 * @param {Rules} rules @returns {{ [name: string]: any }} */
const factsOf = (rules) => ({
  ...rules,
  any: true,
  forty: rules.deck >= 40,
  pictures: rules.deck > 40,
  majorities: rules.cards_points || (rules.spades_points && !rules.spade_cards),
  many_deals: rules.target || rules.match_games || rules.match_rounds,
  table: rules.table_cards,
  hand: rules.draw_hand || rules.handSize,
  times: rules.rounds,
  rounds: rules.match_rounds,
  won: Math.floor(rules.match_games / 2) + 1,
  deals: rules.match_games,
  nine: cardArg("9H"),
  same: cardArg("9C"),
  a: cardArg("5D"),
  b: cardArg("4S"),
});

/** Select sentences. {n} is the value of the first condition's field, {card} its card.
 * @param {string[]} rows @param {{ [name: string]: any }} facts @returns {Message[]} */
const said = (rows, facts) => rows.filter((row) => holds(row, facts)).map((row) => {
  const [key, field] = row.split(" ");
  return say(key, { ...facts, n: facts[field], card: cardArg(field === "little_points" ? "2S" : facts.big_ten) });
});

/** @param {string} row @param {{ [name: string]: any }} facts */
function holds(row, facts) {
  const [key, ...conditions] = row.split(" "), [, field, value] = key.match(/^rule\.(\w+)\.(\w+)$/) ?? [];
  if (field in facts) conditions.push(`${field}=${value}`);
  if (!conditions.includes("any") && !conditions.includes("bundles")) conditions.push("!bundles");
  return conditions.every((condition) => {
    const [name, wanted] = condition.replace("!", "").split("=");
    return (wanted ? `${facts[name]}` === wanted : Boolean(facts[name])) !== condition.startsWith("!");
  });
}
