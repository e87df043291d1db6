// The coach of a first deal: explains in a strip over the table each thing that can be done for the first time.

import { bestOf, isHelped, lessonOf, lessonStart } from "./table/index.js";
import { judge } from "./agents.js";
import { $, draw, h } from "./dom.js";
import { aimPictures } from "./rules.js";
import { sheet } from "./sheet.js";
import { said, t } from "./text.js";

/** @import { Best, Lesson } from "./table/lesson.js" */
/** @import { Table } from "./table/index.js" */
/** @import { Rules } from "./casino/src/game/rules.js" */
/** @import { Seen } from "./table/shapes.js" */
/** @import { Kept } from "./store.js" */

const SECONDS = 1; // most time that a person waits for the judge before a turn

export class Coach {
  /** @param {string[]} told topics */
  constructor(told) {
    this.told = told;
    /** @type {Lesson | null} */
    this.now = null;
    /** @type {Best | null} */
    this.best = null;
    this.asked = -1; // length of the log at the last question to the judge
  }

  /** Whether it must ask the judge for the best turn before it explains. @param {Seen} seen */
  wonders(seen) {
    return isHelped(seen) && this.asked !== seen.log.length;
  }

  /** @param {Table} table */
  async ask(table) {
    this.asked = table.seen().log.length;
    this.best = null;
    try {
      this.best = bestOf(table.game, await table.hint(judge(), "judge", { seconds: SECONDS }));
    } catch { // stopped or offline: explain without the best turn
    }
  }

  /** Show the introduction before the first card. @param {Rules} rules */
  begin(rules) {
    const lines = lessonStart(rules).map((line) => h("p", {}, said(line)));
    return sheet(t("lesson.first"), [...lines, aimPictures(rules)], [], t("lesson.begin"));
  }

  /** Choose the lesson of a turn, which stays until the turn is over. @param {Seen} seen @param {Rules} rules */
  look(seen, rules) {
    if (this.now && seen.mine && seen.begun) return;
    this.now = this.wonders(seen) ? null : lessonOf(seen, rules, this.told, this.best);
  }

  /** The turn is over: mark its lesson as explained. @param {Kept} kept */
  done(kept) {
    if (!this.now?.topic || this.told.includes(this.now.topic)) return;
    this.told = kept.lesson = [...this.told, this.now.topic];
  }

  draw() {
    const { now } = this;
    $("coach").hidden = !now;
    draw($("coach"),
      now && [h("strong", { key: "head" }, t("lesson")), ...now.lines.map((line) => h("p", {}, said(line)))]);
  }

  close() {
    $("coach").hidden = true;
  }
}
