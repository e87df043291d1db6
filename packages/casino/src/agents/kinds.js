/** The kinds of agents: bots, policies, searches, the judge. Each function describes one for opened.js. */

import { closest, floatIn, intIn } from "../game/validate.js";
import { checkValue } from "./files.js";
import { horizonNumber, resolved } from "./settings.js";

/** @import { Kernels } from "../kernels/kernels.js" */
/** @import { PlaySettings } from "./files.js" */
/** @import { Made } from "./opened.js" */
/** @import { Policies, Weights } from "./policies.js" */
/** @import { SearchSettings } from "./settings.js" */
/** @import { Rules } from "../game/rules.js" */

/** A scripted bot: rules of thumb score the position after each move. @param {Kernels} kernels @param {string} name
 * @param {number} effort positions that it examines for one action; 0: the bot's default @returns {Made} */
export function bot(kernels, name, effort = 0) {
  intIn(effort, "effort", 0, kernels.constants("agents.scripted.choosing").MAX_EFFORT);
  return { kind: "bot", bot: name, effort };
}

/** An agent that plays by a network; temperature 0 always plays the best action. @param {Kernels} kernels
 * @param {Weights} weights @param {Partial<PlaySettings>} settings overrides of the weights' own @returns {Made} */
export function policy(kernels, weights, settings = {}) {
  const play = { ...weights.play, ...settings };
  checkValue(play, kernels.constant("agents.policy.policy_files", "PLAY"), "");
  return { kind: "policy", weights, play };
}

/** `policy:NAME`; with `think` or `sims` it searches where the policy is unsure. @param {Kernels} kernels
 * @param {Policies} policies @param {Partial<PlaySettings> & { path: string, think?: number, sims?: number }} given
 * arguments of make_thinking_policy (agents/search/search_agent.py) @returns {Promise<Made>} */
export async function thinkingPolicy(kernels, policies, { path, think, sims, ...settings }) {
  const plain = policy(kernels, await policies.load(path), settings), [other] = Object.entries(settings);
  if (think === undefined && sims === undefined) return plain;
  if (other) throw new Error(`${other[0]} = ${other[1]}: cannot be combined with think or sims; leave it out`);
  const { MOST_SECONDS } = kernels.constants("agents.search.search_settings");
  if (think !== undefined) floatIn(think, "think", 0, 1000 * MOST_SECONDS, true);
  const { _UNSURE: margin } = kernels.constants("agents.search.search_agent");
  return search(kernels, policies, { policy: path, time: think && think / 1000, sims, margin });
}

/** A search over determinizations, or an exact one where nothing is hidden. With a policy over afterstates it compares
 * complete turns, else actions. @param {Kernels} kernels @param {Policies} policies @param {SearchSettings} given
 * @returns {Promise<Made>} */
export async function search(kernels, policies, given) {
  const c = kernels.constants("agents.search.search_agent"), settings = resolved(kernels, given);
  const who = await player(kernels, policies, settings.rollout), { weights, play } = who;
  if (settings.cut !== undefined && !weights)
    throw new Error(`cut = ${settings.cut}: a bot cannot judge positions; it needs policy=, or rollout=policy:NAME`);
  const { time: seconds = 0, solve, horizon } = given, turns = weights && !weights.shape.judgesActions;
  if (given.margin !== undefined && !turns)
    throw new Error(`margin = ${given.margin}: needs a policy over afterstates`);
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

/** The limits below which the exact solver plays an ending. @param {Kernels} kernels @param {number} cards the most in
 * any hand @param {number} seconds for a decision; 0: a fixed number of positions @param {number} always with at most
 * so many cards in all hands together, search some positions however short the time
 * @returns {Record<string, number | number[]>} */
export function endings(kernels, cards, seconds = 0, always = 0) {
  const { _SOLVER_NODES } = kernels.constants("agents.solver.solver");
  const { POSITIONS } = kernels.constants("agents.solver.alpha_beta"),
    { NO_LIMIT } = kernels.constants("agents.solver.endings");
  // two searches: the second reuses what the first has learnt
  return { limits: 2, in_hand: [-1, cards], in_all: [always, -1],
    positions: [POSITIONS, seconds ? NO_LIMIT : _SOLVER_NODES], until: [Infinity, seconds || Infinity] };
}

/** The judge of turns. In play-outs the best policy for the game plays all seats, or the best bot if there is none.
 * @param {Kernels} kernels @param {Policies} policies @param {Rules} rules @returns {Promise<Made>} */
export async function judge(kernels, policies, rules) {
  const name = policies.strongest(rules);
  return { kind: "judge", ...(await player(kernels, policies, name ? `policy:${name}` : bestBot(kernels, rules))) };
}

/** The name of the strongest bot. @param {Kernels} kernels @param {Rules} rules */
function bestBot(kernels, rules) {
  const known = Object.entries(kernels.constant("agents.registry", "AGENTS"));
  const names = known.filter(([, { rung }]) => rung === "all" || (rules.partners && rung === "partners"))
    .map(([name]) => name);
  return names[names.length - 1];
}

/** The player of play-outs in a search: a bot, or `policy:NAME`. @param {Kernels} kernels
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
