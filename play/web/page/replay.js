// The replay of a record with a time line: all hands or one seat's view, and the review of the person's turns.

import { timeLine } from "./table/index.js";
import { $, choice, draw, h } from "./dom.js";
import { keepFocus, listen } from "./keys.js";
import { drawLog } from "./log.js";
import { clearFlight, glide } from "./motion.js";
import { Review } from "./review.js";
import { pace } from "./settings.js";
import { drawTable } from "./table.js";
import { plain, said, t } from "./text.js";

/** @import { Replayed } from "./table/shapes.js" */
/** @import { Reviewed } from "./store.js" */

/** @typedef {object} ReplayPage
 * @property {(step: number) => void} moved
 * @property {(position: any, specs: string[]) => void} playOn
 * @property {(result: Reviewed) => Promise<void>} reviewed
 * @property {string} again the address of the worst turns as exercises; "" if there is none
 */

export class ReplayView {
  /** @param {string} record @param {string[]} specs of the seats, if known @param {ReplayPage} page */
  constructor(record, specs, page) {
    this.specs = specs;
    this.page = page;
    this.line = timeLine(record, specs);
    this.step = 0;
    this.stops = this.line.stops;
    /** @type {number | null} */
    this.seat = null;
    this.running = this.closed = false;
    /** @type {Replayed} */
    this.data = this.line.seen(0, null);
    /** @type {Review | null} */
    this.review = null;
    this.deaf = listen({
      ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1), Home: () => this.go(0),
      End: () => this.go(this.last), " ": () => this.run(), m: () => this.toMistake(1), M: () => this.toMistake(-1),
    });
  }

  get last() {
    return this.line.steps.length;
  }

  /** The number of the current stop. */
  get at() {
    return Math.max(0, this.stops.findLastIndex((stop) => stop <= this.step));
  }

  /** @param {number} by */
  move(by) {
    return this.go(this.stops[Math.min(Math.max(0, this.at + by), this.stops.length - 1)]);
  }

  /** Go to the next (1) or previous (-1) mistake. @param {number} by */
  toMistake(by) {
    const wanted = this.mistake(by);
    if (wanted !== undefined) this.go(wanted);
  }

  /** @param {number} by @returns {number | undefined} */
  mistake(by) {
    const all = this.review?.mistakes ?? [];
    return by > 0 ? all.find((step) => step > this.step) : all.findLast((step) => step < this.step);
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
    this.review?.stop();
    clearFlight();
    draw($("review"));
  }

  /** @param {number} wanted */
  async go(wanted) {
    const step = Math.min(Math.max(0, wanted), this.last), before = this.data, next = this.stops[this.at + 1] ?? 0;
    // animate a single stop forward
    const events = step > this.step && step <= next ? this.line.events.slice(this.step, step) : [];
    this.data = this.line.seen(step, this.seat);
    this.step = step;
    const show = () => drawTable($("table"), this.data.scene, { bottom: this.seat ?? Math.max(0, this.data.person) });
    keepFocus(document.body, () => this.around());
    this.page.moved(step);
    if (!events.length) return show();
    await glide($("table"), show, before.scene, events);
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
    const { data, at } = this, last = this.stops.length - 1;
    /** @type {[string, string][]} */
    const seats = data.names.map((name, seat) =>
      [`${seat}`, t("replay.as", { name: plain(name), you: `${seat === data.person}` })]);
    const see = (/** @type {string} */ value) => {
      this.seat = value === "" ? null : Number(value);
      this.go(this.step);
    };
    const marks = this.review?.mistakes ?? [];
    const arrow = (/** @type {number} */ by, /** @type {string} */ id, /** @type {string} */ sign) => marks.length > 0
      && h("button", { id, "aria-label": t(`review.${id}`), title: t(`review.${id}`), onclick: () => this.toMistake(by),
        disabled: this.mistake(by) === undefined }, sign);
    draw($("actions"),
      h("p", { class: "say", key: "say", role: "status" }, data.next ? said(data.next.words) : data.sheet
        ? plain(data.sheet.verdict) : t("replay.end")),
      h("div", { class: "tools", key: "tools" },
        h("input", {
          type: "range", id: "time-line", min: 0, max: last, value: at, "aria-label": t("replay.line"),
          oninput: (/** @type {any} */ { target }) => this.go(this.stops[Number(target.value)]),
        }),
        h("div", { class: "marks", key: "marks", "aria-hidden": "true" }, marks.map((step) =>
          h("span", { style: `--at: ${this.stops.findLastIndex((stop) => stop <= step) / Math.max(1, last)}` }))),
        arrow(-1, "mistake-back", "⇤"),
        h("button",
          { id: "replay-back", "aria-label": t("past.back"), disabled: at === 0, onclick: () => this.move(-1) }, "◀"),
        h("button", { id: "replay-run", onclick: () => this.run() }, t(this.running ? "replay.pause" : "replay.play")),
        h("button",
          { id: "replay-next", "aria-label": t("past.on"), disabled: at === last, onclick: () => this.move(1) }, "▶"),
        arrow(1, "mistake-next", "⇥"),
        h("span", { id: "replay-count" }, `${at} / ${last}`),
        choice({ id: "replay-seat", "aria-label": t("replay.hands") }, [["", t("replay.all")], ...seats],
          `${this.seat ?? ""}`, see),
        data.person >= 0 && h("button", { id: "start-review", onclick: () => this.startReview() }, t("after.review"))));
  }

  startReview() {
    if (this.data.person < 0) return;
    this.review ??= new Review(this);
    this.review.run();
    // it may open below the visible part
    if ($("review").getBoundingClientRect().top > innerHeight - 120) $("review").scrollIntoView({ block: "center" });
  }

  async run() {
    this.running = !this.running;
    this.drawTools();
    while (this.running && !this.closed && this.step < this.last) {
      await this.move(1);
      await new Promise((done) => setTimeout(done, pace()));
    }
    this.running = false;
    if (!this.closed) this.drawTools();
  }

  position() {
    return this.data.position;
  }
}
