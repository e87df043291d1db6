// Hints for the next decision, and verdicts on past ones, by a judge.
//
// A judge values the complete turns, with intervals (agents/analyse.js). A verdict is only given where the interval
// allows one; the cost of a game is the sum of losses minus gains.

import { actionText } from "../casino/src/game/actions.js";
import { find, net, told } from "../casino/src/agents/analyse.js";
import { observe } from "../casino/src/game/observed.js";
import { describeTurn } from "../words/moves.js";
import { agentTitle } from "../words/names.js";
import { say } from "../words/message.js";
import { TableError } from "./setup.js";
import { factsOf, planWords } from "./moves.js";
import { doneSince, hasLearnt, turnOf } from "./events.js";

/** @import { Game } from "../casino/src/game/game.js" */
/** @import { Observed } from "../casino/src/game/observed.js" */
/** @import { Names } from "../words/names.js" */
/** @import { TimeLine } from "./replay.js" */
/** @import { Hint, Judged, Move, Summary, Verdict } from "./shapes.js" */
/** @import { Message } from "../words/message.js" */
/** @import { Advice, Options } from "../casino/src/agents/analyse.js" */
/** @import { Agent } from "../casino/src/agents/base.js" */

/** @typedef {{ advise: (observed: Observed, options?: Options) => Advice | Promise<Advice> }} Judge */

const TENTH = 0.05; // points below this are shown as none
const ROWS = 8;

/** The judge's hint. @param {Game} game of the seat that decides @param {Names} names @param {Move[]} moves
 * @param {Judge} judge @param {Message} by its name @param {Options} [how] @returns {Promise<Hint>} */
export async function hintOf(game, names, moves, judge, by, how = {}) {
  const { turns } = await judge.advise(observe(game), how);
  if (!turns.length) throw new TableError("error.hint");
  const rows = turns.slice(0, ROWS).map((turn) => {
    const actions = foreseen(game, turn.actions);
    return {
      words: planWords(game.record, game.rules, actions, names),
      actions: actions.map(actionText),
      value: turn.value,
      error: half(turn),
      share: turn.chance,
      best: turn === turns[0] || turn.low <= 0,
    };
  });
  const [{ words, actions }] = rows;
  return { agent: by, words, actions, tokens: firstMove(actions, moves), value: expects(by, turns[0].value), rows };
}

/** Cut a turn off where it depends on a card that the seat uncovers during the turn. @param {Game} game
 * @param {number[]} actions */
function foreseen(game, actions) {
  const ahead = game.clone(), { seat } = game;
  for (const action of actions) {
    if (ahead.over || !ahead.legal().includes(action)) break;
    ahead.apply(action);
    if (hasLearnt(game, doneSince(game, ahead), seat)) break;
  }
  return doneSince(game, ahead);
}

/** The hint of an agent that judges single actions. @param {Game} game @param {Names} names @param {Move[]} moves
 * @param {Agent} agent @param {string} spec @returns {Promise<Hint>} */
export async function agentHint(game, names, moves, agent, spec) {
  await agent.reset(game.seat, 0);
  const { value, chances } = await agent.analyse(observe(game)), turn = await turnBy(agent, game, true),
    texts = turn.map(actionText),
    by = agentTitle(spec);
  const shares = game
    .legal()
    .map((action) => ({ action, share: chances[action] }))
    .filter(({ share }) => share >= 0.005)
    .sort((a, b) => b.share - a.share);
  return {
    agent: by,
    words: planWords(game.record, game.rules, turn, names),
    actions: texts,
    tokens: firstMove(texts, moves),
    value: value === null ? null : expects(by, value),
    rows: shares
      .slice(0, ROWS)
      .map(({ action, share }, at) => ({
        words: begun(game, action, names, moves),
        actions: [actionText(action)],
        value: null,
        error: 0,
        share,
        best: at === 0,
      })),
  };
}

/** Describe an action, by its whole move if only one move begins with it. @param {Game} game @param {number} action
 * @param {Names} names @param {Move[]} moves */
function begun(game, action, names, moves) {
  const found = moves.filter(({ actions }) => actions[0] === actionText(action));
  return found.length === 1 ? found[0].words : planWords(game.record, game.rules, [action], names);
}

/** What the agent would play one after the other until somebody else decides or the turn is over. @param {Agent} agent
 * @param {Game} game @param {boolean} [foreseeing] only until the seat learns what it could not know before */
export async function turnBy(agent, game, foreseeing = false) {
  const ahead = game.clone(), { seat } = game, turn = turnOf(game);
  while (!ahead.over && ahead.seat === seat && turnOf(ahead) === turn) {
    const legal = ahead.legal();
    ahead.apply(legal.length === 1 ? legal[0] : await agent.act(observe(ahead)));
    if (foreseeing && hasLearnt(game, doneSince(game, ahead), seat)) break;
  }
  return doneSince(game, ahead);
}

/** The tokens of the move that a plan begins with. @param {string[]} plan @param {Move[]} moves */
function firstMove(plan, moves) {
  const fits = moves.filter(({ actions }) => actions.every((text, at) => at >= plan.length || text === plan[at]));
  return fits.sort((a, b) => b.actions.length - a.actions.length)[0]?.tokens ?? [];
}

/** @param {Message} agent @param {number} value */
function expects(agent, value) {
  if (Math.abs(value) < TENTH) return say("hint.level", { agent });
  return say(value > 0 ? "hint.ahead" : "hint.behind", { agent, points: points(value) });
}

/** "1.0 point", "2.5 points". @param {number} value */
const points = (value) =>
  say("count.decimal", { n: Math.abs(value), few: Math.abs(value).toFixed(1) === "1.0" ? 1 : 2 });

/** @param {{ low: number, high: number }} judged */
const half = ({ low, high }) => (high - low) / 2;

// --- past decisions --------------------------------------------------------------------------------------------------

/** Review one decision. @param {TimeLine} line @param {number} step @param {Judge} judge
 * @param {Options} [how] @returns {Promise<Verdict>} */
export async function review(line, step, judge, how = {}) {
  return { step, ...(await judgeTurn(line.game(step), line.turnAt(step), line.names, judge, how)) };
}

/** Compare a turn with the best one. @param {Game} game before it @param {number[]} turn @param {Names} names
 * @param {Judge} judge @param {Options} [how] @returns {Promise<Judged>} */
export async function judgeTurn(game, turn, names, judge, how = {}) {
  return judgedBy(await adviceOn(game, turn, judge, how), game, turn, names);
}

/** Ask for the values of turns, that one included. @param {Game} game @param {number[]} turn @param {Judge} judge
 * @param {Options} how */
export const adviceOn = (game, turn, judge, how) => judge.advise(observe(game), { ...how, also: [turn] });

/** Compare a turn with the best one. @param {Advice} advice @param {Game} game before it @param {number[]} turn
 * @param {Names} names @returns {Judged} */
export function judgedBy(advice, game, turn, names) {
  const { rules, record } = game, judged = find(advice, turn), [best, next] = advice.turns;
  const same = judged.key === best.key, kind = kindOf(same && next ? next : judged, same);
  const [lost, error] = same ? [0, 0] : [judged.loss, half(judged)];
  const played = planWords(record, rules, turn, names);
  return {
    kind,
    words: verdictWords(kind, lost, error),
    exact: advice.by === "solver",
    lost,
    error,
    played,
    best: same ? played : planWords(record, rules, foreseen(game, best.actions), names),
    answer: best.actions,
    position: game.toJson(),
  };
}

/** The best turn that is certainly worse than the best one, and by how much; null if there is none.
 * @param {Advice} advice @param {Game} game @param {Names} names @returns {[Message, Message] | null} */
export function nextBest(advice, game, names) {
  const found = advice.turns.find(({ mistake }) => mistake);
  return found ? [planWords(game.record, game.rules, foreseen(game, found.actions), names),
    verdictWords("behind", found.loss, half(found))] : null;
}

const LONGEST = 6; // turns of a line

/** The continuation if everybody plays best: as far as the solver knows it, or one turn.
 * @param {Game} game @param {Names} names @param {Judge} judge @param {Options} [how] @returns {Promise<Message[]>} */
export async function lineFrom(game, names, judge, how = {}) {
  const line = [], deals = (/** @type {Game} */ { record }) => record.get(0, "deals");
  for (let ahead = game; !ahead.over && deals(ahead) === deals(game) && line.length < LONGEST;) {
    const { by, turns } = await judge.advise(observe(ahead), how);
    if (line.length && by !== "solver") break;
    const facts = factsOf(ahead.record, ahead.rules, foreseen(ahead, turns[0].actions)),
      words = describeTurn(facts, names);
    if (words) line.push(words);
    if (by !== "solver") break;
    ahead = afterTurn(ahead, turns[0].actions);
  }
  return line;
}

/** The game after a turn, its forced end included. @param {Game} start @param {number[]} actions */
export function afterTurn(start, actions) {
  const game = start.clone(), goesOn = () => !game.over && game.seat === start.seat && turnOf(game) === turnOf(start);
  for (const action of actions) if (goesOn() && game.legal().includes(action)) game.apply(action);
  while (goesOn() && game.legal().length === 1) game.apply(game.legal()[0]);
  return game;
}

/** @param {{ low: number, high: number, mistake: boolean }} judged @param {boolean} same @returns {Verdict["kind"]} */
function kindOf({ low, high, mistake }, same) {
  if (same) return half({ low, high }) > told().UNSURE && !mistake ? "unsure" : "same";
  if (mistake) return "mistake";
  if (half({ low, high }) > told().UNSURE) return "unsure";
  return high < 0 ? "better" : "level";
}

/** @param {Verdict["kind"] | "behind"} kind @param {number} loss @param {number} error */
function verdictWords(kind, loss, error) {
  if (kind === "same" || kind === "unsure") return say(`review.${kind}`);
  return say(`review.${kind}${error >= TENTH ? ".error" : ""}`, { points: points(loss), error });
}

/** Summarize the verdicts so far. @param {TimeLine} line @param {Verdict[]} verdicts
 * @returns {Summary} */
export function summary(line, verdicts) {
  const decisions = line.decisions().length, looked = verdicts.length,
    same = verdicts.filter(({ kind }) => kind === "same").length;
  const judged = verdicts.filter(({ kind }) => kind !== "unsure"), unsure = looked - judged.length;
  const { loss: sum, half: error } = net(
    judged.map((each) => ({ loss: each.lost, low: each.lost - each.error, high: each.lost + each.error,
      mistake: each.kind === "mistake" })),
  );
  const rank = (/** @type {Verdict} */ { kind, lost }) => RANKS.indexOf(kind) - lost / 1000;
  const worst = verdicts.filter(({ kind }) => kind !== "same").sort((a, b) => rank(a) - rank(b));
  const clear = verdicts.filter(({ kind }) => kind === "mistake"), mistakes = clear.length;
  const cost = clear.reduce((all, { lost }) => all + lost, 0);
  return {
    judged: judged.length,
    mistakes,
    net: sum,
    error,
    worst,
    words: summaryWords({ decisions, looked, same, mistakes, cost, unsure }),
    count: say("review.count", { same, decisions: looked, net: sum }),
  };
}

/** @type {Verdict["kind"][]} */
const RANKS = ["mistake", "level", "better", "unsure"];

/** @param {{ decisions: number, looked: number, same: number, mistakes: number, cost: number,
 * unsure: number }} found */
function summaryWords({ decisions, looked, same, mistakes, cost, unsure }) {
  if (!decisions) return say("review.none");
  if (looked < decisions) return say("review.looking", { looked, decisions });
  if (mistakes) return say("review.lost", { mistakes, points: points(cost), unsure });
  return same === decisions ? say("review.perfect", { decisions }) : say("review.fine", { decisions, unsure });
}

// --- a rating --------------------------------------------------------------------------------------------------------

/** Points that each level loses at a decision, as reviews count: measured by tools/measure.js levels, with thirty deals
 * each of Khasino, Cassino, South African Casino and Swazi for three. */
export const ANCHORS = [0.34, 0.25, 0.15]; // easy, medium, strong

/** @typedef {{ lost: number, decisions: number }} Reviewed */

/** The nearest level, 0 (easy) to 2 (strong); -1: clearly below easy. @param {number} lost points lost at a decision */
export function levelOf(lost) {
  const [easy, medium] = ANCHORS;
  if (lost > easy + (easy - medium) / 2) return -1;
  const gaps = ANCHORS.map((anchor) => Math.abs(anchor - lost));
  return gaps.indexOf(Math.min(...gaps));
}

/** The mean loss at a decision over some games, in points. @param {Reviewed[]} games */
export function lostOf(games) {
  const decisions = games.reduce((sum, each) => sum + each.decisions, 0);
  return decisions ? games.reduce((sum, each) => sum + each.lost, 0) / decisions : 0;
}

/** The moving average of that: at each game, over the last `width` games. @param {Reviewed[]} games in order
 * @param {number} [width] */
export const curveOf = (games, width = 10) =>
  games.map((_, at) => lostOf(games.slice(Math.max(0, at + 1 - width), at + 1)));
