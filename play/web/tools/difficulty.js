// How hard puzzles are, by who has found them how often: players and puzzles have ratings on one scale, as in chess,
// and a player with the rating of a puzzle finds it every other time.

const SCALE = 400 / Math.log(10), MEAN = 1500, SPREAD = 300; // of puzzles, before anything is known of them
const ROUNDS = 60;

/** How likely one of a rating finds a puzzle of another. @param {number} player @param {number} puzzle */
const chance = (player, puzzle) => 1 / (1 + Math.exp((puzzle - player) / SCALE));

/** The likeliest ratings of all. @param {number[][]} times by puzzle how often each level has found it
 * @param {number} tries of each @param {number[]} [known] how the levels are rated already
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

/** Newton's step of a rating, held near the mean. @param {number[][]} known how often it has won, and how likely that
 * was @param {number} tries @param {number} away from the mean */
function step(known, tries, away) {
  const slope = known.reduce((sum, [won, likely]) => sum + won - tries * likely, 0) / SCALE + away / SPREAD ** 2,
    bend = known.reduce((sum, [, likely]) => sum + tries * likely * (1 - likely), 0) / SCALE ** 2 + 1 / SPREAD ** 2;
  return Math.max(-SPREAD, Math.min(SPREAD, slope / bend));
}
