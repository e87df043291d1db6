// A live game: presence, turns as they are played, a few phrases, and the check at the end. The game itself is like any
// other on the page; the pages exchange whole histories, so that a page that was away catches up with one message.

import { agents, apart } from "../agents.js";
import { $, draw, h } from "../dom.js";
import { wait } from "../playing.js";
import { go, sheet, shut, toast, told } from "../sheet.js";
import * as store from "../store.js";
import { bytesOf, lettersOf } from "../table/code.js";
import { Table } from "../table/index.js";
import { t } from "../text.js";
import { agentsFault, faultOf, logOf, restOf, seedOf, setupOf, textOfLog } from "./agreement.js";
import { accept, answer, newEnd, newKey, offer } from "./connection.js";
import { keepNote, noteOf } from "./notes.js";
import { plainWay, readWay, wayOf } from "./signalling.js";

/** @import { GameView } from "../game.js" */
/** @import { End } from "./connection.js" */
/** @import { Note } from "./notes.js" */

const BEAT = 3000, SILENT = 10_000, KNOCK = 10_000, LOOK = 200; // milliseconds
const KNOCKS = 60;
const LONGEST = 32_768; // letters of a message: a match has some thousand actions
const PHRASES = ["hello", "well", "luck", "oops", "moment", "thanks", "again"];
const CHATTER = 1000; // least milliseconds between two phrases that are shown

/** @type {Map<string, Room>} */
const rooms = new Map();

/** The room of a live game; null if this device has no note of it. @param {string} id */
export async function roomOf(id) {
  const known = rooms.get(id), note = known?.note ?? await noteOf(id);
  return known ?? rooms.get(id) ?? (note ? new Room(note) : null);
}

export class Room {
  /** @type {End | null} */ line = null;
  /** @type {End | null} */ door = null;
  /** @type {GameView | null} */ view = null;
  /** @type {"none" | "here" | "away" | "gone"} Presence of the other player. */ other = "none";
  /** Whose door the line came through; if both opened, the host's wins. @type {"host" | "guest"} */ via = "host";
  heard = 0;
  spoke = 0;
  /** The actions last sent. */ played = "";
  /** @type {number[]} The actions last received. */ theirs = [];
  theirLog = "";
  /** @type {{ key: string, at?: number } | null} The result of the check. */ verdict = null;
  knocking = false;
  checking = false;
  closed = false;

  /** @param {Note} note */
  constructor(note) {
    this.note = note;
    rooms.set(note.id, this);
    this.beats = setInterval(() => this.beat(), BEAT);
    this.seen = () => this.beat();
    this.gone = () => this.tell("bye");
    document.addEventListener("visibilitychange", this.seen);
    window.addEventListener("pagehide", this.gone);
    this.knock();
  }

  close() {
    this.closed = true;
    rooms.delete(this.note.id);
    clearInterval(this.beats);
    document.removeEventListener("visibilitychange", this.seen);
    window.removeEventListener("pagehide", this.gone);
    this.tell("bye");
    for (const end of [this.line, this.door]) end?.pc.close();
    if (this.view) this.leave(this.view);
  }

  /** Whether the line is open and the other page has been heard lately. */
  get alive() {
    return this.line?.channel.readyState === "open" && Date.now() - this.heard < SILENT;
  }

  // --- the line ---

  /** Make an end that may become the line once it opens. @param {"host" | "guest"} [via] @returns {End} */
  expect(via = "host") {
    const end = newEnd(this.note.certificate), { channel } = end;
    channel.onopen = () => this.adopt(end, via);
    channel.onmessage = ({ data }) => { if (!this.closed) this.hear(data); };
    channel.onclose = () => { if (end === this.line) this.lost(); };
    return end;
  }

  /** @param {End} end @param {"host" | "guest"} via */
  adopt(end, via) {
    if (this.closed) return end.pc.close();
    if (end.channel.readyState !== "open") return; // already closed again
    if (this.alive && (this.via === "host" || via === "guest")) return this.leaveSoon(end);
    const last = this.line;
    [this.line, this.via, this.heard] = [end, via, Date.now()];
    if (last) this.leaveSoon(last);
    this.other = "here";
    this.beat();
    if (this.note.role === "host") this.tell("open", this.note.opening);
    if (this.played) this.tell("turns", this.played);
    this.tellLog();
    this.newDoor().catch(() => {}); // without a door, reconnecting needs a link
    this.draw();
  }

  /** Close an end after a delay. Both pages may connect at once, each through the other's door, and this end may be the
   * other's line until the second one has opened on both sides. @param {End} end */
  leaveSoon(end) {
    setTimeout(() => { if (end !== this.line) end.pc.close(); }, KNOCK);
  }

  lost() {
    if (this.closed) return;
    [this.other, this.heard] = ["gone", 0];
    this.draw();
    this.knock();
  }

  beat() {
    if (this.other !== "none" && this.other !== "gone" && !this.alive) this.lost();
    this.tell(document.visibilityState === "visible" ? "here" : "away");
  }

  async newDoor() {
    const last = this.door, door = this.expect(this.note.role);
    this.door = door;
    if (last) this.leaveSoon(last);
    for (const soon of [true, false]) { // send it early too: this line may be gone before all candidates are known
      const way = await offer(door, soon);
      if (door === this.door) this.tell("door", plainWay(way)); // else a newer line has made its own door
    }
  }

  /** Try to connect through the other's door until it succeeds. */
  async knock() {
    if (this.knocking) return;
    this.knocking = true;
    for (let left = KNOCKS; left > 0 && !this.closed && !this.alive && this.note.door; left--) {
      const end = this.expect(this.note.role === "host" ? "guest" : "host");
      if (!await answer(end, this.note.door, this.note.key).catch(() => null)) break; // the browser rejects the key
      for (let rest = KNOCK; rest > 0 && !this.alive && !this.closed; rest -= LOOK) await wait(LOOK);
      if (this.alive) this.leaveSoon(end);
      else end.pc.close(); // the next try needs the same key
    }
    this.knocking = false;
  }

  // --- messages ---

  /** @param {string} what @param {...any} more */
  tell(what, ...more) {
    if (this.line?.channel.readyState === "open") this.line.channel.send(JSON.stringify([what, ...more]));
  }

  /** Handle a message, which may contain anything. @param {unknown} data */
  async hear(data) {
    try {
      if (typeof data !== "string" || data.length > LONGEST) return;
      const [what, ...more] = JSON.parse(data);
      this.heard = Date.now();
      if (!Object.hasOwn(this.hears, what)) return;
      await this.hears[what](...more);
    } catch { // an invalid message
    }
  }

  /** @type {{ [what: string]: (...more: any[]) => unknown }} */
  hears = {
    here: () => this.is("here"),
    away: () => this.is("away"),
    bye: () => this.lost(),
    say: (which) => this.listen(which),
    open: (opening) => told(async () => { if (await this.opened(opening)) this.enter(); }),
    turns: (letters) => {
      this.theirs = bytesOf(letters);
      this.view?.follow();
    },
    log: (text) => {
      this.theirLog = `${text}`;
      return this.check();
    },
    door: async (way) => {
      Object.assign(this.note, { door: readWay(way), key: this.note.key ?? newKey() });
      await keepNote(this.note);
      const { print } = wayOf(this.line?.pc.localDescription?.sdp ?? "");
      this.tell("key", plainWay({ .../** @type {any} */ (this.note.key), print, places: [] }));
    },
    key: async (way) => {
      if (!this.door) return;
      await accept(this.door, readWay(way));
      this.draw();
    },
  };

  /** @param {"here" | "away"} other */
  is(other) {
    if (this.other === other) return;
    this.other = other;
    this.draw();
  }

  /** @param {string} which */
  listen(which) {
    if (!PHRASES.includes(which) || Date.now() - this.spoke < CHATTER) return;
    this.spoke = Date.now();
    toast(t("live.said", { words: t(`live.say.${which}`) }));
  }

  say() {
    sheet(t("live.say"), [], PHRASES.map((which) => ({ words: t(`live.say.${which}`), id: `say-${which}`,
      run: () => this.tell("say", which) })), t("cancel"));
  }

  // --- the game ---

  /** The host has opened the seal: begin the guest's game with the deal that follows from it. @param {unknown} opening
   * @returns {Promise<boolean>} whether the game has just begun */
  async opened(opening) {
    if (this.note.role === "host" || this.note.opening) return false;
    const seed = await seedOf({ ...this.note, opening: `${opening}` });
    if (seed === null) throw new Error(t("live.check.deal"));
    this.note.opening = `${opening}`;
    try {
      await this.begin(seed);
    } catch (error) {
      this.note.opening = ""; // the host may send it again
      throw error;
    }
    return true;
  }

  enter() {
    go(`game=${this.note.id}`);
    shut();
  }

  /** @param {string} seed */
  async begin(seed) {
    const { note } = this, { id } = note, table = new Table(setupOf(note.terms, seed, note.role)), now = Date.now();
    for (const spec of table.setup.seats)
      if (!["you", "friend"].includes(spec)) await (await agents.of(spec)).check(table.rules);
    await keepNote(note);
    if (!await store.game(id))
      await store.keep({ id, saved: table.save(), begun: now, touched: now, over: false, how: null, live: true });
  }

  /** @param {GameView} view */
  join(view) {
    this.view = view;
    this.send(view.table);
    this.draw();
  }

  /** @param {GameView} view */
  leave(view) {
    if (this.view !== view) return;
    this.view = null;
    document.getElementById("live")?.remove();
  }

  /** Send the actions that can no longer be undone. @param {Table} table */
  send({ game, mine, person }) {
    const last = mine ? game.log.findLastIndex(([seat]) => seat !== person) + 1 : game.log.length;
    const played = lettersOf(game.log.slice(0, last).map(([, action]) => action));
    if (played !== this.played) this.tell("turns", played);
    this.played = played;
  }

  /** The other's actions that this table lacks. @param {Table} table @returns {number[]} */
  more({ game, person }) {
    const more = restOf(game, person, this.theirs);
    if (!more) this.judge("fork");
    return more ?? [];
  }

  tellLog() {
    const table = this.view?.table;
    if (table?.over) this.tell("log", textOfLog(logOf(this.note, table)));
  }

  finish() {
    this.tellLog();
    return this.check();
  }

  /** Check the other's log once both have finished. */
  async check() {
    const table = this.view?.table;
    if (!table?.over || !this.theirLog || this.verdict || this.checking) return;
    this.checking = true;
    const own = logOf(this.note, table), asked = apart();
    try {
      const fault = await faultOf(own, this.theirLog) ?? await agentsFault(own, asked);
      this.judge(fault?.part ?? "fine", fault?.at);
    } catch { // the agents were stopped: check when the game is opened again
    } finally {
      this.checking = false;
      asked.close();
    }
  }

  /** @param {string} key @param {number} [at] the turn */
  judge(key, at) {
    this.verdict = { key: `live.check.${key}`, at };
    this.draw();
  }

  // --- the bar ---

  draw() {
    if (!this.view) return;
    if (!document.getElementById("live")) $("banner").after(h("div", { id: "live", role: "status" }));
    const { other, verdict, alive } = this, { invite } = this;
    $("live").dataset.other = other;
    $("live").dataset.door = this.door?.pc.remoteDescription ? "open" : "shut"; // whether the other can reconnect
    draw($("live"), h("span", { class: "dot", "aria-hidden": "true" }),
      h("p", {}, verdict ? t(verdict.key, { n: verdict.at ?? 0 }) : t(`live.${other}`)),
      alive ? h("button", { id: "live-say", onclick: () => this.say() }, t("live.say"))
        : h("button", { id: "live-again", onclick: () => invite() }, t("live.again")));
  }

  /** By a link, where neither finds the other. */
  invite = () => told(async () => (await import("./invite.js")).inviteAgain(this));
}
