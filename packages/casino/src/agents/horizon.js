/** How far play-outs go where the stock deals hands several times; see agents/search/horizon.py. */

/**
 * 1: they end when the cards in hands have been played; 0: when the deal is over.
 *
 * @param {import("./base.js").Kernels} kernels
 * @param {import("./base.js").Rules} rules
 * @param {string} [horizon] without one the first where more cards are dealt later on, and what is taken is safe
 */
export function horizonOf(kernels, rules, horizon) {
  if (horizon !== undefined) return kernels.constant("agents.search.horizon", "HORIZONS").indexOf(horizon);
  return Number(rules.stacking === "face_down" && (rules.rounds > 1 || rules.draw_hand > 0));
}
