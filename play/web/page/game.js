// The view of a game in play: the person's moves, the agents' moves, hints, saving and sharing.

import { Table, dayOfId } from "./table/index.js";
import { agents, judge, stopThinking } from "./agents.js";
import { $, draw, h } from "./dom.js";
import { drawHint, drawLog } from "./log.js";
import { keepFocus, listen } from "./keys.js";
import { Coach } from "./lesson.js";
import { addressOf, shareResult, showLink } from "./links.js";
import { LookBack } from "./lookback.js";
import { deal, glide } from "./motion.js";
import { advisers } from "./opponents.js";
import { drawOptions } from "./options.js";
import { Playing, wait } from "./playing.js";
import { noteOver, showDeal, showOver } from "./result.js";
import { pace, settings } from "./settings.js";
import { banner, sheet, toast } from "./sheet.js";
import { click, soundOf } from "./sound.js";
import { plain, spoken, t, wrong } from "./text.js";
import * as store from "./store.js";

/** @import { Room } from "./live/room.js" */
/** @import { Line, Seen, SheetMatch } from "./table/shapes.js" */

export class GameView extends Playing {
  /** @param {store.Kept} kept @param {{ rules: () => void, fresh: () => void, again: () => void, replay: () => void,
   * review: () => void }} page actions of the page outside the table */
  constructor(kept, page) {
    super(Table.load(kept.saved));
    this.kept = kept;
    this.page = page;
    this.away = false;
    this.covered = this.table.shared && !this.table.over; // hide all hands until somebody sits down
    this.coach = kept.lesson ? new Coach(kept.lesson) : null;
    /** @type {LookBack | null} */
    this.past = null;
    this.letGo = () => {};
    /** @type {Room | null} */
    this.room = null;
  }

  async open() {
    this.listen();
    await this.busyWith(() => this.take(false)); // allow no choice until no other page can be playing this game
    if (this.closed) return;
    this.draw();
    if (this.coach && !this.seen.log.length) await this.coach.begin(this.table.rules);
    if (this.kept.challenged && !this.seen.log.length)
      await sheet(t("challenge"), [h("p", {}, t("challenge.about"))], [], t("new.deal"));
    document.querySelector("main")?.scrollTo({ top: 0 });
    if (!this.seen.log.length && !this.closed) await deal(this.root);
    await this.follow();
  }

  close() {
    super.close();
    this.past?.close();
    this.coach?.close();
    this.letGo();
    this.room?.leave(this);
    banner("");
  }

  listen() {
    this.deaf();
    this.deaf = listen({ ...this.keys(), b: () => this.lookBack(), r: () => this.page.rules(),
      n: () => this.page.fresh() }, () => this.walked());
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
    if (this.kept.live) await this.joinRoom();
    if (steal) await this.follow();
  }

  lost() {
    if (this.closed) return;
    this.away = true;
    this.room?.close();
    if (this.busy) stopThinking();
    banner(t("elsewhere"), t("elsewhere.here"), () => this.take(true));
    this.draw();
  }

  /** @param {store.Kept} kept as another page has left it */
  reload(kept) {
    this.kept = kept;
    this.table = Table.load(kept.saved);
    this.covered = this.table.shared && !this.table.over;
    this.look(this.table.seen());
    this.draw();
  }

  /** Reconnect to a remote friend if their page is open. */
  async joinRoom() {
    const { roomOf } = await import("./live/room.js");
    this.room = await roomOf(this.kept.id);
    if (!this.closed) this.room?.join(this);
  }

  // --- state ---

  get idle() {
    return super.idle && !this.past && !this.away && !this.covered;
  }

  get gold() {
    return this.hint?.tokens ?? this.coach?.now?.tokens ?? [];
  }

  get ready() {
    return super.ready && !this.away;
  }

  // --- drawing ---

  draw() {
    if (this.past || this.closed) return;
    if (this.covered) return this.cover();
    this.coach?.look(this.seen, this.table.rules);
    super.draw();
  }

  around() {
    const { seen } = this;
    this.root.dataset.state = this.busy ? "busy" : this.away ? "away" : seen.over ? "over" : seen.mine ? "mine"
      : "waiting";
    const day = dayOfId(this.kept.id);
    $("title").replaceChildren(day !== null ? `${t("deal.day")}: ` : "", plain(seen.scene.title), seen.match ? h("span", {}, ` · ${this.score()}`) : "");
    document.title = seen.mine ? t("title.mine") : t("title");
    drawOptions($("actions"), this, this.offer());
    drawHint($("hint"), this.hint);
    this.coach?.draw();
    drawLog($("moves"), seen.log);
  }

  /** Hide all hands while the device is passed on. */
  cover() {
    const { names } = this.table, seat = this.nextPerson();
    this.root.dataset.state = "covered";
    $("title").textContent = plain(this.seen.scene.title);
    drawHint($("hint"), null);
    draw($("actions"), h("p", { class: "say", key: "say", role: "status" },
      t("pass.to", { name: plain(names.called[seat]), you: `${seat === this.table.person}` })),
      h("div", { class: "plain", key: "plain" },
        h("button", { id: "sit", class: "main", onclick: () => this.sit(seat) }, t("pass.here"))));
  }

  /** The seat at this device that decides; while an agent decides, the person who sits here. */
  nextPerson() {
    return this.table.other === "person" ? this.table.game.seat : this.table.person;
  }

  /** @param {number} seat */
  sit(seat) {
    this.table.sit(seat);
    this.covered = false;
    this.look(this.table.seen());
    this.draw();
    return this.follow();
  }

  /** Show the link that hands the turn to a remote friend. */
  sendTurn() {
    const { role, opening } = this.room?.note ?? {}, address = addressOf("turn", this.table, this.kept.id);
    return showLink("turn", role === "host" ? `${address}&open=${opening}` : address);
  }

  get sends() {
    return this.table.other === "friend" && !this.room?.alive;
  }

  /** Hand the turn to the friend. @returns {Promise<boolean>} whether their move had arrived already, and was played */
  async passTurn() {
    if (!this.room) this.sendTurn();
    const more = this.room?.more(this.table) ?? [];
    if (more.length) await this.busyWith(() => this.step(() => this.table.redo(more)));
    else this.room?.send(this.table);
    return more.length > 0;
  }

  score() {
    const match = /** @type {SheetMatch} */ (this.seen.match);
    return t("match", { score: match.after.join(" : ") });
  }

  // --- the person ---

  /** @param {string} token */
  tap(token) {
    if (this.away) return toast(t("elsewhere"));
    super.tap(token);
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
    await this.think(async () => {
      const wanted = advisers(this.table.setup).find(({ spec }) => spec === settings.adviser);
      this.hint = await (wanted ? this.table.hint(await agents.of(wanted.spec), wanted.spec)
        : this.table.hint(judge()));
    });
  }

  /** Show earlier moves; the game waits until the person returns to the present. */
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
    showOver(this.kept, this.seen, this.afterwards());
  }

  /** @returns {[string, () => void][]} */
  afterwards() {
    /** @type {[string, () => void][]} */
    const all = [["result", () => this.over()], ["review", this.page.review], ["replay", this.page.replay],
      ["again", this.page.again]];
    const { setup } = this.table;
    const kind = setup.seats.includes("friend") ? "turn" : this.table.shared ? "watch" : this.kept.challenged ? "reply"
      : "deal";
    return [...all, ["share", () => shareResult(this.kept, this.seen, addressOf("deal", this.table, this.kept.id))],
      [kind, () => showLink(kind, addressOf(kind, this.table, this.kept.id))]];
  }

  // --- what happens ---

  /** Make a change and show it, then play the agents' moves until the person decides. @param {() => unknown} work */
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
    if (!this.table.mine) this.coach?.done(this.kept);
    this.kept = { ...this.kept, saved: this.table.save(), touched: Date.now(), over: this.table.game.over };
    await store.keep(this.kept);
  }

  /** @param {Seen} before @param {number} events the number of events before */
  async show(before, events) {
    this.look(this.table.seen());
    const { seen } = this, happened = this.table.events.slice(events), last = happened.at(-1);
    if (last) click(soundOf(before.scene, seen.scene, last));
    this.tell(seen.log.filter(({ seat, next }) => next > events && seat >= 0 && seat !== seen.person));
    if (last && !this.past) {
      await glide(this.root, () => keepFocus(document.body, () => this.drawTable()), before.scene, [last]);
    }
    if (!this.past && !this.closed) keepFocus(document.body, () => this.around());
    const ended = happened.find((event) => event.ended)?.ended;
    if (ended && !seen.over && !this.closed) {
      await showDeal(ended);
      if (!this.closed) await deal(this.root);
    }
  }

  /** Announce lines to screen readers. @param {Line[]} lines */
  tell(lines) {
    if (lines.length) $("told").textContent = lines.map(({ words }) => spoken(words)).join(". ");
  }

  async follow() {
    while (this.idle && !this.seen.over) {
      if (this.seen.mine) {
        if (!await this.endsByItself()) return this.coached();
        await this.busyWith(() => this.step(() => this.table.play(this.seen.moves[0].actions)));
      } else if (this.table.other) {
        if (this.table.other === "person") this.covered = true;
        this.draw();
        if (this.covered || !await this.passTurn()) return;
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

  /** Let the coach analyse the turn before the person plays it. */
  async coached() {
    const { coach, table } = this;
    if (coach?.wonders(this.seen)) await this.think(() => coach.ask(table));
  }

  async finish() {
    await noteOver(this.kept, this.seen);
    if (this.closed) return;
    this.room?.send(this.table);
    this.over();
    await this.room?.finish();
  }

  /** @param {unknown} error */
  failed(error) {
    super.failed(error);
    this.away = this.seen.waiting; // do not ask a failing agent again and again
    if (this.away) banner(wrong(error), t("again"), () => { this.away = false; banner(""); this.follow(); });
  }
}

// --- one page at a time ----------------------------------------------------------------------------------------------

/** Lock a game; resolve to a function that unlocks it, or to null if another page has the lock. @param {string} id
 * @param {boolean} steal @param {() => void} lost another page took it @returns {Promise<(() => void) | null>} */
export function hold(id, steal, lost) {
  if (!navigator.locks) return Promise.resolve(() => {}); // outside secure contexts there are no locks
  return new Promise((got) => {
    let given = false;
    navigator.locks.request(`casino-game-${id}`, steal ? { steal } : { ifAvailable: true }, (lock) => {
      if (!lock) {
        got(null);
        return null;
      }
      return new Promise((/** @type {(nothing: null) => void} */ release) => got(() => {
        given = true;
        release(null);
      }));
    }).catch(() => given || lost());
  });
}
