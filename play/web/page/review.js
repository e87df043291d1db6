// The review of a finished game: the person's decisions compared with the best turns, worst first.

import { review, summary } from "./table/index.js";
import { judge, stopThinking } from "./agents.js";
import { $, draw, h } from "./dom.js";
import { graph } from "./graph.js";
import { toast } from "./sheet.js";
import { plain, said, t, wrong } from "./text.js";

/** @import { Verdict } from "./table/shapes.js" */
/** @import { ReplayView } from "./replay.js" */
/** @import { Reviewed } from "./store.js" */

const LONG = 40; // seconds for the second look at a decision

export class Review {
  /** @param {ReplayView} replay */
  constructor(replay) {
    this.replay = replay;
    /** @type {Verdict[]} */
    this.found = [];
    /** @type {Set<number>} */
    this.again = new Set();
    this.running = false;
    this.wanted = replay.line.decisions();
  }

  /** Review the decisions one by one, and show each as soon as it is judged. */
  async run() {
    if (this.running) return;
    this.running = true;
    this.draw();
    try {
      while (this.next) {
        await this.look(this.next);
        if (!this.replay.closed) this.draw();
      }
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") toast(wrong(error));
    }
    this.running = false;
    if (this.replay.closed) return;
    if (this.found.length === this.wanted.length) await this.replay.page.reviewed(this.result());
    this.draw();
  }

  /** The next step to review, and its time limit. After all steps, each undecided one is reviewed once more: the solver
   * needs longer for open endings. @returns {{ step: number, at: number, how: { seconds?: number } } | null} */
  get next() {
    if (!this.running || this.replay.closed) return null;
    const at = this.found.length;
    if (at < this.wanted.length) return { step: this.wanted[at], at, how: {} };
    const again = this.found.findLastIndex(({ kind, step }) => kind === "unsure" && !this.again.has(step));
    return again < 0 ? null : { step: this.found[again].step, at: again, how: { seconds: LONG } };
  }

  /** @param {{ step: number, at: number, how: { seconds?: number } }} next */
  async look({ step, at, how }) {
    this.found[at] = await review(this.replay.line, step, judge(), how);
    if (how.seconds) this.again.add(step);
  }

  /** The findings to store. @returns {Reviewed} */
  result() {
    const { judged, net, error, worst } = summary(this.replay.line, this.found);
    return { decisions: judged, lost: net, error, worst: worst.filter(({ kind }) => kind === "mistake")
      .map(({ step }) => step) };
  }

  stop() {
    if (!this.running) return;
    this.running = false;
    stopThinking();
  }

  draw() {
    const { found, wanted } = this, all = summary(this.replay.line, found);
    const unsure = found.filter(({ kind, step }) => kind === "unsure" && !this.again.has(step)).length;
    const left = wanted.length - found.length || unsure;
    draw($("review"),
      h("h2", {}, t("after.review")),
      h("p", { role: "status", key: "sum" }, plain(all.words)),
      this.running && found.length === wanted.length && unsure > 0
        && h("p", { key: "longer" }, t("review.longer", { n: unsure })),
      found.length > 0 && this.graph(),
      left > 0 && h("progress",
        { key: "progress", max: wanted.length, value: found.length, "aria-label": t("review.progress") }),
      left > 0 && h("button", { key: "go", onclick: () => (this.running ? this.stop() : this.run()) },
        t(this.running ? "stop" : "review.on")),
      left === 0 && all.mistakes > 0 && this.replay.page.again
        && h("a", { key: "again", class: "button main", id: "try-worst", href: this.replay.page.again }, t("try")),
      h("ol", { key: "list" }, all.worst.map((verdict) => this.row(verdict))),
      found.length > 0 && h("p", { key: "same" }, plain(all.count)));
    this.mark();
    if (!this.replay.closed) this.replay.drawTools();
  }

  graph() {
    const { replay, found } = this;
    return graph(replay.line, found, replay.step, (step) => replay.go(step));
  }

  /** The steps with clear mistakes, in order. */
  get mistakes() {
    return this.found.filter(({ kind }) => kind === "mistake").map(({ step }) => step)
      .sort((one, other) => one - other);
  }

  /** Mark the decision that is on the table. */
  mark() {
    const old = $("review").querySelector(".graph");
    if (old) draw(old, [...this.graph().childNodes]);
    for (const row of $("review").querySelectorAll("li"))
      row.toggleAttribute("aria-current", row.dataset.step === `${this.replay.step}`);
  }

  /** @param {Verdict} verdict */
  row({ step, kind, words, played, best, lost, position }) {
    const { page, specs } = this.replay;
    return h("li", { class: kind, key: `step-${step}`, "data-step": step, "data-lost": lost },
      h("p", {}, h("strong", {}, plain(words))),
      h("p", {}, t("review.you"), " ", said(played)), h("p", {}, t("review.instead"), " ", said(best)),
      h("button", { onclick: () => this.show(step) }, t("review.show")),
      h("button", { "data-do": "play-on", onclick: () => page.playOn(position, specs) }, t("review.play.on")));
  }

  /** @param {number} step */
  async show(step) {
    await this.replay.go(step);
    document.querySelector("main")?.scrollTo({ top: 0 });
    $("table").focus({ preventScroll: true });
  }
}
