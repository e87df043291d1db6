/** The settings of a search and their defaults. */

import { closest, floatIn, intIn, shortRepr } from "../game/validate.js";

/** @import { Kernels } from "../kernels/kernels.js" */

/**
 * As SearchSettings in agents/search/search_settings.py. Omitted settings get defaults.
 *
 * @typedef {object} SearchSettings
 * @property {number} [sims]
 * @property {number} [time]
 * @property {string} [rollout]
 * @property {string} [policy]
 * @property {number} [cut]
 * @property {string} [horizon]
 * @property {number} [margin]
 * @property {number} [importance]
 * @property {number} [explore]
 * @property {number} [threads]
 * @property {number} [solve]
 */

/** @typedef {{ sims?: number, time?: number, rollout: string, cut?: number, horizon?: string, margin: number,
 *   importance: number, explore: number }} Resolved settings with defaults filled in */

/** @param {Kernels} kernels @param {SearchSettings} given @returns {Resolved} */
export function resolved(kernels, given) {
  const c = kernels.constants("agents.search.search_settings"), { sims, time, policy, horizon } = given;
  check(c.SETTINGS, kernels.constant("agents.search.horizon", "HORIZONS"), given);
  const cut = policy && given.cut === undefined ? c._CUT : given.cut, [many, long] = c._WEIGHED;
  const large = (sims ?? 0) >= many || (time ?? 0) >= long;
  return {
    sims: sims ?? (time === undefined ? c._SIMS : undefined), time, cut, horizon,
    rollout: policy ? `policy:${policy}` : (given.rollout ?? c._ROLLOUT),
    margin: given.margin ?? c.MOST_MARGIN, importance: given.importance ?? (large ? c._IMPORTANCE : 0),
    explore: given.explore ?? (cut === undefined ? c._EXPLORE : c._EXPLORE_JUDGED),
  };
}

/** @param {Record<string, [kind: string, low: number, high: number]>} settings @param {string[]} horizons
 * @param {SearchSettings} given */
function check(settings, horizons, given) {
  const { policy, rollout, horizon, sims, time, threads } = given;
  for (const [name, [kind, low, high]] of Object.entries(settings)) {
    const value = given[/** @type {keyof SearchSettings} */ (name)];
    if (value === undefined || kind === "str") continue;
    if (kind === "int") intIn(value, name, low, high);
    else floatIn(value, name, low, high, name === "time");
  }
  if (policy && rollout) throw new Error("give policy or rollout, not both");
  if (horizon !== undefined && !horizons.includes(horizon))
    throw new Error(`horizon = ${shortRepr(horizon)}${closest(horizon, horizons)}; it must be one of ${horizons.join(", ")}`);
  if (sims !== undefined && time !== undefined) throw new Error("give sims or time, not both");
  if (threads !== undefined && threads !== 1) throw new Error(`threads = ${threads}; it must be 1 here`);
}

/** The kernels' code for the point where play-outs end. @param {Kernels} kernels @param {string} [horizon] */
export function horizonNumber(kernels, horizon) {
  const { HORIZONS, WHICHEVER } = kernels.constants("agents.search.horizon");
  return horizon === undefined ? WHICHEVER : HORIZONS.indexOf(horizon);
}
