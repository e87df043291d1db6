// A game in play: what is chosen, what it could become, the agents' moves one after the other.

import { Table, offer } from "./casino/src/table/index.js";
import { agents, judge, stopThinking } from "./agents.js";
import { $, h } from "./dom.js";
import { dragging } from "./drag.js";
import { drawHint } from "./hint.js";
import { keepFocus, listen } from "./keys.js";
import { drawLog } from "./log.js";
import { LookBack } from "./lookback.js";
import { clearFlight, deal, glide } from "./motion.js";
import { advisers } from "./opponents.js";
import { drawOptions } from "./options.js";
import { noteOver, showDeal, showOver } from "./result.js";
import { pace, settings } from "./settings.js";
import { banner, toast } from "./sheet.js";
import { click, soundOf } from "./sound.js";
import * as store from "./store.js";
import { drawTable } from "./table.js";
import { hold } from "./tabs.js";
import { plain, spoken, t, wrong } from "./text.js";

/** @typedef {import("./casino/src/table/shapes.js").Move} Move */
/** @typedef {import("./casino/src/table/shapes.js").Seen} Seen */

const GRACE = 1.6; // times the pace: to take a move back before the turn ends by itself

/** @param {number} ms */
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class GameView {
  /** What the page does beside the table.
   * @param {store.Kept} kept @param {{ rules: () => void, fresh: () => void, again: () => void, replay: () => void, review: () => void }} page */
  constructor(kept, page) {
    this.kept = kept;
    this.page = page;
    this.table = Table.load(kept.saved);
    /** @type {Seen} */
    this.seen = this.table.seen();
    /** @type {Set<string>} */
    this.chosen = new Set();
    /** @type {import("./casino/src/table/shapes.js").Hint | null} */
    this.hint = null;
    /** @type {import("./text.js").Message | null} */
    this.reason = null;
    this.busy = this.thinking = this.closed = this.away = false;
    /** @type {LookBack | null} */
    this.past = null;
    this.root = $("table");
    this.undrag = dragging(this.root, (token) => this.tap(token), (from, to) => this.drop(from, to));
    this.deaf = () => {};
    this.letGo = () => {};
  }

  async open() {
    this.listen();
    this.draw();
    await this.take(false);
    if (this.closed) return;
    if (!this.seen.log.length) await deal(this.root, pace());
    await this.follow();
  }

  close() {
    this.closed = true;
    this.past?.close();
    this.undrag();
    this.deaf();
    this.letGo();
    if (this.busy) stopThinking();
    banner("");
    clearFlight();
    document.title = t("title");
  }

  listen() {
    this.deaf();
    this.deaf = listen({
      u: () => this.seen.undo && this.undo(), h: () => this.seen.mine && this.askHint(), e: () => this.end(),
      Escape: () => (this.thinking ? this.stop() : this.choose([])),
      b: () => this.lookBack(), r: () => this.page.rules(), n: () => this.page.fresh(),
      digit: (key) => /** @type {HTMLElement | undefined} */ ($("actions").querySelectorAll(".options [data-do]")[Number(key) - 1])?.click(),
    }, () => [...document.querySelectorAll("#table .lit, #table .chosen, #actions .options button, #actions .plain button")]);
  }

  // --- one page at a time plays a game ---

  /** @param {boolean} steal from the page that has it */
  async take(steal) {
    const got = await hold(this.kept.id, steal, () => this.lost());
    if (!got) return this.lost();
    if (this.closed) return got();
    this.letGo = got;
    this.away = false;
    banner("");
    const kept = await store.game(this.kept.id);
    if (kept) this.reload(kept);
    if (steal) await this.follow();
  }

  lost() {
    if (this.closed) return;
    this.away = true;
    if (this.busy) stopThinking();
    banner(t("elsewhere"), t("elsewhere.here"), () => this.take(true));
    this.draw();
  }

  /** @param {store.Kept} kept as another page has left it */
  reload(kept) {
    this.kept = kept;
    this.table = Table.load(kept.saved);
    this.look(this.table.seen());
    this.draw();
  }

  // --- state ---

  /** @param {Seen} seen */
  look(seen) {
    this.seen = seen;
    this.chosen.clear();
    this.hint = null;
    this.reason = null;
  }

  get idle() {
    return !this.busy && !this.past && !this.away && !this.closed;
  }

  offer() {
    return offer(this.seen, [...this.chosen]);
  }

  // --- drawing ---

  draw() {
    if (this.past || this.closed) return;
    keepFocus(document.body, () => {
      this.drawTable();
      this.around();
    });
  }

  drawTable() {
    const { seen } = this, lit = seen.mine && !this.busy && !this.away ? this.offer().lit : [];
    drawTable(this.root, seen.scene, { bottom: seen.person, chosen: this.chosen, lit: new Set(lit), gold: new Set(this.hint?.tokens), news: seen.news });
  }

  around() {
    const { seen } = this;
    this.root.dataset.state = this.busy ? "busy" : this.away ? "away" : seen.over ? "over" : seen.mine ? "mine" : "waiting";
    $("title").replaceChildren(plain(seen.scene.title), seen.match ? h("span", {}, ` · ${this.score()}`) : "");
    document.title = seen.mine ? t("title.mine") : t("title");
    drawOptions($("actions"), this, this.offer());
    drawHint($("hint"), this.hint);
    drawLog($("moves"), seen.log);
  }

  score() {
    const match = /** @type {import("./casino/src/table/shapes.js").SheetMatch} */ (this.seen.match);
    return t("match", { score: match.after.join(" : ") });
  }

  /** @param {string[]} tokens */
  preview(tokens) {
    for (const made of this.root.querySelectorAll("[data-token]")) made.classList.toggle("preview", tokens.includes(made.getAttribute("data-token") ?? ""));
  }

  // --- the person ---

  /** @param {string} token */
  tap(token) {
    if (this.away) return toast(t("elsewhere"));
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

  /** The card does not go with those that are chosen: it may begin a choice of its own, and the rule is told.
   * @param {string[]} before @param {string} token */
  cannot(before, token) {
    const { hand } = this.seen.scene.seats[this.seen.person];
    this.choose([]);
    if (this.offer().lit.includes(token)) this.choose([token]);
    const instead = hand.includes(token) && before.every((other) => hand.includes(other));
    if (!instead) this.askWhy([...before, token]);
    else if (!this.chosen.size) this.askWhy([token], "discard"); // the least that could be done with it
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

  /** A card dragged onto another card, a build or the empty table. @param {string} from @param {string | null} to */
  drop(from, to) {
    if (!this.idle || !this.seen.mine) return this.tap(from);
    this.choose([from]);
    const fits = this.seen.moves.filter(({ tokens, do: what }) => tokens.includes(from) && (to === null ? what === "discard" : tokens.includes(to)));
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

  async undo() {
    if (!this.idle) return;
    await this.busyWith(async () => {
      this.table.undo();
      await this.save();
      this.look(this.table.seen());
    });
    this.draw();
  }

  async askHint() {
    if (!this.idle) return;
    this.thinking = true;
    await this.busyWith(async () => {
      this.around();
      const wanted = advisers(this.table.setup).find(({ spec }) => spec === settings.adviser);
      this.hint = await (wanted ? this.table.hint(await agents.of(wanted.spec), wanted.spec) : this.table.hint(judge()));
    });
    this.thinking = false;
    this.draw();
  }

  stop() {
    stopThinking();
  }

  /** The game waits until the person comes back to now. */
  lookBack() {
    if (this.past) return this.now();
    if (!this.seen.log.length) return toast(t("past.none"));
    this.deaf();
    this.past = new LookBack(this, () => this.now());
    this.past.move(-1);
    this.root.scrollIntoView({ block: "nearest" });
  }

  now() {
    this.past?.close();
    this.past = null;
    this.listen();
    this.draw();
    if (!this.seen.over) this.follow();
  }

  over() {
    showOver(this.seen, this.afterwards());
  }

  /** @returns {[string, () => void][]} */
  afterwards() {
    return [["result", () => this.over()], ["review", this.page.review], ["replay", this.page.replay], ["again", this.page.again]];
  }

  // --- what happens ---

  /** Something is done and shown; then the agents' moves, until the person decides. @param {() => unknown} work */
  async change(work) {
    if (!this.idle) return;
    await this.busyWith(() => this.step(work));
    this.draw();
    await this.follow();
  }

  /** @param {() => unknown} work */
  async step(work) {
    const before = this.seen, events = this.table.events.length;
    await work();
    if (this.closed || this.away) return;
    await this.save();
    await this.show(before, events);
  }

  async save() {
    this.kept = { ...this.kept, saved: this.table.save(), touched: Date.now(), over: this.table.game.over };
    await store.keep(this.kept);
  }

  /** @param {Seen} before @param {number} events that there were then */
  async show(before, events) {
    this.look(this.table.seen());
    const { seen } = this, happened = this.table.events.slice(events), last = happened.at(-1);
    if (last) click(soundOf(before.scene, seen.scene, last));
    this.tell(seen.log.filter(({ seat, next }) => next > events && seat >= 0 && seat !== seen.person));
    if (last && !this.past) {
      const { at } = before.scene.seats[last.seat].pile;
      await glide(this.root, () => keepFocus(document.body, () => this.drawTable()), { seat: last.seat, pile: at, played: last.played }, pace() * 0.7);
    }
    if (!this.past && !this.closed) keepFocus(document.body, () => this.around());
    const ended = happened.find((event) => event.ended)?.ended;
    if (ended && !seen.over && !this.closed) {
      await showDeal(ended);
      if (!this.closed) await deal(this.root, pace());
    }
  }

  /** For those who listen. @param {import("./casino/src/table/shapes.js").Line[]} lines */
  tell(lines) {
    if (lines.length) $("told").textContent = lines.map(({ words }) => spoken(words)).join(". ");
  }

  async follow() {
    while (this.idle && !this.seen.over) {
      if (this.seen.mine) {
        if (!await this.endsByItself()) return;
        await this.busyWith(() => this.step(() => this.table.play(this.seen.moves[0].actions)));
      } else {
        await this.busyWith(async () => {
          const paused = wait(pace());
          await this.step(async () => {
            await Promise.all([this.table.advance(agents), paused]);
          });
        });
      }
      this.draw();
    }
    if (this.seen.over && !this.closed) await this.finish();
  }

  async finish() {
    await noteOver(this.kept, this.seen);
    if (!this.closed) this.over();
  }

  /** Nothing is left but to end the turn, and nobody has taken a move back in time. */
  async endsByItself() {
    const { version } = this.seen;
    if (!settings.autoEnd || !this.seen.endsItself) return false;
    await wait(GRACE * pace());
    return this.idle && this.seen.version === version && this.seen.mine;
  }

  /** One thing at a time. What goes wrong is told, and the table is as it was. @param {() => Promise<void>} work */
  async busyWith(work) {
    if (this.busy) return;
    this.busy = true;
    this.root.dataset.state = "busy";
    try {
      await work();
    } catch (error) {
      if (!this.closed && /** @type {Error} */ (error).name !== "AbortError") {
        toast(wrong(error));
        this.away = this.seen.waiting; // an agent that fails is not asked for ever
        if (this.away) banner(wrong(error), t("again"), () => { this.away = false; banner(""); this.follow(); });
      }
    } finally {
      this.busy = false;
    }
  }
}
