/** What agents are made of: bots, policies, searches, the judge. */

import { closest, floatIn, intIn } from "../game/validate.js";
import { checkValue } from "./files.js";
import { horizonNumber, resolved } from "./settings.js";

/** @import { Kernels } from "../kernels/kernels.js" */
/** @import { PlaySettings } from "./files.js" */
/** @import { Made } from "./opened.js" */
/** @import { Policies, Weights } from "./policies.js" */
/** @import { SearchSettings } from "./settings.js" */
/** @import { Rules } from "../game/rules.js" */

/** Rules of thumb, each of which says what the position after a move is worth. @param {Kernels} kernels
 * @param {string} name @param {number} effort positions that it looks at for one action; 0: its own choice
 * @returns {Made} */
export function bot(kernels, name, effort = 0) {
  intIn(effort, "effort", 0, kernels.constants("agents.scripted.choosing").MAX_EFFORT);
  return { kind: "bot", bot: name, effort };
}

/** Plays as a network says; temperature 0 plays what it likes best. @param {Kernels} kernels @param {Weights} weights
 * @param {Partial<PlaySettings>} settings that are not as the weights say @returns {Made} */
export function policy(kernels, weights, settings = {}) {
  const play = { ...weights.play, ...settings };
  checkValue(play, kernels.constant("agents.policy.policy_files", "PLAY"), "");
  return { kind: "policy", weights, play };
}

/** `policy:NAME`, which may think where it is not sure. @param {Kernels} kernels @param {Policies} policies
 * @param {Partial<PlaySettings> & { path: string, think?: number, sims?: number }} given as of make_thinking_policy in
 * agents/search/search_agent.py @returns {Promise<Made>} */
export async function thinkingPolicy(kernels, policies, { path, think, sims, ...settings }) {
  const plain = policy(kernels, await policies.load(path), settings), [other] = Object.entries(settings);
  if (think === undefined && sims === undefined) return plain;
  if (other) throw new Error(`${other[0]} = ${other[1]}: leave it out where the policy thinks`);
  const { MOST_SECONDS } = kernels.constants("agents.search.search_settings");
  if (think !== undefined) floatIn(think, "think", 0, 1000 * MOST_SECONDS, true);
  const { _UNSURE: margin } = kernels.constants("agents.search.search_agent");
  return search(kernels, policies, { policy: path, time: think && think / 1000, sims, margin });
}

/** Thinks ahead in determinizations of what the seat knows, or exactly where nothing is hidden: with a policy over
 * afterstates about complete turns, else about actions. @param {Kernels} kernels @param {Policies} policies
 * @param {SearchSettings} given @returns {Promise<Made>} */
export async function search(kernels, policies, given) {
  const c = kernels.constants("agents.search.search_agent"), settings = resolved(kernels, given);
  const who = await player(kernels, policies, settings.rollout), { weights, play } = who;
  if (settings.cut !== undefined && !weights)
    throw new Error(`cut = ${settings.cut}: a bot cannot judge positions; it needs policy=, or rollout=policy:NAME`);
  const { time: seconds = 0, solve, horizon } = given, turns = weights && !weights.shape.judgesActions;
  if (given.margin !== undefined && !turns)
    throw new Error(`margin = ${given.margin}: only turns race, by a policy over afterstates`);
  const most = solve
    ?? (seconds ? kernels.entry("agents.solver.endings.cards_within")(c._AT_MOST * seconds) : c._SOLVED);
  const always = play && solve === undefined ? play.exact : 0;
  return { kind: turns ? "turns" : "tree", ...who, state: {
    sims: settings.sims ?? 0, seconds, explore: settings.explore, importance: settings.importance,
    margin: settings.margin,
    cut: (turns ? given.cut : settings.cut) ?? -1, horizon: horizonNumber(kernels, horizon),
    ...endings(kernels, most, c._TO_SOLVE * seconds, always),
  } };
}

/** Which endings the solver plays: those in which nobody holds more than so many cards. @param {Kernels} kernels
 * @param {number} cards @param {number} seconds for a decision; 0: as many positions as always @param {number} always
 * cards in all hands together with which some positions are searched however short the time
 * @returns {Record<string, number | number[]>} */
export function endings(kernels, cards, seconds = 0, always = 0) {
  const { _SOLVER_NODES } = kernels.constants("agents.solver.solver");
  const { POSITIONS } = kernels.constants("agents.solver.alpha_beta"),
    { NO_LIMIT } = kernels.constants("agents.solver.endings");
  // the second goes on with what the first has learnt
  return { limits: 2, in_hand: [-1, cards], in_all: [always, -1],
    positions: [POSITIONS, seconds ? NO_LIMIT : _SOLVER_NODES], until: [Infinity, seconds || Infinity] };
}

/** Says what turns are worth: the best policy that has learnt the game plays on all seats, else the best bot.
 * @param {Kernels} kernels @param {Policies} policies @param {Rules} rules @returns {Promise<Made>} */
export async function judge(kernels, policies, rules) {
  const name = policies.strongest(rules);
  return { kind: "judge", ...(await player(kernels, policies, name ? `policy:${name}` : bestBot(kernels, rules))) };
}

/** The strongest of the bots. @param {Kernels} kernels @param {Rules} rules */
function bestBot(kernels, rules) {
  const known = Object.entries(kernels.constant("agents.registry", "AGENTS"));
  const names = known.filter(([, { rung }]) => rung === "all" || (rules.partners && rung === "partners"))
    .map(([name]) => name);
  return names[names.length - 1];
}

/** Who plays on in a search: a bot, or the policy of `policy:NAME`. @param {Kernels} kernels
 * @param {Policies} policies @param {string} name
 * @returns {Promise<{ bot?: string, weights?: Weights, play?: PlaySettings }>} */
async function player(kernels, policies, name) {
  if (name.startsWith("policy:")) {
    const weights = await policies.load(name.slice("policy:".length)).catch((error) => {
      throw new Error(`rollout = ${error.message}`, { cause: error });
    });
    const { turns, width, exact } = kernels.constant("agents.search.rollouts", "_LEAST"), { play } = weights;
    const least = { turns: Math.max(turns, play.turns), width: Math.max(width, play.width),
      exact: Math.max(exact, play.exact) };
    return { weights, play: { ...play, ...(weights.shape.judgesActions ? {} : least), temperature: 0 } };
  }
  const known = Object.keys(kernels.facts.bots);
  if (!known.includes(name))
    throw new Error(`rollout = '${name}'${closest(name, known)}; it must be policy:NAME or one of ${known.join(", ")}`);
  return { bot: name };
}
