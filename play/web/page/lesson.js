// The first deal with somebody beside you: what can be done for the first time, in a strip over the table.

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

const SECONDS = 1; // that somebody waits before a turn

export class Coach {
  /** @param {string[]} told topics */
  constructor(told) {
    this.told = told;
    /** @type {Lesson | null} */
    this.now = null;
    /** @type {Best | null} */
    this.best = null;
    this.asked = -1; // at which length of the log
  }

  /** Whether it would ask what is best before it says anything. @param {Seen} seen */
  wonders(seen) {
    return isHelped(seen) && this.asked !== seen.log.length;
  }

  /** @param {Table} table */
  async ask(table) {
    this.asked = table.seen().log.length;
    this.best = null;
    try {
      this.best = bestOf(table.game, await table.hint(judge(), "judge", { seconds: SECONDS }));
    } catch { // stopped, or without a network: then it only explains
    }
  }

  /** Before the first card. @param {Rules} rules */
  begin(rules) {
    const lines = lessonStart(rules).map((line) => h("p", {}, said(line)));
    return sheet(t("lesson.first"), [...lines, aimPictures(rules)], [], t("lesson.begin"));
  }

  /** A turn has one lesson, which stays until it is over. @param {Seen} seen @param {Rules} rules */
  look(seen, rules) {
    if (this.now && seen.mine && seen.begun) return;
    this.now = this.wonders(seen) ? null : lessonOf(seen, rules, this.told, this.best);
  }

  /** The turn is over: its lesson has been told. @param {Kept} kept */
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
