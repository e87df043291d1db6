// What a judge makes of a position: hints for a decision that is to be taken, verdicts on those that were.
//
// A judge lists the complete turns with what each is worth and how sure that is (agents/analyse.js). A verdict is only
// given beyond its interval, and what a game has cost is the sum of losses less gains.

import { actionText } from "../actions.js";
import { doneSince, hasLearnt } from "../beliefs.js";
import { observe } from "../observed.js";
import { resultKey } from "../turns.js";
import { agentTitle } from "../words/names.js";
import { say } from "../words/message.js";
import { TableError } from "./errors.js";
import { planWords } from "./moves.js";
import { turnOf } from "./events.js";

/** @typedef {import("../game.js").Game} Game */
/** @typedef {import("../observed.js").Observed} Observed */
/** @typedef {import("../words/names.js").Names} Names */
/** @typedef {import("./replay.js").TimeLine} TimeLine */
/** @typedef {import("./shapes.js").Hint} Hint */
/** @typedef {import("./shapes.js").Move} Move */
/** @typedef {import("./shapes.js").Verdict} Verdict */
/** @typedef {import("./shapes.js").Summary} Summary */
/** @typedef {import("../words/message.js").Message} Message */

/** A turn, until somebody else decides. loss: points that it is worth less than the best; low and high: its interval.
 * @typedef {{ actions: number[], value: number, loss: number, low: number, high: number, chance: number }} Judged */
/** @typedef {{ by: "solver" | "play-outs", turns: Judged[] }} Advice the best first */
/** @typedef {{ advise: (observed: Observed, options?: { also?: number[][], seconds?: number }) => Advice | Promise<Advice> }} Judge */

const MISTAKE = 0.25; // points: a turn that loses more for sure is one
const TENTH = 0.05; // points that are shown as none
const ROWS = 8;

/** What the judge would do. @param {Game} game of the seat that decides @param {Names} names @param {Move[]} moves @param {Judge} judge
 * @param {Message} by its name @param {{ seconds?: number }} [how] @returns {Promise<Hint>} */
export async function hintOf(game, names, moves, judge, by, how = {}) {
  const { turns, by: kind } = await judge.advise(observe(game), how);
  if (!turns.length) throw new TableError("error.hint");
  const best = turns[0];
  return {
    agent: by, words: planWords(game.record, game.rules, best.actions, names), actions: best.actions.map(actionText),
    tokens: firstMove(best.actions.map(actionText), moves), value: expects(by, best.value),
    rows: turns.slice(0, ROWS).map((turn) => ({
      words: planWords(game.record, game.rules, turn.actions, names), actions: turn.actions.map(actionText), value: turn.value,
      error: kind === "solver" ? 0 : half(turn), share: turn.chance, best: turn === best || turn.low <= 0,
    })),
  };
}

/** What an agent would do that judges action by action. @param {Game} game @param {Names} names @param {Move[]} moves
 * @param {import("../agents/base.js").Agent} agent @param {string} spec @returns {Promise<Hint>} */
export async function agentHint(game, names, moves, agent, spec) {
  await agent.reset(game.seat, 0);
  const { value, chances } = await agent.analyse(observe(game)), turn = await planned(agent, game), texts = turn.map(actionText), by = agentTitle(spec);
  const shares = game.legal().map((action) => ({ action, share: chances[action] })).filter(({ share }) => share >= 0.005).sort((a, b) => b.share - a.share);
  return {
    agent: by, words: planWords(game.record, game.rules, turn, names), actions: texts, tokens: firstMove(texts, moves),
    value: value === null ? null : expects(by, value),
    rows: shares.slice(0, ROWS).map(({ action, share }, at) => ({ words: begun(game, action, names, moves), actions: [actionText(action)], value: null, error: 0, share, best: at === 0 })),
  };
}

/** An action that one move alone begins with is told by that move. @param {Game} game @param {number} action @param {Names} names @param {Move[]} moves */
function begun(game, action, names, moves) {
  const found = moves.filter(({ actions }) => actions[0] === actionText(action));
  return found.length === 1 ? found[0].words : planWords(game.record, game.rules, [action], names);
}

/** What the agent would play one after the other until somebody else decides, the turn is over, or the seat has learnt
 * what it could not know before. @param {import("../agents/base.js").Agent} agent @param {Game} game */
async function planned(agent, game) {
  const ahead = game.clone(), { seat } = game, turn = turnOf(game);
  while (!ahead.over && ahead.seat === seat && turnOf(ahead) === turn) {
    const legal = ahead.legal();
    ahead.apply(legal.length === 1 ? legal[0] : await agent.act(observe(ahead)));
    if (hasLearnt(game, doneSince(game, ahead), seat)) break;
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
const points = (value) => say("count.decimal", { n: Math.abs(value), few: Math.abs(value).toFixed(1) === "1.0" ? 1 : 2 });

/** @param {{ low: number, high: number }} judged */
const half = ({ low, high }) => (high - low) / 2;

// --- decisions that were taken ---------------------------------------------------------------------------------------

/** One decision looked at again. @param {TimeLine} line @param {number} step @param {Judge} judge @param {{ seconds?: number }} [how] @returns {Promise<Verdict>} */
export async function review(line, step, judge, how = {}) {
  const turn = line.turnAt(step), game = line.game(step), { rules, record } = game;
  const advice = await judge.advise(observe(game), { ...how, also: [turn] }), best = advice.turns[0], key = leftBy(game, turn);
  const found = advice.turns.find(({ actions }) => leftBy(game, actions) === key);
  const same = !found || leftBy(game, best.actions) === key, exact = advice.by === "solver";
  const judged = same ? { loss: 0, low: 0, high: 0 } : found, kind = kindOf(judged, same), error = exact ? 0 : half(judged);
  return {
    step, kind, words: verdictWords(kind, judged.loss, error), exact, lost: judged.loss, error,
    played: planWords(record, rules, turn, line.names), best: planWords(record, rules, same ? turn : best.actions, line.names), position: game.toJson(),
  };
}

/** What a turn leaves: the same however it is ended and in whatever order it was played. @param {Game} game @param {number[]} actions */
function leftBy(game, actions) {
  const ahead = game.clone(), { seat } = game, turn = turnOf(game);
  for (const action of actions) ahead.apply(action);
  while (!ahead.over && ahead.seat === seat && turnOf(ahead) === turn && ahead.legal().length === 1) ahead.apply(ahead.legal()[0]);
  return resultKey(ahead.record, ahead.rules);
}

/** @param {{ low: number, high: number }} judged @param {boolean} same @returns {Verdict["kind"]} */
function kindOf({ low, high }, same) {
  if (same) return "same";
  if (low > MISTAKE) return "mistake";
  return high < 0 ? "better" : "level";
}

/** @param {Verdict["kind"]} kind @param {number} loss @param {number} error */
function verdictWords(kind, loss, error) {
  if (kind === "same") return say("review.same");
  return say(`review.${kind}${error >= TENTH ? ".error" : ""}`, { points: points(loss), error });
}

/** What the decisions looked at so far come to. @param {TimeLine} line @param {Verdict[]} verdicts @returns {Summary} */
export function summary(line, verdicts) {
  const decisions = line.decisions().length, looked = verdicts.length, same = verdicts.filter(({ kind }) => kind === "same").length;
  const net = verdicts.reduce((sum, { lost }) => sum + lost, 0), error = Math.hypot(...verdicts.map((each) => each.error));
  const rank = (/** @type {Verdict} */ { kind, lost }) => (kind === "mistake" ? 1000 : 0) + lost;
  const worst = verdicts.filter(({ kind }) => kind !== "same").sort((a, b) => rank(b) - rank(a));
  const mistakes = verdicts.filter(({ kind }) => kind === "mistake").length;
  return { decisions, looked, same, mistakes, net, error, worst, words: summaryWords({ decisions, looked, same, net, error }), count: say("review.count", { same, decisions: looked, mistakes }) };
}

/** @param {{ decisions: number, looked: number, same: number, net: number, error: number }} found */
function summaryWords({ decisions, looked, same, net, error }) {
  if (!decisions) return say("review.none");
  if (looked < decisions) return say("review.looking", { looked, decisions });
  const args = { decisions, points: points(net), error };
  if (same === decisions) return say("review.perfect", args);
  if (Math.abs(net) <= Math.max(error, TENTH)) return say("review.fine", args);
  if (net < 0) return say("review.won", args);
  return say(error < TENTH ? "review.lost.exact" : "review.lost", args);
}
