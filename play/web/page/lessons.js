// Lessons of one move: a series of boards, each with a verdict and a reason; then the first deal.

import { once } from "./casino/src/agents/base.js";
import { boardTable, boardWords, isReached, readLessons, rightMove } from "./table/index.js";
import { $, draw, h } from "./dom.js";
import { ExerciseView } from "./exercise.js";
import { ladder } from "./opponents.js";
import { drawOptions } from "./options.js";
import { fetchJson } from "./places.js";
import * as store from "./store.js";
import { plain, said, say, t } from "./text.js";

/** @import { Board, Lessons } from "./table/boards.js" */
/** @import { Move, Tried } from "./table/shapes.js" */
/** @import { Message } from "./words/message.js" */

/** @typedef {{ rules: () => void, moved: (id: string) => void, deal: () => void }} LessonsPage deal: the first one */

/** @type {Map<string, Promise<Lessons>>} */
const fetched = new Map();
const FILE = "lessons.json";
const lessons = () => once(fetched, FILE, async () => readLessons(await fetchJson(FILE, t("lessons.none"))));

/** The address of a game's first board that has not been solved; "" if the game has no lessons.
 * @param {string} variant */
export async function lessonsPlace(variant) {
  const ids = (await lessons()).games[variant] ?? [], done = store.lessons()[variant] ?? [];
  const next = ids.findIndex((id) => !done.includes(id));
  return ids.length ? `lesson=${variant}.${Math.max(0, next) + 1}` : "";
}

/** @param {string} id such as swazi.3, counted from 1 @param {LessonsPage} page */
export async function lessonsView(id, page) {
  const [variant, text] = id.split("."), { games, boards } = await lessons(), ids = games[variant] ?? [];
  if (!ids.length) throw new Error(t("lessons.none"));
  const at = Math.min(Math.max(0, Number(text ?? 1) - 1), ids.length - 1);
  return new LessonsView(variant, ids.map((each) => [each, boards[each]]), page, at);
}

class LessonsView extends ExerciseView {
  /** @param {string} variant @param {[string, Board][]} boards with their ids @param {LessonsPage} page
   * @param {number} at */
  constructor(variant, boards, page, at) {
    const [{ spec }] = ladder(variant, 2);
    const exercise = (/** @type {number} */ number) => ({ table: () => boardTable(boards[number][1], variant, spec),
      task: [], how: {} });
    super({ count: boards.length, at: exercise }, { title: t("lessons.of", { game: plain(say(`game.${variant}`)) }),
      leave: "#", rules: page.rules, moved: (number) => page.moved(`${variant}.${number + 1}`) }, at);
    this.variant = variant;
    this.boards = boards;
    this.deal = page.deal;
    this.helps = ["lessons.show"];
    this.help = this.helps[0];
    /** @type {Move | null} */
    this.shown = null;
  }

  get board() {
    return this.boards[this.at][1];
  }

  get gold() {
    return this.shown?.tokens ?? [];
  }

  /** @param {"title" | "task" | "right" | "wrong"} part @param {number} [at] @returns {Message} */
  words(part, at = this.at) {
    const [id, board] = this.boards[at];
    return boardWords(id, board, part, this.table);
  }

  /** Always prompt with the task, and emphasize the move that help has shown. Offer no moves before a card is chosen:
   * they would give the answer away. */
  offer() {
    const offer = super.offer(), shown = `${this.shown?.actions}`;
    const { moves, more } = this.chosen.size ? offer : { moves: [], more: 0 };
    const main = [...moves, ...offer.plain].find(({ actions }) => `${actions}` === shown)
      ?? offer.plain.find((move) => move === offer.main) ?? null;
    return { ...offer, moves, more, main, prompt: this.words("task") };
  }

  look(/** @type {import("./table/shapes.js").Seen} */ seen) {
    super.look(seen);
    this.shown = null;
  }

  // --- drawing ---

  around() {
    super.around();
    const done = store.lessons()[this.variant] ?? [];
    draw($("review"), h("h2", {}, this.page.title), h("ol", { class: "lessons" }, this.boards.map(([id], at) =>
      h("li", { key: id, class: done.includes(id) ? "done" : "", "aria-current": at === this.at ? "step" : null },
        h("button", { class: "line", onclick: () => this.go(at) }, plain(this.words("title", at)),
          done.includes(id) && h("span", { class: "unseen" }, `, ${t("lessons.done")}`))))));
  }

  /** @param {Tried} tried */
  drawAnswer({ kind }) {
    const right = kind === "same", last = this.at === this.boards.length - 1;
    draw($("actions"),
      h("p", { class: `say ${right ? "right tick" : "reason"}`, key: "say", role: "status", id: "verdict" },
        said(this.words(right ? "right" : "wrong"))),
      h("div", { class: "options", key: "options" }, right && last && h("p", {}, t("lessons.end"))),
      h("div", { class: "plain", key: "plain" }, this.back(),
        h("button", { id: "try-again", class: right ? null : "main", onclick: () => this.again() },
          t(right ? "lessons.again" : "again")),
        last ? right && h("button", { id: "first-deal", class: "main", onclick: this.deal }, t("lessons.deal"))
          : right && h("button", { id: "try-next", class: "main", onclick: () => this.go(this.at + 1) },
            t("try.next")),
        this.count()));
    if (right) /** @type {HTMLElement | null} */ ($("actions").querySelector("button.main"))?.focus();
  }

  /** A button to the board before. */
  back() {
    return this.at > 0 && h("button", { id: "lesson-back", "aria-label": t("lessons.back"),
      onclick: () => this.go(this.at - 1) }, "◀");
  }

  /** The number of this board, also visible where the title is cut off. */
  count() {
    return h("span", { class: "which", key: "which" }, `${this.at + 1} / ${this.boards.length}`);
  }

  drawChoice() {
    drawOptions($("actions"), this, this.offer());
    const plain = $("actions").querySelector(".plain"), back = this.back();
    if (back) plain?.prepend(back);
    plain?.append(this.count());
  }

  // --- the person ---

  /** End the turn without delay: a board has one turn and can be played again. */
  async endsByItself() {
    return this.seen.endsItself;
  }

  /** @returns {Promise<Tried>} */
  async judged() {
    const right = isReached(this.board.goal, this.table.game.record, this.table.person);
    if (right) store.noteLesson(this.variant, this.boards[this.at][0]);
    return /** @type {Tried} */ ({ kind: right ? "same" : "mistake" });
  }

  /** Help in two steps: highlight the move, then put it into words. */
  async askHint() {
    if (!this.idle) return;
    const again = this.shown !== null;
    this.choose([]);
    this.shown = rightMove(this.board.goal, this.table);
    if (!this.shown) return this.again();
    if (again) this.reason = this.shown.words;
    this.draw();
  }
}
