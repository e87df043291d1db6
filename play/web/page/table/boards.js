// Boards for lessons of one move: a position and the goal of the turn. Several games share the boards of lessons.json;
// the engine finds which turns reach the goal.

import { actionText, parseAction } from "../casino/src/game/actions.js";
import { hasCard, parseCard } from "../casino/src/game/cards.js";
import { findTurns } from "../casino/src/game/turns.js";
import { cardArg, say } from "../words/message.js";
import { Look } from "../words/look.js";
import { setupFromPosition, TableError } from "./setup.js";
import { Table } from "./table.js";

/** @import { Values } from "../casino/src/kernels/kernels.js" */
/** @import { Move } from "./shapes.js" */
/** @import { Theme } from "./puzzles.js" */

/** What the person must have after the turn: cards on the pile or in the hand, or a build of a value with some cards.
 * @typedef {{ pile?: string[], hand?: string[], build?: number, cards?: string[] }} Goal */
/** idea: the theme of a right turn; steps: actions of others to play first; the other fields are Position JSON.
 * @typedef {{ idea: Theme, goal: Goal, steps?: string[], [field: string]: any }} Board */
/** @typedef {{ format: string, games: { [variant: string]: string[] }, boards: { [id: string]: Board } }} Lessons */

const FORMAT = "casino-lessons 1";
const SCORING = ["TD", "2S"]; // cards that texts may mention on every board

/** @param {any} data @returns {Lessons} */
export function readLessons(data) {
  if (data?.format !== FORMAT) throw new TableError("error.lessons");
  return data;
}

/** The table of a board; the person sits on the first seat and decides next. @param {Board} board
 * @param {string} variant @param {string} other the spec of all other seats */
export function boardTable({ idea: _, goal: __, steps = [], ...position }, variant, other) {
  const players = position.players ?? 2, specs = ["you", ...Array(players - 1).fill(other)];
  const table = new Table(setupFromPosition({ variant, players, ...position }, specs));
  if (steps.length) table.redo(steps.map(parseAction));
  return table;
}

/** A text of a board: its title, task or verdict. @param {string} id @param {Board} board
 * @param {"title" | "task" | "right" | "wrong"} part @param {Table} table */
export function boardWords(id, { hands, layout, piles = [] }, part, { rules }) {
  const cards = [...hands, layout, ...piles, SCORING].flat().map((card) => [card, cardArg(card)]);
  const { name: game, insist_capture: insist, steal, build_limit: limit } = rules;
  return say(`board.${id}.${part}`, { ...Object.fromEntries(cards), game, steal, limit, must: `${insist === "always"}`,
    five: `${rules.five_spades_points > 0}` });
}

/** Whether the goal is reached. @param {Goal} goal @param {Values} record @param {number} seat */
export function isReached({ pile = [], hand = [], build = 0, cards = [] }, record, seat) {
  const look = new Look(record);
  const within = (/** @type {number} */ set, /** @type {string[]} */ some) =>
    some.every((card) => hasCard(set, parseCard(card)));
  return within(look.num("piles", seat), pile) && within(look.num("hands", seat), hand)
    && (!build || (((look.num("owned", seat) >> build) & 1) === 1 && within(look.num("build_cards", build), cards)));
}

/** All turns that reach the goal, as actions. @param {Goal} goal @param {Table} table */
export const rightTurns = (goal, { game, person }) => findTurns([game.record], game.rules)
  .filter(({ record }) => isReached(goal, record, person)).map(({ actions }) => actions);

/** The next move of the shortest turn that reaches the goal; null if none does any more. @param {Goal} goal
 * @param {Table} table @returns {Move | null} */
export function rightMove(goal, table) {
  const turns = rightTurns(goal, table).sort((one, other) => one.length - other.length)
    .map((actions) => actions.map(actionText));
  const begins = (/** @type {Move} */ { actions }, /** @type {string[]} */ turn) =>
    actions.every((action, at) => action === turn[at]);
  for (const turn of turns) {
    const found = table.moves().filter((move) => begins(move, turn));
    if (found.length) return found.reduce((one, other) => (other.actions.length > one.actions.length ? other : one));
  }
  return null;
}
