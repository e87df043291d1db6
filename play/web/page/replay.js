// A record with a time line: all hands or one seat's, what an agent would have done, and the review of one's own turns.

import { timeLine } from "./casino/src/table/index.js";
import { stopThinking } from "./agents.js";
import { $, draw, h } from "./dom.js";
import { keepFocus, listen } from "./keys.js";
import { drawLog } from "./log.js";
import { clearFlight, glide } from "./motion.js";
import { Review } from "./review.js";
import { pace } from "./settings.js";
import { drawTable } from "./table.js";
import { plain, said, t } from "./text.js";

/** @typedef {import("./casino/src/table/shapes.js").Replayed} Replayed */

export class ReplayView {
  /** @param {string} record @param {string[]} specs of those who sat there, where that is known
   * @param {{ moved: (step: number) => void, playOn: (position: any, specs: string[]) => void, adviser: (variant: string, players: number) => string }} page */
  constructor(record, specs, page) {
    this.specs = specs;
    this.page = page;
    this.line = timeLine(record, specs);
    this.step = 0;
    /** @type {number | null} */
    this.seat = null;
    this.running = this.closed = false;
    /** @type {Replayed} */
    this.data = this.line.seen(0, null);
    /** @type {Review | null} */
    this.review = null;
    this.deaf = listen({
      ArrowLeft: () => this.go(this.step - 1), ArrowRight: () => this.go(this.step + 1), Home: () => this.go(0), End: () => this.go(this.last), " ": () => this.run(),
    });
  }

  get last() {
    return this.line.steps.length;
  }

  /** @param {number} step @param {boolean} reviewed */
  async open(step, reviewed) {
    await this.go(step);
    if (reviewed) this.startReview();
  }

  close() {
    this.closed = true;
    this.running = false;
    this.deaf();
    stopThinking();
    clearFlight();
    draw($("review"));
  }

  /** @param {number} wanted */
  async go(wanted) {
    const step = Math.min(Math.max(0, wanted), this.last), forward = step === this.step + 1, before = this.data;
    this.data = this.line.seen(step, this.seat);
    this.step = step;
    const show = () => drawTable($("table"), this.data.scene, { bottom: this.seat ?? Math.max(0, this.data.person) });
    keepFocus(document.body, () => this.around());
    this.page.moved(step);
    const { seat } = this.line.steps[Math.max(0, step - 1)] ?? { seat: 0 };
    if (forward) await glide($("table"), show, { seat, pile: before.scene.seats[seat].pile.at, played: [] }, pace() * 0.7);
    else show();
  }

  around() {
    const { data } = this;
    $("table").dataset.state = "replay";
    $("title").textContent = plain(data.scene.title);
    drawLog($("moves"), data.log, this.step, (event) => this.go(event));
    this.drawTools();
    this.review?.mark();
  }

  drawTools() {
    const { data, step, last } = this;
    const option = (/** @type {string} */ value, /** @type {string} */ words) => h("option", { value }, words);
    draw($("actions"),
      h("p", { class: "say", key: "say", role: "status" }, data.next ? said(data.next.words) : data.sheet ? plain(data.sheet.verdict) : t("replay.end")),
      h("div", { class: "tools", key: "tools" },
        h("input", { type: "range", id: "time-line", min: 0, max: last, value: step, "aria-label": t("replay.line"), oninput: (/** @type {any} */ event) => this.go(Number(event.target.value)) }),
        h("button", { id: "replay-back", "aria-label": t("past.back"), disabled: step === 0, onclick: () => this.go(this.step - 1) }, "◀"),
        h("button", { id: "replay-run", onclick: () => this.run() }, t(this.running ? "replay.pause" : "replay.play")),
        h("button", { id: "replay-next", "aria-label": t("past.on"), disabled: step === last, onclick: () => this.go(this.step + 1) }, "▶"),
        h("span", { id: "replay-count" }, `${step} / ${last}`),
        h("select", { id: "replay-seat", "aria-label": t("replay.hands"), onchange: (/** @type {any} */ event) => { this.seat = event.target.value === "" ? null : Number(event.target.value); this.go(this.step); } },
          option("", t("replay.all")), data.names.map((name, seat) => option(`${seat}`, t("replay.as", { name: plain(name), you: `${seat === data.person}` })))),
        data.person >= 0 && h("button", { id: "start-review", onclick: () => this.startReview() }, t("after.review"))));
    const line = /** @type {HTMLInputElement} */ ($("time-line"));
    line.max = `${last}`;
    line.value = `${step}`;
  }

  startReview() {
    if (this.data.person < 0) return;
    this.review ??= new Review(this);
    this.review.run();
    if (getComputedStyle($("panel")).position === "static" && matchMedia("(max-width: 800px)").matches) $("review").scrollIntoView({ block: "start" });
  }

  async run() {
    this.running = !this.running;
    this.drawTools();
    while (this.running && !this.closed && this.step < this.last) {
      await this.go(this.step + 1);
      await new Promise((done) => setTimeout(done, pace()));
    }
    this.running = false;
    if (!this.closed) this.drawTools();
  }

  position() {
    return this.data.position;
  }
}
