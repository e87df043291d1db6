// A record with a time line: all hands or one seat's, and what a policy would have done.

import { api } from "./api.js";
import { element, notation } from "./cards.js";
import { drawHint } from "./hint.js";
import { drawTable, glide } from "./table.js";

const $ = (id) => document.getElementById(id);
const PACE = 900;

export class ReplayView {
  constructor(record, specs, { agents, toast }) {
    Object.assign(this, { record, specs, toast, step: 0, seat: null, agent: null, running: false, closed: false, agents, turn: 0 });
  }

  async open() {
    await this.go(0);
  }

  close() {
    this.closed = true;
    this.running = false;
  }

  get names() {
    return this.data.scene.seats.map((seat) => (this.specs ? `${this.specs[seat.number].split(":")[0]} ${seat.number}` : `seat ${seat.number}`));
  }

  // The latest wish counts, whichever answer comes last.
  async go(step) {
    const turn = ++this.turn;
    try {
      const data = await api.replay({ record: this.record, step, seat: this.seat, agent: this.agent });
      if (turn !== this.turn || this.closed) return;
      const forward = this.data && data.step === this.step + 1;
      this.data = data;
      this.step = data.step;
      const done = data.steps[this.step - 1];
      const look = { bottom: this.seat ?? 0, names: this.names };
      if (forward) await glide($("table"), data.scene, look, { seat: done.seat, played: [] }, PACE * 0.6);
      else drawTable($("table"), data.scene, look);
      this.around();
    } catch (error) {
      this.running = false;
      this.toast(error.message);
      throw error;
    }
  }

  around() {
    const { data } = this;
    $("title").textContent = `Replay: ${data.scene.title}`;
    const bar = $("actions");
    bar.replaceChildren(element("span", { class: "say" }, data.scene.status.replace(/^seat (\d+)/, (_, seat) => this.names[seat])),
      data.result ? element("strong", { class: "final" }, `points: ${data.result.scores.map((points, seat) => `${this.names[seat]} ${points}`).join(", ")}`) : "");
    this.drawTools();
    this.drawList();
    drawHint($("hint"), data.hints ? { agent: this.agent, ...data.hints } : null, null);
  }

  drawTools() {
    const tools = $("replay-tools");
    const last = this.data.steps.length;
    if (!tools.firstChild) this.makeTools(tools);
    const range = tools.querySelector("input[type=range]");
    range.max = last;
    range.value = this.step;
    tools.querySelector("#replay-count").textContent = `${this.step} / ${last}`;
    tools.querySelector("#replay-run").textContent = this.running ? "Pause" : "Play";
  }

  makeTools(tools) {
    const option = (value, text) => element("option", { value }, text);
    const seats = element("select", { id: "replay-seat", onchange: (event) => { this.seat = event.target.value === "" ? null : Number(event.target.value); this.go(this.step); } },
      option("", "all hands open"), ...this.names.map((name, seat) => option(seat, `as ${name} sees it`)));
    const agents = element("select", { id: "replay-agent", onchange: (event) => { this.agent = event.target.value || null; this.go(this.step); } },
      option("", "no hints"), ...this.agents.map((agent) => option(agent, `hints of ${agent}`)));
    tools.append(
      element("input", { type: "range", min: 0, value: 0, "aria-label": "time line", oninput: (event) => this.go(Number(event.target.value)) }),
      element("button", { "aria-label": "back", onclick: () => this.go(Math.max(0, this.step - 1)) }, "◀"),
      element("button", { id: "replay-run", onclick: () => this.run() }, "Play"),
      element("button", { "aria-label": "forward", id: "replay-next", onclick: () => this.go(this.step + 1) }, "▶"),
      element("span", { id: "replay-count" }), seats, agents);
  }

  async run() {
    this.running = !this.running;
    this.drawTools();
    while (this.running && !this.closed && this.step < this.data.steps.length) {
      await this.go(this.step + 1);
      await new Promise((done) => setTimeout(done, PACE));
    }
    this.running = false;
    if (!this.closed) this.drawTools();
  }

  drawList() {
    const list = $("moves");
    list.replaceChildren(...this.data.steps.map((step, number) => element("li", {
      class: `seat-${step.seat} ${number === this.step - 1 ? "now" : ""}`, style: "border-color: currentColor", onclick: () => this.go(number + 1),
    }, element("span", { style: "color: var(--light)" }, element("strong", {}, `${this.names[step.seat]}: `), notation(step.text)))));
    const now = list.querySelector(".now");
    if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
    else list.scrollTop = 0;
  }

  async position() {
    return this.data.position;
  }
}
