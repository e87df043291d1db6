// The choices before a game: variants, numbers of players, house rules, opponents.

import { use } from "../casino/src/kernels/kernels.js";
import { makeRules, playerCounts } from "../casino/src/game/rules.js";
import { gameLine, gameTitle, refusal, switchTitle, switchValue } from "../words/about.js";
import { say } from "../words/message.js";
import { PEOPLE, agentLine, agentTitle, levelName } from "../words/names.js";
import { policies } from "../casino/src/agents/registry.js";

/** @import { Rules } from "../casino/src/game/rules.js" */
/** @import { AgentAbout, GameAbout, Sitting, Switch, SwitchGroup } from "./shapes.js" */

const CARDS_A_MINUTE = 6;
// Variants by kind, in the order of display; the first of each kind is a good one to begin with.
/** @type {{ [kind: string]: string[] }} */
const KINDS = {
  africa: ["south-african", "swazi", "sotho", "khasino", "kasa", "african", "swazi-crazy"],
  city: ["cassino", "royal", "partnership", "draw", "spade", "california", "triple-s", "stealing-bundles"],
  short: ["mini", "mini-7"],
};
const STARTER = "south-african";

/** All games as the first page shows them, those of southern Africa first. @returns {GameAbout[]} */
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

/** Describe a game with a number of players. @param {Rules} rules @returns {Sitting} */
export function sitting(rules) {
  const turns = Math.floor((rules.deck - rules.table_cards) / rules.players),
    minutes = Math.max(1, Math.round((turns * rules.players) / CARDS_A_MINUTE));
  const { players, partners } = rules;
  return { players, partners, minutes, match: rules.target > 0 || rules.match_rounds > 0,
    words: say("sitting", { turns, minutes }) };
}

// --- house rules -----------------------------------------------------------------------------------------------------

/** All switches of the engine, by group. @type {{ [group: string]: string[] }} */
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
/** Numbers on offer, besides the current one. @type {{ [field: string]: number[] }} */
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

/** The switches of a game; each choice says whether it goes with the other current settings, and why not.
 * @param {string} variant @param {number} players @param {{ [field: string]: any }} [changes]
 * @returns {SwitchGroup[]} */
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

/** The changed rules, even if they are not playable: the page shows the wish. @param {Rules} usual
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

/** The four levels of a game, easy to strongest. Bots are the lower levels of games that no policy has learnt.
 * @param {Rules} rules @param {string[]} policies names of those that have learnt exactly these rules, the best first
 * @returns {AgentAbout[]} */
export function levels(rules, policies = []) {
  const best = policies[0], below = best ? [`${best}-easy`, `${best}-medium`] : [], last = rules.partners ? "partner"
    : "counter";
  if (!best) return ["greedy", "builder", last, THINKING].map(introduce);
  const low = below.every((name) => policies.includes(name)) ? below.map((name) => `policy:${name}`)
    : ["builder", last];
  return [...low, `policy:${best},${MOMENT}`, THINKING].map(introduce);
}

/** Other agents, which play all games. */
export const OTHERS = ["random", "greedy", "builder", "counter", "partner", "search:time=0.5", "policy:universal"];

/** An agent limited by simulations, not by time: it plays the same on all devices. */
export const STEADY = "strongest:sims=1024";

/** Describe an agent for a page. @param {string} spec @returns {AgentAbout} */
export const introduce = (spec) => ({ spec, title: agentTitle(spec), line: agentLine(spec) });

// --- levels ----------------------------------------------------------------------------------------------------------

/** The policies that have learnt exactly these rules, the best first. @param {Rules} rules */
function learnt(rules) {
  const best = policies().strongest(rules), { listed } = policies();
  if (best === null) return [];
  return [best, ...["easy", "medium"].map((level) => `${best}-${level}`).filter((name) => name in listed)];
}

/** The four levels for these rules, easy to strongest. @param {Rules} rules */
export const levelsOf = (rules) => levels(rules, learnt(rules));

/** The kind of each seat's agent: its level or its title; null for people. @param {string[]} specs
 * @param {Rules} rules */
export function kindsOf(specs, rules) {
  const row = levelsOf(rules).map(({ spec }) => spec);
  return specs.map((spec) => {
    if (PEOPLE.includes(spec)) return null;
    return row.includes(spec) ? levelName(row.indexOf(spec)) : agentTitle(spec);
  });
}
