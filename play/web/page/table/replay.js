// A record as a time line: all steps, and the table at each of them.

import { END } from "../casino/src/game/actions.js";
import { readRecord } from "../casino/src/game/record.js";
import { isMiddle } from "../words/look.js";
import { namesOf, seatNames } from "../words/names.js";
import { TableError, inWords } from "./setup.js";
import { linesOf } from "./log.js";
import { kindsOf } from "./house.js";
import { sceneOf } from "./scene.js";
import { eventOf, turnOf } from "./events.js";

/** @import { Game } from "../casino/src/game/game.js" */
/** @import { Message } from "../words/message.js" */
/** @import { Names } from "../words/names.js" */
/** @import { Event, Replayed } from "./shapes.js" */
/** @typedef {{ event: Event, actions: number[], before: Game }} Step */

/** Read a record into a time line. @param {string} record @param {string[]} [specs] of the seats, if known */
export function timeLine(record, specs = []) {
  const { game, actions } = inWords("error.record", () => readRecord(record)), { rules } = game;
  const known = specs.length === rules.players, names = known ? namesOf(specs, { partners: rules.partners })
    : seatNames(rules.players);
  /** @type {Step[]} */
  const steps = [];
  let before = game.clone(), /** @type {number[]} */ pending = [];
  for (const [, text] of actions) {
    game.apply(text);
    pending.push(game.log[game.log.length - 1][1]);
    if (isMiddle(game.record.get(0, "mode"))) continue;
    steps.push({ event: eventOf(before, game.clone(), pending, names), actions: pending, before });
    [before, pending] = [game.clone(), []];
  }
  return new TimeLine(steps, game, names, known ? kindsOf(specs, rules) : []);
}

/** The steps of a record, and the game after the last of them. */
export class TimeLine {
  /** @param {Step[]} steps @param {Game} end @param {Names} names
   * @param {(Message | null)[]} kinds of agents, by seat */
  constructor(steps, end, names, kinds) {
    this.steps = steps;
    this.end = end;
    this.names = names;
    this.kinds = kinds;
    this.events = steps.map(({ event }) => event);
    /** The log, turn by turn. */
    this.lines = linesOf(this.events, names);
  }

  /** The game before a step, or at the end if there is no such step. @param {number} step @returns {Game} */
  game(step) {
    return step < this.steps.length ? this.steps[step].before : this.end;
  }

  /** The table at a step as a seat sees it. @param {number} step @param {number | null} seat null: show all hands
   * @returns {Replayed} */
  seen(step, seat = null) {
    const at = Math.min(Math.max(0, step), this.steps.length), game = this.game(at), { names, kinds } = this;
    return {
      person: names.you,
      names: names.called,
      scene: sceneOf(game, seat, names, kinds),
      next: at < this.steps.length ? (linesOf(this.events.slice(0, this.turnEnd(at)), names, at)[0] ?? null) : null,
      log: this.lines,
      position: game.toJson(),
      sheet: game.over ? (this.events.at(-1)?.ended ?? null) : null,
    };
  }

  /** The steps to stop at: those with a description, and the end. */
  get stops() {
    return [...this.events.flatMap(({ words }, at) => (words ? [at] : [])), this.steps.length];
  }

  /** The points already certain at each stop: of the person's side, and the most of any other. @returns {number[][]} */
  scores() {
    const { rules } = this.end, mine = rules.side(Math.max(0, this.names.you));
    const all = this.stops.map((stop) => this.game(stop).scores());
    const most = (/** @type {boolean} */ own) => all.map((seats) =>
      Math.max(...seats.filter((_, seat) => (rules.side(seat) === mine) === own)));
    return [most(true), most(false)];
  }

  /** Whether a turn, or an answer within one, begins with this step. @param {number} step */
  begins(step) {
    if (step === 0) return true;
    const one = this.steps[step - 1].before, two = this.steps[step].before;
    return one.seat !== two.seat || turnOf(one) !== turnOf(two);
  }

  /** The first step after this step's turn, or from which somebody else decides. @param {number} step */
  turnEnd(step) {
    let end = step + 1;
    while (end < this.steps.length && !this.begins(end)) end++;
    return end;
  }

  /** The actions from a step to the end of its turn. @param {number} step @returns {number[]} */
  turnAt(step) {
    if (step < 0 || step >= this.steps.length) throw new TableError("error.step", { step, steps: this.steps.length });
    return this.steps.slice(step, this.turnEnd(step)).flatMap(({ actions }) => actions);
  }

  /** The decisions of a seat: steps that begin a turn or an answer with more than one legal action.
   * @param {number} [seat] @returns {number[]} */
  decisions(seat = this.names.you) {
    return this.steps.flatMap(({ event, before, actions }, at) =>
      event.seat === seat && this.begins(at) && before.legal().length > 1 && actions[0] !== END ? [at] : [],
    );
  }
}
