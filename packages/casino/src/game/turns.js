/** List the complete turns from a position; a kernel (engine/complete_turns.py) finds them. */

import { actionText } from "./actions.js";
import { cardName, CARDS } from "./cards.js";
import { tell } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { borrowing } from "../kernels/memory.js";
import { toJson } from "./position.js";
import { filled } from "./validate.js";

/** @import { Values } from "../kernels/kernels.js" */
/** @import { Rules } from "./rules.js" */
/** @typedef {{ record: Values, rules: Rules }} Recorded anything with a record and its rules, such as a Game */
/** @typedef {{ text: string, actions: string[], after: import("./position.js").Position }} Turn */
/** @typedef {{ record: Values, actions: number[] }} Result the state after a turn, and the turn's actions */

/** The table is too crowded to list the complete turns; playing action by action is always possible. */
export class TooManyTurnsError extends Error {
  name = "TooManyTurnsError";
}

/** The kernel's constants by name. @returns {Record<string, number>} */
const settings = () => use().constants("engine.complete_turns");

/** List all turns from some positions; throw TooManyTurnsError. end: WHOLE_TURN, AS_THE_SEAT_SEES or AT_REST of
 * engine/complete_turns.py. @param {Values[]} starts @param {Rules} rules @param {string} [end]
 * @param {{ mostTurns?: number, most?: number }} [limits] most: positions to examine; default: about a second's worth
 * @returns {Result[]} */
export function findTurns(starts, rules, end = "WHOLE_TURN", { mostTurns = settings().MOST_TURNS, most = -1 } = {}) {
  const kernels = use(), [way] = kernels.facts.records.LISTING.fields.path[2], { NO_ROOM, LISTED } = settings();
  for (let room = kernels.constant("turns", "_ROOM"); ; room *= 8) {
    const many = Math.min(room, mostTurns);
    const found = borrowing((memory) => {
      const listing = memory.records("LISTING", 1), lengths = memory.array("i64", many);
      const records = memory.records("GAME", many), paths = memory.array("i16", many, way);
      const turns = { stack: memory.records("GAME", way + 1), listing, records, keys: memory.array("u64", many),
        lengths, paths };
      Object.entries({ end: settings()[end], most }).forEach(([name, value]) => listing.set(0, name, value));
      const on = [memory.copies(...starts), memory.copies(rules.record)];
      const how = kernels.entry("engine.complete_turns.list_turns")(...on, turns);
      if (how === NO_ROOM && room < mostTurns) return null;
      if (how !== LISTED) {
        const said = kernels.constant("turns", "TOO_CROWDED")[how];
        const limit = how === NO_ROOM ? mostTurns : listing.get(0, "most");
        throw new TooManyTurnsError(filled(said, { most: limit.toLocaleString("en-US") }));
      }
      return Array.from({ length: listing.get(0, "found") }, (_, k) => ({
        record: kernels.values("GAME", records.bytes(k)),
        actions: [...paths.data.subarray(k * way, k * way + Number(lengths.data[k]))],
      }));
    });
    if (found) return found;
  }
}

/** A turn as one line of words, such as `build 9 = 5D + 4S*; end`: a star marks the hand card. Who gets what is
 * left at the end of the deal is not told. @param {Recorded} game before it @param {number[]} actions */
function turnText({ record, rules }, actions) {
  const { PHRASES, BEGINNINGS } = use().constants("engine.wording");
  /** @type {string[]} */
  const parts = [];
  for (const [phrase, number, pile] of tell(record, rules, actions)) {
    const text = filled(PHRASES[phrase], { card: cardName(number % CARDS), number, pile });
    if (phrase < BEGINNINGS) parts.push(text);
    else parts[parts.length - 1] += text;
  }
  return parts.join("; ");
}

/** See Game.turns: none if the game is over. @param {Recorded} game @returns {Turn[]} */
export function completeTurns(game) {
  return findTurns([game.record], game.rules).map(({ record: after, actions }) => ({
    text: turnText(game, actions),
    actions: actions.map(actionText),
    after: toJson(after, game.rules),
  }));
}
