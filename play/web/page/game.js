// A game in play: what is chosen, what it could become, the agents' moves one after the other.

import { api } from "./api.js";
import { dragging } from "./drag.js";
import { drawHint } from "./hint.js";
import { keepFocus, listen } from "./keys.js";
import { drawMoves, latest, sideName, turnLines, turnSpoken, turnWords } from "./log.js";
import { LookBack } from "./lookback.js";
import { candidates, drawOptions, tokens } from "./options.js";
import { click, soundOf } from "./sound.js";
import { drawTable, glide } from "./table.js";

const $ = (id) => document.getElementById(id);
const GRACE = 1.6; // times the pace: to take a move back before the turn ends by itself

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class GameView {
  // actions: what the page does beside the table: toast, seated, onDeal, onOver, rules, fresh, adviser, again, replay, review.
  constructor(id, actions) {
    Object.assign(this, { id, actions, chosen: new Set(), events: [], hint: null, reason: "", busy: false, past: null, closed: false });
    this.root = $("table");
    this.drag = dragging(this.root, (token) => this.tap(token), (from, to) => this.drop(from, to), () => this.lit());
    this.deaf = listen(this.keys(), this.root);
  }

  keys() {
    return {
      u: () => this.state.undo && this.undo(), h: () => this.state.mine && this.askHint(), e: () => this.end(),
      Escape: () => this.choose([]), b: () => this.lookBack(), r: () => this.actions.rules(), n: () => this.actions.fresh(),
      digit: (key) => this.root.querySelectorAll(".options [data-do]")[Number(key) - 1]?.click(),
    };
  }

  async open() {
    this.take(await api.state(this.id));
    this.actions.seated(this.state);
    this.draw();
    await this.follow();
  }

  close() {
    this.closed = true;
    this.past?.close();
    this.drag.stop();
    this.deaf();
    document.title = "Casino";
    for (const ghost of document.querySelectorAll(".ghost")) ghost.remove();
  }

  // --- state ---

  take(state) {
    this.state = state;
    this.events = this.events.concat(state.events);
    this.chosen.clear();
    this.hint = null;
    this.reason = "";
  }

  get names() {
    return this.state.names;
  }

  hand() {
    return this.state.scene.seats[this.state.person].hand;
  }

  lit() {
    return new Set(this.past ? [] : candidates(this.state.moves, this.chosen).flatMap(tokens));
  }

  // The person has done something in this turn.
  begun() {
    const last = this.events.at(-1);
    return last?.seat === this.state.person && last.text !== "";
  }

  look() {
    const { lines, cards } = latest(this.events, this.state.person);
    return {
      bottom: this.state.person, names: this.names, chosen: this.chosen, fresh: cards,
      lit: this.state.mine && !this.busy ? this.lit() : new Set(), gold: this.hint ? this.planned() : new Set(),
      news: lines.map((line) => turnWords(line, this.names)),
    };
  }

  // The cards of the move that the hint begins with.
  planned() {
    const plan = this.hint.plan.join(";");
    const first = this.state.moves.filter((move) => plan.startsWith(move.actions.join(";")) || move.actions.join(";").startsWith(plan));
    return new Set(first.length ? tokens(first.sort((a, b) => b.actions.length - a.actions.length)[0]) : []);
  }

  // --- drawing ---

  draw() {
    if (this.past) return;
    keepFocus(this.root, () => {
      drawTable(this.root, this.state.scene, this.look());
      this.around();
    });
  }

  around() {
    const { state } = this;
    this.root.dataset.state = this.busy ? "busy" : state.over ? "over" : state.mine ? "mine" : "waiting";
    $("title").textContent = state.title + matchScore(state, this.names);
    document.title = state.mine ? "Your turn - Casino" : "Casino";
    drawOptions($("actions"), this);
    drawHint($("hint"), this.hint);
    drawMoves($("moves"), this.events, this.names);
  }

  preview(wanted) {
    for (const made of this.root.querySelectorAll("[data-token]")) made.classList.toggle("preview", wanted.includes(made.dataset.token));
  }

  // --- the person ---

  tap(token) {
    if (this.busy || this.past || !this.state.mine) return;
    const before = [...this.chosen];
    if (this.chosen.has(token)) this.choose(before.filter((other) => other !== token));
    else if (this.lit().has(token)) this.choose([...before, token]);
    else this.cannot(before, token);
  }

  choose(chosen) {
    this.chosen = new Set(chosen);
    this.reason = "";
    this.draw();
  }

  // The card does not go with those that are chosen: it may begin a choice of its own, and the rule is told.
  cannot(before, token) {
    const hand = this.hand();
    this.choose([]);
    if (this.lit().has(token)) this.choose([token]);
    const instead = hand.includes(token) && before.every((other) => hand.includes(other));
    if (!instead) this.askWhy([...before, token]);
    else if (!this.chosen.size) this.askWhy([token], "discard"); // the least that could be done with it
  }

  async askWhy(cards, what = "") {
    const { version } = this.state;
    try {
      const { why } = await api.why(this.id, cards, what);
      if (this.closed || this.state.version !== version) return;
      this.reason = why;
      this.draw();
    } catch (error) {
      this.actions.toast(error.message);
    }
  }

  // A card dragged onto another card, a build or the empty table.
  drop(from, to) {
    if (this.busy || this.past || !this.state.mine) return;
    this.chosen = new Set([from]);
    const found = candidates(this.state.moves, this.chosen).filter((move) => (to === null ? move.do === "discard" : tokens(move).includes(to)));
    if (to !== null && found.length) this.chosen.add(to);
    const exact = found.filter((move) => tokens(move).length === this.chosen.size);
    if (exact.length === 1 && (found.length === 1 || to === null)) this.play(exact[0]);
    else this.draw();
    if (!found.length) this.askWhy(to === null ? [from] : [from, to], to === null ? "discard" : "");
  }

  end() {
    const move = this.state.moves.find((other) => other.do === "end");
    if (move) this.play(move);
    else if (this.state.mine) this.askWhy([], "end");
  }

  play(move) {
    return this.change(() => api.move(this.id, this.state.version, this.events.length, move.actions));
  }

  async undo() {
    await this.busyWith(async () => {
      const state = await api.undo(this.id, this.state.version, this.events.length);
      this.events = this.events.slice(0, state.count);
      this.take(state);
    });
    this.draw();
  }

  async askHint() {
    this.actions.toast("Thinking …");
    await this.busyWith(async () => {
      const hint = await api.hints(this.id, this.actions.adviser());
      this.hint = { ...hint, name: this.actions.nameOf(hint.agent) };
    });
    this.actions.toast("");
    this.draw();
  }

  // The game waits until the person comes back to now.
  lookBack() {
    if (this.past) return this.now();
    if (!this.events.some(({ text }) => text)) return this.actions.toast("Nothing has happened yet.");
    this.deaf();
    this.past = new LookBack(this, () => this.now());
    this.past.move(-1);
    this.root.scrollIntoView({ block: "nearest" });
  }

  now() {
    this.past.close();
    this.past = null;
    this.deaf = listen(this.keys(), this.root);
    this.draw();
    if (!this.state.over) this.follow();
  }

  over() {
    return this.actions.onOver(this.state, this.names, this.events.findLast(({ ended }) => ended)?.ended ?? {});
  }

  afterwards() {
    const { actions, state } = this;
    return [["see-result", "Result", () => this.over()], ["see-review", "Review", () => actions.review(this.id)],
      ["see-replay", "Replay", () => actions.replay(this.id)], ["again", "Same again", () => actions.again(this.id)]];
  }

  // --- what happens ---

  // Ask for a change and show it; then the agents' moves, until the person decides.
  async change(request) {
    await this.busyWith(async () => this.show(await request()));
    this.draw();
    await this.follow();
  }

  async show(state) {
    const before = this.state.scene, last = state.events.at(-1);
    this.take(state);
    if (last) click(soundOf(before, state.scene, last));
    this.tell(state.events.filter((event) => event.seat !== state.person));
    if (last && !this.past) await glide(this.root, state.scene, this.look(), last, this.pace() * 0.7);
    if (!this.past) keepFocus(this.root, () => this.around());
    const ended = state.events.find((event) => event.ended);
    if (ended && !state.over) await this.actions.onDeal(state, this.names, ended.ended);
  }

  // For those who listen.
  tell(events) {
    const words = turnLines(events).filter((line) => !line.ended).map((line) => turnSpoken(line, this.names));
    if (words.length) $("news").textContent = words.join(". ");
  }

  async follow() {
    while (!this.closed && !this.busy && !this.past && !this.state.over) {
      if (this.state.mine) {
        if (!await this.endsByItself()) return;
        await this.busyWith(async () => this.show(await api.move(this.id, this.state.version, this.events.length, ["end"])));
      } else {
        await this.busyWith(async () => {
          await wait(this.pace());
          if (!this.closed) await this.show(await api.advance(this.id, this.state.version, this.events.length));
        });
      }
      if (!this.closed) this.draw();
    }
    if (this.state.over && !this.closed) this.over();
  }

  // Nothing is left but to end the turn, and nobody has taken a move back in time.
  async endsByItself() {
    const { version, moves } = this.state;
    if (!$("auto-end").checked || moves.length !== 1 || moves[0].do !== "end") return false;
    await wait(GRACE * this.pace());
    return !this.closed && !this.busy && !this.past && this.state.version === version && this.state.mine;
  }

  pace() {
    return Number($("pace").value);
  }

  // One thing at a time. A page that is behind catches up; the server decides.
  async busyWith(work) {
    if (this.busy) return;
    this.busy = true;
    this.root.dataset.state = "busy";
    try {
      await work();
    } catch (error) {
      if (!this.closed) await this.catchUp(error);
    } finally {
      this.busy = false;
    }
  }

  // Until the server answers again, or says that there is no such game.
  async catchUp(error) {
    if (error.code !== "stale") this.actions.toast(error.message);
    for (let pause = 500; !this.closed; pause = Math.min(2 * pause, 8000)) {
      try {
        const state = await api.state(this.id);
        this.events = [];
        this.take(state);
        return;
      } catch (again) {
        if (again.code !== "away") this.closed = true;
        this.actions.toast(again.code === "away" ? "The connection is lost; trying again …" : again.message);
        await wait(pause);
      }
    }
  }
}

function matchScore(state, names) {
  if (!state.match) return "";
  const sides = new Map();
  state.scene.seats.forEach((seat) => sides.set(Math.min(seat.number, seat.partner ?? seat.number), [seat.number, ...(seat.partner === null ? [] : [seat.partner])].sort()));
  return ` · match: ${[...sides.values()].map((seats) => `${sideName(seats, names)} ${state.match_score[seats[0]]}`).join(", ")}`;
}
