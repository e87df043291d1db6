// The base class of views at which a person plays: choosing cards, offering moves, explaining illegal ones. Subclasses
// (a game, an exercise) carry out the moves.

import { offer } from "./table/index.js";
import { stopThinking } from "./agents.js";
import { $ } from "./dom.js";
import { dragging } from "./drag.js";
import { keepFocus } from "./keys.js";
import { clearFlight } from "./motion.js";
import { pace, settings } from "./settings.js";
import { toast } from "./sheet.js";
import { drawTable } from "./table.js";
import { t, wrong } from "./text.js";

/** @import { Hint, Move, Seen } from "./table/shapes.js" */
/** @import { Table } from "./table/index.js" */
/** @import { Message } from "./words/message.js" */

const GRACE = 1.6; // times the pace: how long a move can be taken back before the turn ends by itself

/** @param {number} ms */
export const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class Playing {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    /** @type {Seen} */
    this.seen = table.seen();
    /** @type {Set<string>} */
    this.chosen = new Set();
    /** @type {Hint | null} */
    this.hint = null;
    /** @type {Message | null} */
    this.reason = null;
    this.busy = this.thinking = this.closed = false;
    this.help = "hint"; // text key of the help button
    this.root = $("table");
    this.undrag = dragging(this.root, (token) => this.tap(token), (from, to) => this.drop(from, to));
    this.deaf = () => {};
  }

  close() {
    this.closed = true;
    this.undrag();
    this.deaf();
    if (this.busy) stopThinking();
    clearFlight();
    document.title = t("title");
  }

  get idle() {
    return !this.busy && !this.closed;
  }

  /** Whether to light up everything that can be chosen. */
  get ready() {
    return this.seen.mine && !this.busy;
  }

  /** @param {Seen} seen */
  look(seen) {
    this.seen = seen;
    this.chosen.clear();
    this.hint = null;
    this.reason = null;
  }

  offer() {
    return offer(this.seen, [...this.chosen]);
  }

  /** The highlighted tokens. @returns {string[]} */
  get gold() {
    return this.hint?.tokens ?? [];
  }

  // --- for subclasses ---

  /** Draws what is beside the table. */
  around() {}

  /** Make a change and show it. @param {() => unknown} _work @returns {Promise<void>} */
  async change(_work) {}

  async undo() {}

  async askHint() {}

  sendTurn() {}

  /** Whether a remote friend decides and can only be reached by a link. */
  get sends() {
    return false;
  }

  /** The actions on offer when the game is over: text key and handler. @returns {[string, () => void][]} */
  afterwards() {
    return [];
  }

  // --- the table ---

  draw() {
    if (this.closed) return;
    keepFocus(document.body, () => {
      this.drawTable();
      this.around();
    });
  }

  drawTable() {
    const { seen } = this, lit = this.ready ? this.offer().lit : [];
    drawTable(this.root, seen.scene,
      { bottom: seen.person, chosen: this.chosen, lit: new Set(lit), gold: new Set(this.gold), news: seen.news });
  }

  /** @param {string[]} tokens */
  preview(tokens) {
    for (const made of this.root.querySelectorAll("[data-token]"))
      made.classList.toggle("preview", tokens.includes(made.getAttribute("data-token") ?? ""));
  }

  // --- the person ---

  /** @param {string} token */
  tap(token) {
    if (!this.idle || !this.seen.mine) return;
    const before = [...this.chosen];
    if (this.chosen.has(token)) this.choose(before.filter((other) => other !== token));
    else if (this.offer().lit.includes(token)) this.choose([...before, token]);
    else this.cannot(before, token);
  }

  /** @param {string[]} chosen */
  choose(chosen) {
    this.chosen = new Set(chosen);
    this.reason = null;
    this.draw();
  }

  /** A card does not go with the chosen ones: choose it alone if possible, and explain the rule.
   * @param {string[]} before @param {string} token */
  cannot(before, token) {
    const { hand } = this.seen.scene.seats[this.seen.person];
    this.choose([]);
    if (this.offer().lit.includes(token)) this.choose([token]);
    const instead = hand.includes(token) && before.every((other) => hand.includes(other));
    if (!instead) this.askWhy([...before, token]);
    else if (!this.chosen.size) this.askWhy([token], "discard"); // the simplest use of a hand card
  }

  /** @param {string[]} tokens @param {"discard" | "end" | ""} [what] */
  askWhy(tokens, what = "") {
    try {
      this.reason = this.table.whyNot(tokens, what);
      this.draw();
    } catch (error) {
      toast(wrong(error));
    }
  }

  /** A card is dropped on another card, a build or the felt (null). @param {string} from @param {string | null} to */
  drop(from, to) {
    if (!this.idle || !this.seen.mine) return this.tap(from);
    this.choose([from]);
    const fits = this.seen.moves.filter(({ tokens, do: what }) => tokens.includes(from)
      && (to === null ? what === "discard" : tokens.includes(to)));
    if (to !== null && fits.length) this.choose([from, to]);
    const exact = fits.filter(({ tokens }) => tokens.length === this.chosen.size);
    if (exact.length === 1 && (fits.length === 1 || to === null)) this.play(exact[0]);
    else if (!fits.length) this.askWhy(to === null ? [from] : [from, to], to === null ? "discard" : "");
  }

  end() {
    const move = this.seen.moves.find((other) => other.do === "end");
    if (move) this.play(move);
    else if (this.seen.mine && this.idle) this.askWhy([], "end");
  }

  /** @param {Move} move */
  play(move) {
    return this.change(() => this.table.play(move.actions));
  }

  /** Whether the turn ends by itself: only its end is left, and the person has not taken a move back in time. */
  async endsByItself() {
    const { version } = this.seen;
    if (!settings.autoEnd || !this.seen.endsItself) return false;
    await wait(GRACE * pace());
    return this.idle && this.seen.version === version && this.seen.mine;
  }

  // --- keys, and one thing at a time ---

  keys() {
    return {
      u: () => this.seen.undo && this.undo(), h: () => this.seen.mine && this.askHint(), e: () => this.end(),
      Escape: () => (this.thinking ? this.stop() : this.choose([])),
      digit: (/** @type {string} */ key) => /** @type {HTMLElement | undefined} */ ($("actions")
        .querySelectorAll(".options [data-do]")[Number(key) - 1])?.click(),
    };
  }

  /** The elements that arrow keys move through. */
  walked() {
    return [...document.querySelectorAll("#table .lit, #table .chosen, #actions .options button, #actions .plain button")];
  }

  /** Somebody is asked, who thinks meanwhile. @param {() => Promise<void>} work */
  async think(work) {
    this.thinking = true;
    await this.busyWith(async () => {
      this.around();
      await work();
    });
    this.thinking = false;
    this.draw();
  }

  stop() {
    stopThinking();
  }

  /** Run one task at a time; report an error. @param {() => Promise<void>} work */
  async busyWith(work) {
    if (this.busy) return;
    this.busy = true;
    this.root.dataset.state = "busy";
    try {
      await work();
    } catch (error) {
      if (!this.closed && /** @type {Error} */ (error).name !== "AbortError") this.failed(error);
    } finally {
      this.busy = false;
    }
  }

  /** @param {unknown} error */
  failed(error) {
    toast(wrong(error));
  }
}
