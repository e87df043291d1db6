// Look back at earlier steps of a game in play, each as the person saw it then.

import { $, draw, h } from "./dom.js";
import { keepFocus, listen } from "./keys.js";
import { drawTable } from "./table.js";
import { plain, said, t } from "./text.js";

/** @import { GameView } from "./game.js" */
/** @import { Past } from "./table/shapes.js" */

export class LookBack {
  /** @param {GameView} view waits meanwhile @param {() => void} leave returns to the present */
  constructor(view, leave) {
    this.view = view;
    this.leave = leave;
    this.steps = view.table.past(0).steps;
    this.at = this.steps.length; // now
    this.deaf = listen({
      ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1), Home: () => this.go(0), End: leave, Escape: leave,
      b: leave,
    });
  }

  close() {
    this.deaf();
  }

  /** @param {number} by */
  move(by) {
    if (this.at + by >= this.steps.length) this.leave();
    else this.go(Math.max(0, this.at + by));
  }

  /** @param {number} at */
  go(at) {
    this.at = at;
    keepFocus(document.body, () => this.draw(this.view.table.past(this.steps[at])));
  }

  /** @param {Past} past */
  draw({ scene, news, next }) {
    const { root, seen } = this.view;
    drawTable(root, scene, { bottom: seen.person, news });
    root.dataset.state = "past";
    $("title").textContent = t("past.title", { title: plain(scene.title) });
    /** @param {string} id @param {string} sign @param {() => void} run @param {boolean} [off] */
    const button = (id, sign, run, off = false) =>
      h("button", { id, "aria-label": t(`past.${id}`), disabled: off, onclick: run }, sign);
    draw($("actions"),
      h("p", { class: "say", key: "say", role: "status" }, t("past.step", { at: this.at + 1, of: this.steps.length }),
        " ", next && said(next.words)),
      h("div", { class: "plain", key: "plain" }, button("back", "◀", () => this.move(-1), this.at === 0),
        button("on", "▶", () => this.move(1)),
        h("button", { class: "main", id: "to-now", onclick: this.leave }, t("past.now"))));
  }
}
