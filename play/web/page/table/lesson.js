// A first deal with somebody beside you: whatever can be done for the first time is explained then, with the rule that
// holds in this game. What there is to explain follows from the moves that are possible, and so from the switches of
// the game.

import { Game } from "../casino/src/game/game.js";
import { namesOf } from "../words/names.js";
import { say } from "../words/message.js";
import { rulesText, sentences } from "../words/rules.js";
import { movesOf } from "./moves.js";

/** @import { Rules } from "../casino/src/game/rules.js" */
/** @import { Message } from "../words/message.js" */
/** @import { Move, Seen } from "./shapes.js" */
/** @typedef {{ topic: string, lines: Message[], tokens: string[] }} Lesson tokens: what the lines speak of */

/** Topics with the switches whose rule is told, in the order in which they are explained where several are possible.
 * @type {{ [topic: string]: string[] }} */
const TOPICS = {
  capture: ["bundles", "insist_capture", "multi_capture"],
  build: ["new_builds", "keep_backing"],
  steal: ["steal"],
  add: ["equal_builds", "insist_augment"],
  raise: ["raise_by"],
  discard: ["owner_discard"],
};
const TRIED = 300; // deals, for one that begins well

/** What is to be explained now, of what has not been told; null if nothing is new. @param {Seen} seen
 * @param {Rules} rules @param {string[]} told topics @returns {Lesson | null} */
export function lessonOf(seen, rules, told) {
  if (seen.over) return { topic: "over", lines: [say("lesson.over")], tokens: [] };
  if (!seen.mine || seen.begun) return null;
  const topic = Object.keys(TOPICS).find((each) => !told.includes(each) && moveOf(seen, each)),
    move = topic ? moveOf(seen, topic) : null;
  if (!topic || !move) return null;
  const rule = sentences(rules, TOPICS[topic]).slice(0, 1);
  return { topic, lines: [say(`lesson.${topic}`, { move: move.words }), ...rule], tokens: move.tokens };
}

/** What is told before the first card: the aim, and what a turn is. @param {Rules} rules */
export const lessonStart = (rules) => rulesText(rules)[0].lines.slice(0, 2);

/** The first move that shows a topic. @param {Seen} seen @param {string} topic @returns {Move | null} */
function moveOf({ moves, scene, person }, topic) {
  const tops = scene.seats.flatMap(({ number, pile }) => (number !== person && pile.top ? [pile.top] : [])),
    steals = (/** @type {Move} */ move) => move.tokens.some((token) => tops.includes(token));
  if (topic === "steal") return moves.find((move) => steals(move)) ?? null;
  // it is the last that one would do
  if (topic === "discard" && moves.some((move) => move.do !== "discard")) return null;
  return moves.find((move) => move.do === topic && !steals(move)) ?? null;
}

/** A deal in which the person begins, and can take and build at once, as far as there is one. @param {Rules} rules */
export function lessonSeed(rules) {
  const wanted = rules.bundles ? ["capture"] : ["capture", "build"];
  let best = { seed: 0, shown: -1 };
  for (let seed = 0; seed < TRIED && best.shown < wanted.length; seed++) {
    const game = new Game(rules, rules.players, seed, { skipForced: false });
    if (game.seat !== 0) continue;
    const verbs = movesOf(game.record, rules, namesOf(["you"])).map((move) => move.do),
      shown = wanted.filter((verb) => verbs.includes(/** @type {Move["do"]} */ (verb))).length;
    if (shown > best.shown) best = { seed, shown };
  }
  return best.seed;
}
