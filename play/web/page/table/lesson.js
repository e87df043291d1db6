// The lessons of a first deal: each kind of move is explained when it is possible for the first time, with the rule of
// this game. The topics follow from the possible moves, and so from the switches of the game. The first turns also show
// the best move, later ones only its theme, then nothing.

import { parseAction } from "../casino/src/game/actions.js";
import { Game } from "../casino/src/game/game.js";
import { namesOf } from "../words/names.js";
import { say } from "../words/message.js";
import { rulesText, sentences } from "../words/rules.js";
import { factsOf, movesOf } from "./moves.js";
import { themeOf } from "./puzzles.js";

/** @import { Rules } from "../casino/src/game/rules.js" */
/** @import { Message } from "../words/message.js" */
/** @import { Hint, Move, Seen } from "./shapes.js" */
/** @import { Theme } from "./puzzles.js" */
/** The turn that a judge would play. @typedef {{ words: Message, tokens: string[], actions: string[], theme: Theme }}
 * Best */
/** @typedef {{ topic: string, lines: Message[], tokens: string[] }} Lesson tokens: what the lines refer to */

/** Topics, in order of priority, with the switches whose rule may be explained with each.
 * @type {{ [topic: string]: string[] }} */
const TOPICS = {
  capture: ["bundles", "insist_capture", "multi_capture"],
  build: ["new_builds", "keep_backing"],
  steal: ["steal"],
  add: ["equal_builds", "insist_augment"],
  raise: ["raise_by"],
  discard: ["owner_discard"],
};
const TRIED = 300; // most deals to try for one that begins well
const SHOWN = 3, NAMED = 6; // numbers of turns in which the best move is shown, and its theme at least named

/** The number of turns that the person has had. @param {Seen} seen */
const turnsOf = ({ log, person }) => log.filter(({ seat }) => seat === person).length;

/** Whether this turn's lesson uses the best turn. @param {Seen} seen */
export const isHelped = (seen) => seen.mine && !seen.begun && turnsOf(seen) < NAMED;

/** The lesson of this turn: a new topic, and help that fades; null if there is nothing to explain.
 * @param {Seen} seen @param {Rules} rules @param {string[]} known topics explained so far
 * @param {Best | null} [best] the best turn, if the judge was asked
 * @returns {Lesson | null} */
export function lessonOf(seen, rules, known, best = null) {
  if (seen.over) return { topic: "over", lines: [say("lesson.over")], tokens: [] };
  if (!seen.mine || seen.begun) return null;
  const turns = turnsOf(seen), fresh = topicOf(seen, known, best), lines = [];
  if (fresh) lines.push(say(`lesson.${fresh.topic}`, { move: fresh.move.words }), ...sentences(rules,
    TOPICS[fresh.topic]).slice(0, 1));
  const told = fresh && fresh.topic !== "discard" && isBest(best, fresh.move);
  if (best && turns < SHOWN && !told) lines.push(say("lesson.best", { move: best.words }));
  else if (best && !fresh && turns >= SHOWN && turns < NAMED) lines.push(say(`look.${best.theme}`));
  else if (turns === NAMED) lines.push(say("lesson.alone"));
  if (!lines.length) return null;
  return { topic: fresh?.topic ?? "", lines, tokens: (turns < SHOWN && best?.tokens) || (fresh?.move.tokens ?? []) };
}

/** The first topic that has not been explained, with an example; the best move if its topic is new.
 * @param {Seen} seen @param {string[]} told @param {Best | null} best
 * @returns {{ topic: string, move: Move } | null} */
function topicOf(seen, told, best) {
  const all = Object.keys(TOPICS).filter((topic) => !told.includes(topic)).flatMap((topic) => {
    const moves = movesFor(seen, topic), move = moves.find((each) => isBest(best, each)) ?? moves[0];
    return move ? [{ topic, move }] : [];
  });
  return all.find(({ move }) => isBest(best, move)) ?? all[0] ?? null;
}

/** Whether the best turn begins with a move. @param {Best | null} best @param {Move} [move] */
const isBest = (best, move) => Boolean(best && move) && `${move?.tokens}` === `${best?.tokens}`
  && move?.actions[0] === best?.actions[0];

/** The best turn, its theme, and the cards of its first move. @param {Game} game @param {Hint} hint
 * @returns {Best} */
export const bestOf = ({ record, rules, seat }, { words, tokens, actions }) => ({ words, tokens, actions,
  theme: themeOf(factsOf(record, rules, actions.map(parseAction)), seat) });

/** The introduction: the aim, and what a turn is; a picture replaces the example. @param {Rules} rules */
export const lessonStart = (rules) => rulesText(rules)[0].lines.filter(({ key }) => !key.startsWith("rules.example"));

/** The moves that show a topic. @param {Seen} seen @param {string} topic @returns {Move[]} */
function movesFor({ moves, scene, person }, topic) {
  const tops = scene.seats.flatMap(({ number, pile }) => (number !== person && pile.top ? [pile.top] : [])),
    steals = (/** @type {Move} */ move) => move.tokens.some((token) => tops.includes(token));
  if (topic === "steal") return moves.filter((move) => steals(move));
  // explain discarding only when nothing else is possible
  if (topic === "discard" && moves.some((move) => move.do !== "discard")) return [];
  return moves.filter((move) => move.do === topic && !steals(move));
}

/** Find a seed whose deal the person begins and, if possible, can capture and build at once. @param {Rules} rules */
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
