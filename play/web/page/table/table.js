// A game between a person and agents: moves, undo, saving, and what the person sees.

import { END, actionText, parseAction } from "../casino/src/game/actions.js";
import { uncheckedGame } from "../casino/src/game/game.js";
import { use } from "../casino/src/kernels/kernels.js";
import { observe, sampleDeterminizations } from "../casino/src/game/observed.js";
import { writeRecord } from "../casino/src/game/record.js";
import { oneLine, shortRepr } from "../casino/src/game/validate.js";
import { IDLE, Look, isMiddle } from "../words/look.js";
import { agentTitle, FRIEND, GUEST, namesOf, PERSON } from "../words/names.js";
import { question } from "../words/questions.js";
import { whyNot } from "../words/why.js";
import { say } from "../words/message.js";
import { hashOf } from "./code.js";
import { begin, changedRules, inWords, makeSetup, TableError } from "./setup.js";
import { doneSince, eventOf, hasLearnt, turnOf } from "./events.js";
import { linesOf, newsOf } from "./log.js";
import { movesOf } from "./moves.js";
import { sceneOf } from "./scene.js";
import { agentHint, hintOf } from "./review.js";
import { kindsOf } from "./house.js";
import { goalOf, matchScore } from "./sheet.js";

/** @import { Game } from "../casino/src/game/game.js" */
/** @import { Values } from "../casino/src/kernels/kernels.js" */
/** @import { Rules } from "../casino/src/game/rules.js" */
/** @import { Agent } from "../casino/src/agents/base.js" */
/** @import { Message } from "../words/message.js" */
/** @import { Event, Hint, Move, Past, Saved, Seen, Setup } from "./shapes.js" */
/** @import { Step } from "./replay.js" */
/** @import { Judge } from "./review.js" */
/** @import { Options } from "../casino/src/agents/analyse.js" */
/** @import { Names } from "../words/names.js" */
/** Agents by their specs, perhaps loaded first. @typedef {{ of: (spec: string) => Agent | Promise<Agent> }} Agents */

export const FORMAT = "casino-table 3";
const MOST_CHANGES = 10_000; // of a table: a match needs some hundred, the rest leaves room for undo
const MOST_ACTIONS = 1_000; // of one change

/** A game with a person and agents. The person uses play() and undo(); advance() plays for the agents. */
export class Table {
  /** @type {Step[]} */ #steps = [];
  /** @type {number[]} Steps before which the person may go back. */ #marks = [];
  /** @type {(string[] | null)[]} */ #changes = [];
  /** @type {Move[] | null} */ #moves = null;

  /** @param {any} setup see makeSetup @param {{ settled?: boolean, open?: boolean }} [how] open: show all hands */
  constructor(setup, { settled = true, open = false } = {}) {
    this.open = open;
    this.setup = makeSetup(setup);
    this.game = begin(this.setup);
    this.start = this.game.clone();
    this.person = this.setup.seats.indexOf(PERSON);
    this.names = namesOf(this.setup.seats, { partners: this.rules.partners });
    this.kinds = kindsOf(this.setup.seats, this.rules);
    if (settled) this.#settle();
  }

  // --- whose turn ---

  get rules() {
    return this.game.rules;
  }

  /** Increases with every change, so that a page can tell whether it is up to date. */
  get version() {
    return this.#changes.length;
  }

  get over() {
    return this.game.over;
  }

  /** Whether the person decides now. */
  get mine() {
    return !this.game.over && this.game.seat === this.person;
  }

  /** Whether somebody else decides now: an agent (call advance()) or another person. */
  get waiting() {
    return !this.game.over && this.game.seat !== this.person;
  }

  /** The kind of person other than the present one who decides now: GUEST at this device (call sit()), or FRIEND
   * elsewhere; null if none does. */
  get other() {
    const { waiting, game, setup } = this, spec = waiting ? setup.seats[game.seat] : "";
    return spec === FRIEND ? FRIEND : spec === GUEST || spec === PERSON ? GUEST : null;
  }

  /** The spec of the agent that decides now; "" if none does. */
  get decider() {
    return this.waiting && !this.other ? this.setup.seats[this.game.seat] : "";
  }

  /** Whether several people share this device. */
  get shared() {
    return this.setup.seats.includes(GUEST);
  }

  /** Show the table to another person at this device from now on. @param {number} seat */
  sit(seat) {
    this.person = seat;
    this.names = namesOf(this.setup.seats, { partners: this.rules.partners, you: seat });
    this.#marks = [];
    this.#moves = null;
    this.#steps = this.#steps.map(({ actions, before }, at) =>
      ({ actions, before, event: eventOf(before, this.before(at + 1), actions, this.names) }));
  }

  get canUndo() {
    return this.#marks.length > 0;
  }

  get events() {
    return this.#steps.map(({ event }) => event);
  }

  /** The moves that the person can make. @returns {Move[]} */
  moves() {
    this.#moves ??= this.mine ? movesOf(this.game.record, this.rules, this.names) : [];
    return this.#moves;
  }

  // --- playing ---

  /** Play a move of the person: the actions of one of moves(), or the first of them. @param {string[]} actions */
  play(actions) {
    if (!actions.length) throw new TableError("error.empty");
    const ahead = this.game.clone();
    for (const text of actions) {
      if (ahead.over) throw new TableError("error.over");
      if (ahead.seat !== this.person) throw new TableError("error.turn", { who: this.names.of(ahead.seat) });
      inWords("error.other", () => ahead.apply(parseAction(text)));
    }
    while (isMiddle(ahead.record.get(0, "mode")) && ahead.legal().length === 1) ahead.apply(ahead.legal()[0]);
    this.redo(doneSince(this.game, ahead));
  }

  /** Play an agent's next move, until it is complete or somebody else decides. The agent is reset and shown the game so
   * far each time, so that its move depends on the game alone and not on how long the page has been open.
   * @param {Agents} agents @param {string} [spec] of an agent that replaces the seat's */
  async advance(agents, spec = this.decider) {
    if (!spec || this.over)
      throw new TableError(this.over ? "error.over" : this.other ? "error.theirs" : "error.yours");
    const { version } = this, ahead = this.game.clone(), { seat } = ahead, turn = turnOf(ahead);
    const agent = await agents.of(spec);
    await agent.reset(seat, seedOf(this.setup.seed, seat, ahead.log.length));
    await this.#showThePast(agent, seat);
    do {
      const legal = ahead.legal();
      ahead.apply(legal.length === 1 ? legal[0] : await agent.act(observe(ahead)));
    } while (!ahead.over && ahead.seat === seat && turnOf(ahead) === turn && !rests(ahead));
    if (this.version !== version) throw new TableError("error.changed");
    this.#do(doneSince(this.game, ahead));
    this.#settle();
  }

  /** Show an agent with memory the game so far, as its seat saw it. @param {Agent} agent @param {number} seat */
  async #showThePast(agent, seat) {
    if (!agent.watch) return;
    const then = this.start.clone();
    for (const [, action] of this.game.log.slice(then.log.length)) {
      await agent.watch(observe(then, seat));
      then.apply(action);
    }
  }

  /** Undo the person's last move of the current turn. */
  undo() {
    const mark = this.#marks.at(-1);
    if (mark === undefined) throw new TableError("error.undo");
    this.#room();
    this.#marks.pop();
    this.#set(this.before(mark));
    this.#steps.length = mark;
    this.#changes.push(null);
  }

  /** Answer questions that have only one answer. */
  #settle() {
    while (this.#isForced()) this.#do(this.game.legal());
  }

  #isForced() {
    if (!this.mine || this.game.record.get(0, "mode") === IDLE) return false;
    const legal = this.game.legal();
    return legal.length === 1 && legal[0] !== END;
  }

  /** @param {Game} game */
  #set(game) {
    this.game = game;
    this.#moves = null;
  }

  #room() {
    if (this.version >= MOST_CHANGES) throw new TableError("error.changes", { most: MOST_CHANGES });
  }

  /** Play one step of the deciding seat: log an event, and allow undo if the person took the step.
   * @param {number[]} actions */
  #do(actions) {
    this.#room();
    if (!actions.length) throw new TableError("error.empty");
    const before = this.game, after = before.clone(), forced = this.#isForced();
    for (const action of actions) after.apply(action);
    const goesOn = !after.over && after.seat === before.seat && turnOf(after) === turnOf(before),
      mine = before.seat === this.person;
    if (!goesOn || !mine || hasLearnt(before, doneSince(before, after), this.person)) this.#marks = [];
    else if (!forced) this.#marks.push(this.#steps.length);
    this.#steps.push({ actions, event: eventOf(before, after, actions, this.names), before });
    this.#set(after);
    this.#changes.push(actions.map(actionText));
  }

  // --- what is shown ---

  /** The table as the person sees it. @returns {Seen} */
  seen() {
    const { game, rules, names, events } = this, look = new Look(game.record), moves = this.moves(),
      last = events.at(-1);
    const begun = this.mine && last !== undefined && last.seat === this.person && sameTurn(last, look)
      && last.words !== null;
    return {
      version: this.version,
      person: this.person,
      names: names.called,
      scene: sceneOf(game, this.open ? null : this.person, names, this.kinds),
      over: this.over,
      mine: this.mine,
      waiting: this.waiting,
      decides: this.over ? -1 : game.seat,
      undo: this.canUndo,
      begun,
      played: this.mine && look.num("played") !== 0,
      endsItself: this.mine && moves.length === 1 && moves[0].do === "end",
      question: this.mine ? question(look, names) : null,
      moves,
      log: linesOf(events, names),
      news: newsOf(events, names),
      match: look.num("match")
        ? { before: matchScore(look, rules), after: matchScore(look, rules), goal: goalOf(rules) } : null,
      sheet: this.over ? (last?.ended ?? null) : null,
    };
  }

  /** The table as the person saw it before an event. @param {number} step @returns {Past} */
  past(step) {
    const { events, names } = this, steps = events.flatMap(({ words }, at) => (words ? [at] : [])),
      at = Math.min(Math.max(0, step), events.length);
    const next = at < events.length ? (linesOf(events.slice(0, at + 1), names, at)[0] ?? null) : null;
    return { steps, scene: sceneOf(this.before(at), this.person, names, this.kinds),
      news: newsOf(events.slice(0, at), names), next };
  }

  /** The game before an event, or now if there is no such event. @param {number} step @returns {Game} */
  before(step) {
    return this.#steps[step]?.before ?? this.game;
  }

  /** Explain why these cards and builds cannot be used so ("discard", "end", or "" for any use); null if they can.
   * @param {string[]} tokens @param {"" | "discard" | "end"} [wanted] @returns {Message | null} */
  whyNot(tokens, wanted = "") {
    if (!this.mine) return say("why.turn");
    const { game, rules, names } = this;
    const moves = (/** @type {{ [field: string]: any } | null} */ change) =>
      change === null ? this.moves() : movesWithout(game.record, rules, change, names);
    return inWords("error.other", () =>
      whyNot({ look: new Look(game.record), rules, names, numeric: rules.record.get(0, "numeric"), tokens, wanted,
        moves }),
    );
  }

  /** The move that a judge (agents/analyse.js) or an agent would make, seeing only what the person sees.
   * @param {Judge | Agent} judge @param {string} [spec] of the agent @param {Options} [how] @returns {Promise<Hint>} */
  async hint(judge, spec = "judge", how = {}) {
    if (!this.mine) throw new TableError("error.hint");
    if ("advise" in judge) return hintOf(this.game, this.names, this.moves(), judge, agentTitle(spec), how);
    return agentHint(this.game, this.names, this.moves(), judge, spec);
  }

  // --- for others ---

  /** The finished deals: the state at the beginning of each, and its sheet. */
  deals() {
    let begun = 0;
    return this.events.flatMap(({ ended }, at) => {
      if (!ended) return [];
      const deal = { start: this.before(begun), sheet: ended };
      begun = at + 1;
      return [deal];
    });
  }

  /** Position JSON. Until the game is over, hidden cards are dealt anew, always in the same way for the same view. */
  position() {
    if (this.over) return this.game.toJson();
    const seen = observe(this.game, this.person), seed = hashOf(seen.view.bytes(0)); // from the view alone
    const [record] = inWords("error.other", () => sampleDeterminizations(seen, 1, seed));
    return uncheckedGame(record, this.rules).toJson();
  }

  /** The record of a finished game; throw before, as a record reveals all cards. @returns {string} */
  record() {
    if (!this.over) throw new TableError("error.going");
    return writeRecord(this.setup.position === null ? BigInt(this.setup.seed) : this.start, this.game);
  }

  // --- saving ---

  /** Save the table as plain JSON. @returns {Saved} */
  save() {
    return { format: FORMAT, rulesVersion: rulesVersion(), setup: this.setup,
      changes: this.#changes.map((change) => change && [...change]) };
  }

  /** @param {any} saved from save() @returns {Table} */
  static load(saved) {
    if (typeof saved !== "object" || saved === null || saved.format !== FORMAT)
      throw new TableError("error.format", { format: FORMAT });
    const version = rulesVersion();
    if (saved.rulesVersion !== version)
      throw new TableError("error.version", { version: shortRepr(saved.rulesVersion, 40), now: version });
    const table = new Table(saved.setup, { settled: false }), changes = Array.isArray(saved.changes) ? saved.changes
      : [];
    for (const [at, change] of changes.entries()) {
      try {
        table.#redo(change);
      } catch (error) {
        throw new TableError("error.change",
          { number: at + 1, why: error instanceof TableError ? error.words : oneLine(error, 300) }, error);
      }
    }
    table.#settle();
    return table;
  }

  /** Play actions, made here or elsewhere, step by step: one gesture may be two steps. @param {number[]} actions */
  redo(actions) {
    const ahead = this.game.clone();
    /** @type {number[]} */
    let pending = [];
    for (const action of actions) {
      ahead.apply(action);
      pending.push(action);
      if (isMiddle(ahead.record.get(0, "mode"))) continue;
      this.#do(pending);
      pending = [];
    }
    if (pending.length) this.#do(pending);
    this.#settle();
  }

  /** @param {unknown} change */
  #redo(change) {
    if (change === null) return this.undo();
    if (!Array.isArray(change) || change.length > MOST_ACTIONS || !change.every((text) => typeof text === "string"))
      throw new TableError("error.row");
    const ahead = this.game.clone(), { seat } = ahead;
    const actions = change.map((text) => parseAction(text));
    for (const action of actions) {
      if (ahead.seat !== seat) throw new TableError("error.seat", { seat: ahead.seat });
      ahead.apply(action);
    }
    this.#do(actions);
  }
}

// --- parts -----------------------------------------------------------------------------------------------------------

/** Whether no move is unfinished and more can be done than end the turn. @param {Game} game */
function rests(game) {
  if (isMiddle(game.record.get(0, "mode"))) return false;
  const legal = game.legal();
  return !(legal.length === 1 && legal[0] === END);
}

/** @param {Event} event @param {Look} look */
const sameTurn = (event, look) => event.turn === look.num("turns") && event.deal === look.num("deals");

/** The moves under changed rules; none if the change is no change, or is not playable. @param {Values} record
 * @param {Rules} rules @param {{ [field: string]: any }} change @param {Names} names @returns {Move[]} */
function movesWithout(record, rules, change, names) {
  if (Object.entries(change).every(([field, value]) => rules[field] === value)) return [];
  let other;
  try {
    other = changedRules(rules, change);
  } catch {
    return [];
  }
  return movesOf(record, other, names);
}

/** The seed of an agent's random choices at a move. @param {number | string} seed @param {number} seat
 * @param {number} done number of actions played so far */
export function seedOf(seed, seat, done) {
  let mixed = BigInt(seed);
  for (const part of [seat + 1, done + 1]) {
    mixed = BigInt.asUintN(64, (mixed + BigInt(part)) * 0x9e3779b97f4a7c15n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 29n)) * 0xbf58476d1ce4e5b9n);
  }
  return mixed >> 1n;
}

/** @returns {number} */
const rulesVersion = () => use().constant("rules", "RULES_VERSION");
