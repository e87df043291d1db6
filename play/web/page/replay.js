// A record with a time line: all hands or one seat's, what an agent would have done, and the review of one's own turns.

import { api } from "./api.js";
import { element, notation } from "./cards.js";
import { drawHint } from "./hint.js";
import { keepFocus, listen } from "./keys.js";
import { Review } from "./review.js";
import { drawTable, glide } from "./table.js";

const $ = (id) => document.getElementById(id);
const PACE = 900;

export class ReplayView {
  // specs: who sat there, where that is known. page: agents as {spec: name}, toast, moved(step), playOn(position, specs).
  constructor(record, specs, page) {
    Object.assign(this, { record, specs: specs ?? [], page, step: 0, seat: null, agent: null, running: false, closed: false, turn: 0, wanted: 0 });
    this.deaf = listen({
      ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1),
      Home: () => this.go(0), End: () => this.go(this.data.steps.length), " ": () => this.run(),
    });
  }

  async open(step = 0, reviewed = false) {
    await this.go(step);
    if (reviewed && this.data.person >= 0) this.startReview();
  }

  close() {
    this.closed = true;
    this.running = false;
    this.deaf();
    $("review").replaceChildren();
  }

  get names() {
    return this.data.names;
  }

  // From the step that was asked for last, which need not be there yet.
  move(by) {
    return this.go(Math.min(Math.max(0, this.wanted + by), this.data.steps.length));
  }

  // The latest wish counts, whichever answer comes last.
  async go(step) {
    const turn = ++this.turn;
    this.wanted = step;
    try {
      const data = await api.replay({ record: this.record, specs: this.specs, step, seat: this.seat, agent: this.agent });
      if (turn !== this.turn || this.closed) return;
      const forward = this.data && data.step === this.step + 1;
      this.data = data;
      this.step = this.wanted = data.step;
      const done = data.steps[this.step - 1];
      const look = { bottom: this.seat ?? Math.max(0, data.person), names: this.names };
      if (forward) await glide($("table"), data.scene, look, { seat: done.seat, played: [] }, PACE * 0.6);
      else drawTable($("table"), data.scene, look);
      keepFocus($("panel"), () => this.around());
      this.page.moved(this.step);
    } catch (error) {
      this.running = false;
      this.wanted = this.step;
      this.page.toast(error.message);
      throw error;
    }
  }

  around() {
    const { data } = this, next = data.steps[this.step];
    $("title").textContent = `Replay: ${data.title}`;
    const points = data.result?.sides.map((seats) => `${seats.map((seat) => this.names[seat]).join(" & ")} ${data.result.scores[seats[0]]}`);
    $("actions").replaceChildren(points
      ? element("p", { class: "say final" }, `The end. Points: ${points.join(", ")}`)
      : element("p", { class: "say" }, element("strong", {}, `${this.names[next.seat]} `), notation(this.ahead())));
    this.drawTools();
    this.drawList();
    drawHint($("hint"), data.hints ? { name: this.page.agents[this.agent] ?? this.agent, ...data.hints } : null, this.ahead());
  }

  // The turn that was played from here.
  ahead() {
    const { steps } = this.data, rest = steps.slice(this.step);
    const end = rest.findIndex((step, k) => k > 0 && step.begins);
    return rest.slice(0, end < 0 ? rest.length : end).map((step) => step.text).join(", then ");
  }

  drawTools() {
    const tools = $("replay-tools"), last = this.data.steps.length;
    if (!tools.firstChild) this.makeTools(tools);
    const range = tools.querySelector("input[type=range]");
    range.max = last;
    range.value = this.step;
    tools.querySelector("#replay-count").textContent = `${this.step} / ${last}`;
    tools.querySelector("#replay-run").textContent = this.running ? "Pause" : "Play";
  }

  makeTools(tools) {
    const option = (value, text) => element("option", { value }, text);
    const seats = element("select", { id: "replay-seat", "aria-label": "whose view", onchange: (event) => { this.seat = event.target.value === "" ? null : Number(event.target.value); this.go(this.step); } },
      option("", "all hands open"), ...this.names.map((name, seat) => option(seat, `as ${name} see${name === "You" ? "" : "s"} it`)));
    const agents = element("select", { id: "replay-agent", "aria-label": "hints", onchange: (event) => { this.agent = event.target.value || null; this.go(this.step); } },
      option("", "no hints"), ...Object.entries(this.page.agents).map(([spec, name]) => option(spec, `hints of ${name}`)));
    tools.append(
      element("input", { type: "range", min: 0, value: 0, "aria-label": "time line", oninput: (event) => this.go(Number(event.target.value)) }),
      element("button", { "aria-label": "back", onclick: () => this.move(-1) }, "◀"),
      element("button", { id: "replay-run", onclick: () => this.run() }, "Play"),
      element("button", { "aria-label": "forward", id: "replay-next", onclick: () => this.move(1) }, "▶"),
      element("span", { id: "replay-count" }), seats, agents,
      this.data.person >= 0 ? element("button", { id: "start-review", onclick: () => this.startReview() }, "Review") : "");
  }

  startReview() {
    this.review ??= new Review(this);
    this.review.run();
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
    list.replaceChildren(...this.data.steps.map((step, number) => element("li", { class: `by-${step.seat} ${number === this.step - 1 ? "now" : ""}` },
      element("button", { class: "line", "data-key": `step-${number}`, onclick: () => this.go(number + 1) }, element("strong", {}, `${this.names[step.seat]} `), notation(step.text)))));
    const now = list.querySelector(".now");
    list.scrollTop = now ? now.offsetTop - list.offsetTop - list.clientHeight / 2 : 0;
  }

  async position() {
    return this.data.position;
  }
}
