// The person's rating at puzzles, by Glicko-2 (Glickman 2013): rating, deviation and volatility.

/** @typedef {{ rating: number, deviation: number, volatility: number }} Rated */
/** A result, 1 won or 0 lost, against an opponent of this rating.
 * @typedef {{ rating: number, deviation: number, score: number }} Game */

const SCALE = 173.7178, MEAN = 1500, TAU = 0.5, EXACT = 1e-6;

/** The rating of a new player. @type {Rated} */
export const UNRATED = { rating: MEAN, deviation: 350, volatility: 0.06 };

/** Deviation above which a rating is too uncertain to show as the person's own. */
export const UNSURE = 110;

/** Update a rating after some games. @param {Rated} player @param {Game[]} games @returns {Rated} */
export function rate(player, games) {
  const mu = (player.rating - MEAN) / SCALE, phi = player.deviation / SCALE;
  const seen = games.map(({ rating, deviation, score }) => {
    const weight = 1 / Math.sqrt(1 + (3 * (deviation / SCALE) ** 2) / Math.PI ** 2);
    return { weight, score, likely: 1 / (1 + Math.exp(-weight * (mu - (rating - MEAN) / SCALE))) };
  });
  const variance = 1 / seen.reduce((sum, { weight, likely }) => sum + weight ** 2 * likely * (1 - likely), 0);
  const gain = seen.reduce((sum, { weight, score, likely }) => sum + weight * (score - likely), 0);
  const volatility = varied(player.volatility, phi, variance, variance * gain);
  const now = 1 / Math.sqrt(1 / (phi ** 2 + volatility ** 2) + 1 / variance);
  return { rating: MEAN + SCALE * (mu + now ** 2 * gain), deviation: SCALE * now, volatility };
}

/** The new volatility: the zero of a falling function, by regula falsi. @param {number} old @param {number} phi
 * @param {number} variance @param {number} delta */
function varied(old, phi, variance, delta) {
  const a = Math.log(old ** 2);
  const f = (/** @type {number} */ x) => {
    const e = Math.exp(x), all = phi ** 2 + variance + e;
    return (e * (delta ** 2 - all)) / (2 * all ** 2) - (x - a) / TAU ** 2;
  };
  let low = a, high = Math.log(Math.max(delta ** 2 - phi ** 2 - variance, Number.MIN_VALUE));
  if (delta ** 2 <= phi ** 2 + variance) for (high = a - TAU; f(high) < 0;) high -= TAU;
  let [atLow, atHigh] = [f(low), f(high)];
  while (Math.abs(high - low) > EXACT) {
    const next = low + ((low - high) * atLow) / (atHigh - atLow), at = f(next);
    if (at * atHigh <= 0) [low, atLow] = [high, atHigh];
    else atLow /= 2;
    [high, atHigh] = [next, at];
  }
  return Math.exp(low / 2);
}
