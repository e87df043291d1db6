// One game between a person and agents: moves, undo, what the person sees.

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
const MOST_CHANGES = 10_000; // of a table: a match has some hundred, the rest is moving and taking back
const MOST_ACTIONS = 1_000; // of one change

/** Person and agents around one game. play() and undo() are the person's, advance() is the agents'. */
export class Table {
  /** @type {Step[]} */ #steps = [];
  /** @type {number[]} Steps before which the person may go back. */ #marks = [];
  /** @type {(string[] | null)[]} */ #changes = [];
  /** @type {Move[] | null} */ #moves = null;

  /** @param {any} setup see makeSetup @param {{ settled?: boolean, open?: boolean }} [how] open: all hands are seen */
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

  /** Another after every change, so that a page can tell whether it is up to date. */
  get version() {
    return this.#changes.length;
  }

  get over() {
    return this.game.over;
  }

  /** The person decides now. */
  get mine() {
    return !this.game.over && this.game.seat === this.person;
  }

  /** Somebody else decides now: an agent, with which advance() goes on, or another person. */
  get waiting() {
    return !this.game.over && this.game.seat !== this.person;
  }

  /** Who sits where it is to be decided, if that is another person at this device (who has to sit() down) or
   * elsewhere. */
  get other() {
    const { waiting, game, setup } = this, spec = waiting ? setup.seats[game.seat] : "";
    return spec === FRIEND ? FRIEND : spec === GUEST || spec === PERSON ? GUEST : null;
  }

  /** The spec of the agent that decides now; empty if none does. */
  get decider() {
    return this.waiting && !this.other ? this.setup.seats[this.game.seat] : "";
  }

  /** Several people share this device. */
  get shared() {
    return this.setup.seats.includes(GUEST);
  }

  /** Another of those who share this device sees the table from now on. @param {number} seat */
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

  /** What the person can do. @returns {Move[]} */
  moves() {
    this.#moves ??= this.mine ? movesOf(this.game.record, this.rules, this.names) : [];
    return this.#moves;
  }

  // --- playing ---

  /** A move of the person: the actions of one of moves(), or a part of them. @param {string[]} actions */
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

  /** The next move of an agent, up to where something is complete or somebody else decides. The agent begins it afresh,
   * and is shown how the game has gone so far, so that the move depends on that alone and not on how long somebody has
   * been there. @param {Agents} agents @param {string} [spec] of an agent in place of who sits there */
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

  /** To an agent that cares, as its seat has seen it. @param {Agent} agent @param {number} seat */
  async #showThePast(agent, seat) {
    if (!agent.watch) return;
    const then = this.start.clone();
    for (const [, action] of this.game.log.slice(then.log.length)) {
      await agent.watch(observe(then, seat));
      then.apply(action);
    }
  }

  /** Take back the person's last move of the open turn. */
  undo() {
    const mark = this.#marks.at(-1);
    if (mark === undefined) throw new TableError("error.undo");
    this.#room();
    this.#marks.pop();
    this.#set(this.before(mark));
    this.#steps.length = mark;
    this.#changes.push(null);
  }

  /** A question with one answer is no question: it is answered by itself. */
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

  /** One step of whoever decides: it becomes an event, and a moment to come back to if it was the person's.
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

  /** The table as the person saw it before an event: no more than was shown then. @param {number} step
   * @returns {Past} */
  past(step) {
    const { events, names } = this, steps = events.flatMap(({ words }, at) => (words ? [at] : [])),
      at = Math.min(Math.max(0, step), events.length);
    const next = at < events.length ? (linesOf(events.slice(0, at + 1), names, at)[0] ?? null) : null;
    return { steps, scene: sceneOf(this.before(at), this.person, names, this.kinds),
      news: newsOf(events.slice(0, at), names), next };
  }

  /** The game as it was before an event; as it is now if there is none of that number. @param {number} step
   * @returns {Game} */
  before(step) {
    return this.#steps[step]?.before ?? this.game;
  }

  /** Why something cannot be done: cards and builds, and what with them ("discard", "end", or "" for anything). Null if
   * it can. @param {string[]} tokens @param {"" | "discard" | "end"} [wanted] @returns {Message | null} */
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

  /** What a judge (agents/analyse.js) would do, or an agent by its spec; it sees what the person sees.
   * @param {Judge | Agent} judge @param {string} [spec] of the agent @param {Options} [how] @returns {Promise<Hint>} */
  async hint(judge, spec = "judge", how = {}) {
    if (!this.mine) throw new TableError("error.hint");
    if ("advise" in judge) return hintOf(this.game, this.names, this.moves(), judge, agentTitle(spec), how);
    return agentHint(this.game, this.names, this.moves(), judge, spec);
  }

  // --- for others ---

  /** The deals that have been played to their end: where each began, and what it came to. */
  deals() {
    let begun = 0;
    return this.events.flatMap(({ ended }, at) => {
      if (!ended) return [];
      const deal = { start: this.before(begun), sheet: ended };
      begun = at + 1;
      return [deal];
    });
  }

  /** Position JSON. Until the game is over, what the person cannot see is dealt anew, always the same way. */
  position() {
    if (this.over) return this.game.toJson();
    const seen = observe(this.game, this.person), seed = hashOf(seen.view.bytes(0)); // of what is seen alone
    const [record] = inWords("error.other", () => sampleDeterminizations(seen, 1, seed));
    return uncheckedGame(record, this.rules).toJson();
  }

  /** The game as a record. It says what was dealt, so it is for a game that is over. @returns {string} */
  record() {
    if (!this.over) throw new TableError("error.going");
    return writeRecord(this.setup.position === null ? BigInt(this.setup.seed) : this.start, this.game);
  }

  // --- saving ---

  /** Plain JSON. @returns {Saved} */
  save() {
    return { format: FORMAT, rulesVersion: rulesVersion(), setup: this.setup,
      changes: this.#changes.map((change) => change && [...change]) };
  }

  /** @param {any} saved what save() gave @returns {Table} */
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

  /** What has been done, here or elsewhere, step by step: a gesture may be two. @param {number[]} actions */
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

/** Nothing is half done, and more can be done than to end the turn. @param {Game} game */
function rests(game) {
  if (isMiddle(game.record.get(0, "mode"))) return false;
  const legal = game.legal();
  return !(legal.length === 1 && legal[0] === END);
}

/** @param {Event} event @param {Look} look */
const sameTurn = (event, look) => event.turn === look.num("turns") && event.deal === look.num("deals");

/** What could be done under other rules; nothing if these are so already, or cannot be. @param {Values} record
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

/** What an agent draws from. @param {number | string} seed @param {number} seat @param {number} done */
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
