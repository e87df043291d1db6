// One number for a person: points that decisions lose beside the best, and the level that loses as much.

/** What the levels lose a decision, as reviews count it: bin/measure.js levels, thirty deals each of Khasino, Cassino, South
 * African Casino and Swazi for three. */
export const ANCHORS = [0.34, 0.25, 0.15]; // easy, medium, strong

/** @typedef {{ lost: number, decisions: number }} Reviewed */

/** The level, easy to strong, that is nearest; -1 for whoever loses still more than easy. @param {number} lost a decision */
export function levelOf(lost) {
  const [easy, medium] = ANCHORS;
  if (lost > easy + (easy - medium) / 2) return -1;
  const gaps = ANCHORS.map((anchor) => Math.abs(anchor - lost));
  return gaps.indexOf(Math.min(...gaps));
}

/** Points lost a decision, over some games. @param {Reviewed[]} games */
export function lostOf(games) {
  const decisions = games.reduce((sum, each) => sum + each.decisions, 0);
  return decisions ? games.reduce((sum, each) => sum + each.lost, 0) / decisions : 0;
}

/** How that went over time: at each game over it and those before, at most `width`. @param {Reviewed[]} games in their order @param {number} [width] */
export const curveOf = (games, width = 10) => games.map((_, at) => lostOf(games.slice(Math.max(0, at + 1 - width), at + 1)));
