// What has happened so far in a game that goes on: step by step, each as the person saw it then.

import { api } from "./api.js";
import { element } from "./cards.js";
import { keepFocus, listen } from "./keys.js";
import { latest, turnWords } from "./log.js";
import { drawTable } from "./table.js";

const $ = (id) => document.getElementById(id);

export class LookBack {
  // view: the GameView, which waits meanwhile; leave(): back to now.
  constructor(view, leave) {
    Object.assign(this, { view, leave, closed: false, turn: 0, wanted: view.events.length });
    this.deaf = listen({
      ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1), Home: () => this.go(this.steps()[0]), End: leave, Escape: leave, b: leave,
    });
  }

  close() {
    this.closed = true;
    this.deaf();
  }

  // The events of which there is something to tell.
  steps() {
    return this.view.events.map((_, step) => step).filter((step) => this.view.events[step].text);
  }

  // From the step that was asked for last, which need not be there yet.
  move(by) {
    const next = by < 0 ? this.steps().findLast((step) => step < this.wanted) : this.steps().find((step) => step > this.wanted);
    if (next !== undefined) this.go(next);
    else if (by > 0) this.leave();
  }

  // The latest wish counts, whichever answer comes last.
  async go(step) {
    const turn = ++this.turn;
    this.wanted = step;
    try {
      const past = await api.past(this.view.id, step);
      if (turn === this.turn && !this.closed) keepFocus(this.view.root, () => this.draw(past));
    } catch (error) {
      this.view.actions.toast(error.message);
    }
  }

  draw({ scene, step, title }) {
    const { root, names, state, events } = this.view, steps = this.steps(), number = steps.indexOf(step);
    const { lines, cards } = latest(events.slice(0, step), state.person);
    drawTable(root, scene, { bottom: state.person, names, fresh: cards, news: lines.map((line) => turnWords(line, names)) });
    root.dataset.state = "past";
    $("title").textContent = `Looking back: ${title}`;
    const button = (words, label, run, off = false) => element("button", { "aria-label": label, "data-key": label, disabled: off, onclick: run }, words);
    $("actions").replaceChildren(
      element("p", { class: "say", role: "status" }, `Looking back, ${number + 1} of ${steps.length}. Then: `, ...turnWords({ seat: events[step].seat, texts: [events[step].text] }, names)),
      element("div", { class: "plain" }, button("◀", "one step back", () => this.move(-1), number === 0), button("▶", "one step on", () => this.move(1)),
        element("button", { class: "main", id: "to-now", "data-key": "now", onclick: this.leave }, "Back to now")));
  }
}
