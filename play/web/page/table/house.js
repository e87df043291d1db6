// What may be chosen before a game: games, players, house rules, opponents.

import { use } from "../casino/src/kernels/kernels.js";
import { makeRules, playerCounts } from "../casino/src/game/rules.js";
import { gameLine, gameTitle, refusal, switchTitle, switchValue } from "../words/about.js";
import { say } from "../words/message.js";
import { PEOPLE, agentLine, agentTitle, levelName } from "../words/names.js";
import { policies } from "../casino/src/agents/registry.js";

/** @import { Rules } from "../casino/src/game/rules.js" */
/** @import { AgentAbout, GameAbout, Sitting, Switch, SwitchGroup } from "./shapes.js" */

const CARDS_A_MINUTE = 6;
// In the order in which they are shown, by kinds; the first of each kind is where to begin.
/** @type {{ [kind: string]: string[] }} */
const KINDS = {
  africa: ["south-african", "swazi", "sotho", "khasino", "kasa", "african", "swazi-crazy"],
  city: ["cassino", "royal", "partnership", "draw", "spade", "california", "triple-s", "stealing-bundles"],
  short: ["mini", "mini-7"],
};
const STARTER = "south-african";

/** Every game as a first page shows it, those of southern Africa first. @returns {GameAbout[]} */
export function games() {
  const known = Object.keys(use().constant("presets", "PRESETS")),
    listed = Object.entries(KINDS).flatMap(([kind, names]) => names.map((name) => ({ kind, name })));
  const rest = known.filter((name) => !listed.some((one) => one.name === name)).map((name) => ({ kind: "city", name }));
  return [...listed, ...rest]
    .filter(({ name }) => known.includes(name))
    .map(({ kind, name }) => ({
      name,
      title: gameTitle(name),
      line: gameLine(name),
      starter: name === STARTER,
      kind: say(`kind.${kind}`),
      sittings: playerCounts(name).map((players) => sitting(makeRules(name, players))),
    }));
}

/** A game with so many players. @param {Rules} rules @returns {Sitting} */
export function sitting(rules) {
  const turns = Math.floor((rules.deck - rules.table_cards) / rules.players),
    minutes = Math.max(1, Math.round((turns * rules.players) / CARDS_A_MINUTE));
  const { players, partners } = rules;
  return { players, partners, minutes, match: rules.target > 0 || rules.match_rounds > 0,
    words: say("sitting", { turns, minutes }) };
}

// --- house rules -----------------------------------------------------------------------------------------------------

/** Every switch of the engine, by groups. @type {{ [group: string]: string[] }} */
const GROUPS = {
  common: [
    "partners",
    "insist_capture",
    "insist_augment",
    "owner_discard",
    "build_limit",
    "steal",
    "capture_tops",
    "sweeps",
    "ties",
    "pile_order",
    "match_games",
  ],
  cards: ["deck", "table_cards", "rounds", "draw_hand", "ace_high", "courts", "recut", "next_leader"],
  taking: ["multi_capture", "pile_capture_needs_table_card", "tops_in_sums", "owner_top", "bundles"],
  building: [
    "equal_builds",
    "new_builds",
    "keep_backing",
    "limit_first_phase_only",
    "second_build_in_turn",
    "raise_by",
    "raise_with_table",
    "raise_limit",
    "resort_raised",
    "raise_or_add",
    "use_discard_same_turn",
  ],
  stealing: ["steal_from_partner", "chain", "no_return"],
  partners: ["shared_pile", "add_to_partner", "partner_builds", "partner_request", "request_for"],
  piles: ["stacking", "leftovers"],
  points: [
    "cards_points",
    "spades_points",
    "five_spades_points",
    "little_points",
    "big_points",
    "big_ten",
    "ace_points",
    "spade_cards",
    "shutout",
    "tie_break",
  ],
  match: ["target", "counting", "count_out", "match_rounds"],
};
const FIELDS = Object.values(GROUPS).flat();
/** Numbers that are offered, beside the one that holds. @type {{ [field: string]: number[] }} */
const NUMBERS = {
  deck: [52, 40, 7, 6],
  table_cards: [0, 1, 4, 8],
  rounds: [1, 2, 3, 4, 6],
  draw_hand: [0, 2, 4, 8],
  build_limit: [0, 1, 2, 3],
  target: [0, 11, 21, 61],
  match_rounds: [0, 1, 2, 3],
  match_games: [0, 3, 5, 7],
};
const POINTS = [0, 1, 2, 3, 4, 5];

/** The switches of a game, each with what it may be with all else as it is, and why not. @param {string} variant
 * @param {number} players @param {{ [field: string]: any }} [changes] @returns {SwitchGroup[]} */
export function houseRules(variant, players, changes = {}) {
  const usual = makeRules(variant, players), rules = changedOr(usual, changes), known = use().facts.switches;
  return Object.entries(GROUPS).map(([name, fields]) => ({
    name,
    title: say(`switches.${name}`),
    common: name === "common",
    switches: fields.flatMap((field) => {
      const one = known.find((other) => other.name === field);
      return one ? [switchOf(one, rules, usual, changes)] : [];
    }),
  }));
}

/** Also of rules that cannot be: they are shown as they were wished for. @param {Rules} usual
 * @param {{ [field: string]: any }} changes @returns {Rules} */
function changedOr(usual, changes) {
  try {
    return makeRules(usual.name, usual.players, changes);
  } catch {
    return /** @type {Rules} */ ({ ...usual, ...changes });
  }
}

/** @param {{ name: string, kind: string, choices?: string[] }} one @param {Rules} rules @param {Rules} usual
 * @param {{ [field: string]: any }} changes @returns {Switch} */
function switchOf({ name, kind, choices }, rules, usual, changes) {
  /** @type {any[]} */
  const values = choices ?? (kind === "bool" ? [true, false] : (NUMBERS[name] ?? POINTS));
  const all = values.includes(rules[name]) ? values : [...values, rules[name]].sort((a, b) => a - b);
  return {
    field: name,
    question: switchTitle(name),
    value: rules[name],
    usual: usual[name],
    choices: all.map((value) => ({
      value,
      words: switchValue(name, value),
      refused: rulesRefused(rules.name, rules.players, { ...changes, [name]: value }, name),
    })),
  };
}

/** Why a game cannot be played with these changes; null if it can. @param {string} variant @param {number} players
 * @param {{ [field: string]: any }} changes @param {string} [field] the last one that was changed */
export function rulesRefused(variant, players, changes, field) {
  try {
    makeRules(variant, players, changes);
    return null;
  } catch (error) {
    return refusal(error, { ...makeRules(variant, players), ...changes }, FIELDS, field);
  }
}

// --- opponents -------------------------------------------------------------------------------------------------------

const MOMENT = "think=5", THINKING = "strongest:time=2";

/** The four levels of a game, easy to strongest. Where no policy has learnt it so far, bots stand below.
 * @param {Rules} rules @param {string[]} policies names of those that have learnt these very rules, the best first
 * @returns {AgentAbout[]} */
export function levels(rules, policies = []) {
  const best = policies[0], below = best ? [`${best}-easy`, `${best}-medium`] : [], last = rules.partners ? "partner"
    : "counter";
  if (!best) return ["greedy", "builder", last, THINKING].map(introduce);
  const low = below.every((name) => policies.includes(name)) ? below.map((name) => `policy:${name}`)
    : ["builder", last];
  return [...low, `policy:${best},${MOMENT}`, THINKING].map(introduce);
}

/** Everybody else who plays any game. */
export const OTHERS = ["random", "greedy", "builder", "counter", "partner", "search:time=0.5", "policy:universal"];

/** By thoughts, not by time: the same on every device. */
export const STEADY = "strongest:sims=1024";

/** An agent as a page shows it. @param {string} spec @returns {AgentAbout} */
export const introduce = (spec) => ({ spec, title: agentTitle(spec), line: agentLine(spec) });

// --- levels ----------------------------------------------------------------------------------------------------------

/** The policies that have learnt these very rules, the best first. @param {Rules} rules */
function learnt(rules) {
  const best = policies().strongest(rules), { listed } = policies();
  if (best === null) return [];
  return [best, ...["easy", "medium"].map((level) => `${best}-${level}`).filter((name) => name in listed)];
}

/** The four of them, easy to strongest. @param {Rules} rules */
export const levelsOf = (rules) => levels(rules, learnt(rules));

/** What each seat's agent is, by its level if it has one; null of people. @param {string[]} specs
 * @param {Rules} rules */
export function kindsOf(specs, rules) {
  const row = levelsOf(rules).map(({ spec }) => spec);
  return specs.map((spec) => {
    if (PEOPLE.includes(spec)) return null;
    return row.includes(spec) ? levelName(row.indexOf(spec)) : agentTitle(spec);
  });
}
