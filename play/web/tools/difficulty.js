// Rate puzzles by how often each level solves them: levels and puzzles have Elo ratings on one scale, and a player
// solves a puzzle of the same rating half the time.

const SCALE = 400 / Math.log(10), MEAN = 1500, SPREAD = 300; // MEAN, SPREAD: the prior of a puzzle's rating
const ROUNDS = 60;

/** The probability that a player solves a puzzle, by their ratings. @param {number} player @param {number} puzzle */
const chance = (player, puzzle) => 1 / (1 + Math.exp((puzzle - player) / SCALE));

/** Fit all ratings by maximum likelihood. @param {number[][]} times by puzzle: how often each level solved it
 * @param {number} tries of each level at each puzzle @param {number[]} [known] fixed ratings of the levels
 * @returns {{ levels: number[], ratings: number[] }} */
export function rated(times, tries, known) {
  const levels = known ?? (times[0] ?? []).map(() => MEAN), ratings = times.map(() => MEAN);
  for (let round = 0; round < ROUNDS; round++) {
    if (!known) levels.forEach((level, at) => {
      levels[at] += step(times.map((row, puzzle) => [row[at], chance(level, ratings[puzzle])]), tries, 0);
    });
    ratings.forEach((rating, puzzle) => {
      const found = times[puzzle].map((right, at) => [tries - right, 1 - chance(levels[at], rating)]);
      ratings[puzzle] += step(found, tries, MEAN - rating);
    });
  }
  return { levels: levels.map(Math.round), ratings: ratings.map(Math.round) };
}

/** A Newton step for one rating, with a normal prior. @param {number[][]} known wins, and their probability by the
 * current ratings @param {number} tries @param {number} away distance to the mean */
function step(known, tries, away) {
  const slope = known.reduce((sum, [won, likely]) => sum + won - tries * likely, 0) / SCALE + away / SPREAD ** 2,
    bend = known.reduce((sum, [, likely]) => sum + tries * likely * (1 - likely), 0) / SCALE ** 2 + 1 / SPREAD ** 2;
  return Math.max(-SPREAD, Math.min(SPREAD, slope / bend));
}
