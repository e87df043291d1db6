// The person's decisions of a finished game beside what a strong agent would have done, worst first.

import { api } from "./api.js";
import { element, notation } from "./cards.js";
import { points } from "./hint.js";

const $ = (id) => document.getElementById(id);

export class Review {
  constructor(replay) {
    Object.assign(this, { replay, found: [], running: false });
    this.wanted = replay.data.steps.map((_, step) => step).filter((step) => {
      const { begins, seat } = replay.data.steps[step];
      return begins && seat === replay.data.person;
    });
  }

  // One decision after the other, so that none of them waits for all.
  async run() {
    if (this.running) return;
    this.running = true;
    const { record, specs, page } = this.replay;
    this.draw();
    while (this.found.length < this.wanted.length && !this.replay.closed) {
      const step = this.wanted[this.found.length];
      try {
        this.found.push({ step, ...await api.review({ record, specs, step }) });
      } catch (error) {
        page.toast(error.message);
        break;
      }
      if (!this.replay.closed) this.draw();
    }
    this.running = false;
  }

  draw() {
    const { found, wanted } = this, done = found.length === wanted.length;
    const worst = [...found].sort((a, b) => b.lost - a.lost);
    const lost = found.reduce((sum, { lost }) => sum + lost, 0), sure = Math.hypot(...found.map(({ error }) => error));
    const mistakes = found.filter(({ mistake }) => mistake).length;
    const told = `Your ${wanted.length} decisions cost ${points(lost)} in all, give or take ${sure.toFixed(1)}; ${mistakes} of them were mistakes`;
    const head = done ? told : `Looking at your decisions: ${found.length} of ${wanted.length}`;
    $("review").replaceChildren(element("h2", {}, "Review"), element("p", { role: "status" }, `${head}.`),
      element("ol", {}, ...worst.filter(({ same }) => !same).map((row) => this.row(row))),
      element("p", {}, `${found.filter(({ same }) => same).length} times you played what it would have played.`));
  }

  row({ step, played, best, lost, error, mistake, position }) {
    const { page, specs } = this.replay, about = error ? `, give or take ${error.toFixed(1)}` : "";
    const words = mistake ? `lost ${points(lost)}${about}` : lost + error < 0 ? `better by ${points(-lost)}${about}` : error ? "no clear difference" : "as good";
    return element("li", { class: mistake ? "worse" : "" },
      element("p", {}, element("strong", {}, words)),
      element("p", {}, "You: ", notation(played)), element("p", {}, "Instead: ", notation(best)),
      element("button", { onclick: () => this.replay.go(step) }, "Show"),
      element("button", { "data-do": "play-on", onclick: () => page.playOn(position, specs) }, "Play on from here"));
  }
}
