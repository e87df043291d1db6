// A game in play: what is chosen, what it could become, the agents' moves one after the other.

import { api } from "./api.js";
import { element, notation } from "./cards.js";
import { dragging } from "./drag.js";
import { drawHint } from "./hint.js";
import { drawTable, glide } from "./table.js";

const $ = (id) => document.getElementById(id);
const PLAIN = ["end", "yes", "no", "count out"]; // moves without cards
const MOST_BUTTONS = 6;

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class GameView {
  constructor(id, { toast, onOver }) {
    Object.assign(this, { id, toast, onOver, chosen: new Set(), events: [], hint: null, busy: false, closed: false });
    this.root = $("table");
    this.drag = dragging(this.root, (token) => this.tap(token), (from, to) => this.drop(from, to), () => this.lit());
  }

  async open() {
    this.take(await api.state(this.id));
    this.draw();
    await this.follow();
  }

  close() {
    this.closed = true;
    this.drag.stop();
    for (const ghost of document.querySelectorAll(".ghost")) ghost.remove();
  }

  // --- state ---

  take(state) {
    this.state = state;
    this.events = this.events.concat(state.events);
    this.chosen.clear();
    this.hint = null;
  }

  get names() {
    return seatNames(this.state.seats, this.state.person);
  }

  // Moves that the chosen cards may still become, the closest first.
  candidates() {
    const chosen = [...this.chosen];
    const fits = this.state.moves.filter((move) => !PLAIN.includes(move.do) && chosen.every((token) => tokens(move).includes(token)));
    return fits.sort((a, b) => tokens(a).length - tokens(b).length || a.text.length - b.text.length);
  }

  lit() {
    return new Set(this.candidates().flatMap(tokens));
  }

  look() {
    return {
      bottom: this.state.person, names: this.names, chosen: this.chosen,
      lit: this.state.mine && !this.busy ? this.lit() : new Set(), gold: this.hint ? this.planned() : new Set(),
      banner: this.banner(),
    };
  }

  // What the others have done last.
  banner() {
    const lines = turnLines(this.events).filter((line) => !line.ended && line.seat !== this.state.person);
    return lines.length ? turnWords(lines.at(-1), this.names) : null;
  }

  // The cards of the move that the hint begins with.
  planned() {
    const plan = this.hint.plan.join(";");
    const first = this.state.moves.filter((move) => plan.startsWith(move.actions.join(";")) || move.actions.join(";").startsWith(plan));
    return new Set(first.length ? tokens(first.sort((a, b) => b.actions.length - a.actions.length)[0]) : []);
  }

  // --- drawing ---

  draw() {
    drawTable(this.root, this.state.scene, this.look());
    this.around();
  }

  around() {
    this.root.dataset.state = this.busy ? "busy" : this.state.over ? "over" : this.state.mine ? "mine" : "waiting";
    $("title").textContent = this.state.scene.title + matchScore(this.state, this.names);
    this.drawActions();
    drawHint($("hint"), this.hint, this.state);
    drawMoves($("moves"), this.events, this.names);
  }

  drawActions() {
    const bar = $("actions");
    const { state } = this;
    const list = this.chosen.size || state.moves.length <= 4 ? this.candidates() : [];
    const buttons = list.slice(0, MOST_BUTTONS).map((move, k) => {
      const exact = tokens(move).length === this.chosen.size && this.chosen.size > 0;
      return element("button", { class: exact && k === 0 ? "main" : "", "data-do": move.do, disabled: this.busy, onclick: () => this.play(move) }, notation(move.text));
    });
    if (list.length > MOST_BUTTONS) buttons.push(element("span", { class: "more" }, `and ${list.length - MOST_BUTTONS} more: tap further cards`));
    const plain = state.moves.filter((move) => PLAIN.includes(move.do)).map((move) =>
      element("button", { class: "main", "data-do": move.do, disabled: this.busy, onclick: () => this.play(move) }, notation(move.text)));
    const tools = element("span", { class: "tools" },
      state.undo ? element("button", { id: "undo", disabled: this.busy, onclick: () => this.undo() }, "Undo") : null,
      state.mine ? element("button", { id: "ask-hint", disabled: this.busy, onclick: () => this.askHint() }, "Hint") : null);
    bar.replaceChildren(this.says() ? element("span", { class: "say" }, this.says()) : "", ...buttons, ...plain, tools);
  }

  says() {
    const { state } = this;
    if (state.over) return "The game is over.";
    if (state.mine) {
      const question = state.scene.status.replace(/^seat \d+: /, "");
      if (question !== "to play") return question;
      return this.chosen.size || state.moves.length <= 4 ? "" : "Your turn: tap a card.";
    }
    const decides = state.scene.seats.find((seat) => seat.decides);
    return `${this.names[decides.number]} is thinking …`;
  }

  // --- the person ---

  tap(token) {
    if (this.busy || !this.state.mine) return;
    if (this.chosen.has(token)) this.chosen.delete(token);
    else if (this.lit().has(token)) this.chosen.add(token);
    else {
      this.chosen.clear();
      if (this.lit().has(token)) this.chosen.add(token);
      else if (token) this.toast("Nothing can be done with that now.");
    }
    this.draw();
  }

  // A card dragged onto another card, a build or the empty table.
  drop(from, to) {
    if (this.busy || !this.state.mine) return;
    this.chosen.clear();
    this.chosen.add(from);
    const found = this.candidates().filter((move) => (to === null ? move.do === "discard" : tokens(move).includes(to)));
    if (to !== null && found.length) this.chosen.add(to);
    const exact = found.filter((move) => tokens(move).length === this.chosen.size);
    if (exact.length === 1 && (found.length === 1 || to === null)) this.play(exact[0]);
    else this.draw();
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
    this.toast("Thinking …");
    await this.busyWith(async () => { this.hint = await api.hints(this.id); });
    this.toast("");
    this.draw();
  }

  // --- what happens ---

  // Ask for a change and show it; then the agents' moves, until the person decides.
  async change(request) {
    await this.busyWith(async () => this.show(await request()));
    this.draw();
    await this.follow();
  }

  async show(state) {
    this.take(state);
    const last = state.events.at(-1);
    if (last) await glide(this.root, state.scene, this.look(), last, this.pace() * 0.7);
    this.around();
  }

  async follow() {
    while (!this.closed && !this.busy && !this.state.over) {
      if (this.state.mine) {
        if (!$("auto-end").checked || this.state.moves.length !== 1 || this.state.moves[0].do !== "end") return;
        await this.busyWith(async () => this.show(await api.move(this.id, this.state.version, this.events.length, ["end"])));
      } else {
        await this.busyWith(async () => {
          await wait(this.pace());
          if (!this.closed) await this.show(await api.advance(this.id, this.state.version, this.events.length));
        });
      }
      if (!this.closed) this.draw();
    }
    if (this.state.over && !this.closed) this.onOver(this.state, this.names);
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
      if (this.closed) return;
      this.toast(error.message);
      if (error.code === "away") await wait(2000);
      await this.reload();
    } finally {
      this.busy = false;
    }
  }

  async reload() {
    try {
      this.events = [];
      this.take(await api.state(this.id));
    } catch (error) {
      this.closed = true;
      this.toast(error.message);
    }
  }
}

const tokens = (move) => [...move.cards, ...move.builds.map((value) => `b${value}`)];

export function seatNames(specs, person) {
  const names = specs.map((spec, seat) => (seat === person ? "You" : spec.split(":")[0]));
  return names.map((name, seat) => (names.filter((other) => other === name).length > 1 ? `${name} ${seat}` : name));
}

function matchScore(state, names) {
  return state.match ? ` · match ${state.match_score.map((points, seat) => `${names[seat]} ${points}`).join(", ")}` : "";
}

// The list of turns, each in one line.
export function drawMoves(list, events, names) {
  list.replaceChildren(...turnLines(events).map((line) => {
    if (line.ended) return element("li", { class: "deal" }, `end of the deal: ${line.ended.map((points, seat) => `${names[seat]} ${points}`).join(", ")}`);
    return element("li", { class: `seat-${line.seat}`, style: "border-color: currentColor" },
      element("span", { style: "color: var(--light)" }, ...turnWords(line, names)));
  }));
  list.scrollTop = list.scrollHeight;
}

function turnLines(events) {
  const lines = [];
  for (const event of events) {
    const last = lines.at(-1);
    if (last && last.turn === event.turn && last.deal === event.deal) last.texts.push(event.text);
    else lines.push({ seat: event.seat, turn: event.turn, deal: event.deal, texts: [event.text] });
    if (event.ended.length) lines.push({ ended: event.ended });
  }
  return lines;
}

function turnWords(line, names) {
  const texts = line.texts.filter((text) => text && text !== "end");
  return [element("strong", {}, `${names[line.seat]}: `), notation(texts.join("; ") || "ends the turn")];
}
