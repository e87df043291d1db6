// The person's decisions of a finished game beside what a strong agent would have done, worst first.

import { api } from "./api.js";
import { element, notation } from "./cards.js";
import { points } from "./hint.js";

const $ = (id) => document.getElementById(id);
const SMALL = 0.1; // points that are as good as none

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
    const lost = found.reduce((sum, { lost }) => sum + Math.max(0, lost), 0);
    const head = done ? `Your ${wanted.length} decisions cost ${points(lost)} in all` : `Looking at your decisions: ${found.length} of ${wanted.length}`;
    $("review").replaceChildren(element("h2", {}, "Review"), element("p", { role: "status" }, `${head}${found.length ? `, by ${found[0].agent}'s judgement` : ""}.`),
      element("ol", {}, ...worst.filter(({ same }) => !same).map((row) => this.row(row))),
      element("p", {}, `${found.filter(({ same }) => same).length} times you played what it would have played.`));
  }

  row({ step, played, best, lost, error, position }) {
    const { page, specs } = this.replay;
    const words = lost < -SMALL ? `better by ${points(-lost)}` : lost < SMALL ? "as good" : `lost ${points(lost)}`;
    return element("li", { class: lost >= SMALL ? "worse" : "" },
      element("p", {}, element("strong", { title: `give or take ${error.toFixed(1)}` }, words)),
      element("p", {}, "You: ", notation(played)), element("p", {}, "Instead: ", notation(best)),
      element("button", { onclick: () => this.replay.go(step) }, "Show"),
      element("button", { "data-do": "play-on", onclick: () => page.playOn(position, specs) }, "Play on from here"));
  }
}
