// Exercises, one after the other: the worst turns of a game, or puzzles. The person tries to find the best turn; the
// view answers with what the turn cost, and why.

import { answer, bestOf, exerciseTable, isAnswered, Table, planWords, timeLine } from "./table/index.js";
import { judge } from "./agents.js";
import { $, draw, h } from "./dom.js";
import { drawHint, drawLog } from "./log.js";
import { listen } from "./keys.js";
import { glide } from "./motion.js";
import { drawOptions } from "./options.js";
import { Playing } from "./playing.js";
import { click, soundOf } from "./sound.js";
import { plain, said, say, t } from "./text.js";

/** @import { Seen, Tried } from "./table/shapes.js" */
/** @import { Message } from "./words/message.js" */
/** @import { Options } from "./casino/src/agents/analyse.js" */
/** @import { Kept } from "./store.js" */

/** @typedef {object} Exercise
 * @property {() => Table} table makes the table at which to find the turn
 * @property {Node[]} task the description of the task
 * @property {Options} how options of the judge
 */

/** Made on demand. @typedef {{ count: number, at: (number: number) => Exercise }} Exercises */

/** @typedef {object} ExercisePage
 * @property {string} title
 * @property {string} leave the address that the view leads back to
 * @property {() => void} rules
 * @property {() => void} [others] shows other exercises
 * @property {(at: number) => void} [moved] called when another exercise is shown
 * @property {(at: number, solved: boolean) => string} [tried] called at each first try; returns a remark on it
 * @property {(at: number) => number | null} [next] returns the next exercise; default: in order
 */

const HELPS = ["hint", "try.card", "try.answer"];

export class ExerciseView extends Playing {
  /** @param {Exercises} exercises @param {ExercisePage} page @param {number} [at] the first exercise */
  constructor(exercises, page, at = 0) {
    const exercise = exercises.at(at);
    super(exercise.table());
    this.exercises = exercises;
    this.exercise = exercise;
    this.page = page;
    this.at = at;
    /** @type {Tried | null} */
    this.tried = null;
    this.first = true; // no turn has been tried and no card of the answer shown
    this.noted = "";
    this.asked = 0; // steps of the hint so far
    this.helps = HELPS; // text keys of the hint's button, step by step
    /** @type {string[]} */
    this.pointed = [];
    this.deaf = listen({ ...this.keys(), r: () => page.rules() }, () => this.walked());
  }

  open() {
    this.draw();
  }

  /** Prompt with the task until the person has chosen something. */
  offer() {
    const offer = super.offer();
    return this.chosen.size || this.seen.begun ? offer : { ...offer, prompt: say("page.try.find") };
  }

  look(/** @type {Seen} */ seen) {
    super.look(seen);
    this.pointed = [];
  }

  get gold() {
    return this.hint?.tokens ?? this.pointed;
  }

  /** @param {number} at */
  go(at) {
    this.at = at;
    this.exercise = this.exercises.at(at);
    this.first = true;
    this.noted = "";
    this.asked = 0;
    this.help = this.helps[0];
    this.page.moved?.(at);
    this.again();
  }

  again() {
    this.tried = null;
    this.table = this.exercise.table();
    this.look(this.table.seen());
    this.draw();
  }

  // --- drawing ---

  around() {
    const { tried, seen, exercises, at } = this, count = { at: at + 1, of: exercises.count };
    this.root.dataset.state = this.busy ? "busy" : tried ? "answered" : "mine";
    $("title").textContent = t("try.title", { title: this.page.title, ...count });
    draw($("review"), h("h2", {}, t("try.count", count)), this.exercise.task);
    drawHint($("hint"), this.hint);
    drawLog($("moves"), seen.log);
    if (tried) this.drawAnswer(tried);
    else this.drawChoice();
  }

  drawChoice() {
    drawOptions($("actions"), this, this.offer());
  }

  /** @param {Tried} tried */
  drawAnswer({ kind, words, best, then, instead, behind }) {
    const next = this.next(), failed = kind === "mistake";
    const line = (/** @type {string} */ key, /** @type {Message[]} */ turns) => turns.length > 0
      && h("p", {}, t(key), " ", turns.map((turn, at) => h("span", { class: "ply" }, `${at + 1}. `, said(turn))));
    draw($("actions"),
      h("p", { class: `say ${failed ? "reason" : "right"}`, key: "say", role: "status", id: "verdict" },
        t(`try.${kind}`), kind !== "same" && ` ${plain(words)}.`),
      h("div", { class: "options answer", key: "options", tabindex: 0, role: "group", "aria-label": t("try.why") },
        this.noted && h("p", { id: "noted" }, this.noted),
        kind !== "same" && h("p", {}, t("try.best"), " ", said(best)),
        line("try.then", then), line("try.instead", instead),
        behind && h("p", {}, t("try.behind"), " ", said(behind[0]), ". ", plain(behind[1]), ".")),
      h("div", { class: "plain", key: "plain" },
        failed && h("button", { id: "try-again", onclick: () => this.again() }, t("again")),
        next === null ? h("a", { id: "try-leave", class: "button", href: this.page.leave }, t("try.leave"))
          : h("button", { id: "try-next", class: failed ? null : "main", onclick: () => this.go(next) },
            t("try.next")),
        this.page.others && h("button", { id: "try-others", onclick: this.page.others }, t("puzzles"))));
  }

  // --- the person ---

  /** @param {() => unknown} work */
  async change(work) {
    if (!this.idle || this.tried) return;
    await this.busyWith(() => this.step(work));
    this.draw();
    if (!this.tried && await this.endsByItself()) await this.change(() => this.table.play(this.seen.moves[0].actions));
  }

  /** @param {() => unknown} work */
  async step(work) {
    const before = this.seen, events = this.table.events.length;
    await work();
    this.look(this.table.seen());
    const last = this.table.events.slice(events).at(-1);
    if (last) {
      click(soundOf(before.scene, this.seen.scene, last));
      await glide(this.root, () => this.drawTable(), before.scene, [last]);
    }
    if (!isAnswered(this.table)) return;
    try {
      this.tried = await this.judged();
    } catch (error) {
      this.again(); // not judged: let the person play the turn again
      throw error;
    }
    this.note(this.tried.kind !== "mistake");
  }

  /** Note the result; only the first try counts. @param {boolean} solved */
  note(solved) {
    if (this.first) this.noted = this.page.tried?.(this.at, solved) ?? "";
    this.first = false;
  }

  /** The next exercise; null after the last. */
  next() {
    if (this.page.next) return this.page.next(this.at);
    return this.at + 1 < this.exercises.count ? this.at + 1 : null;
  }

  judged() {
    $("actions").replaceChildren(h("p", { class: "say", role: "status" }, t("try.looking")));
    return answer(this.table, judge(), this.exercise.how);
  }

  async undo() {
    this.table.undo();
    this.look(this.table.seen());
    this.draw();
  }

  /** Help in steps: the theme; the hand cards, which counts as not solved; the answer and the alternatives. */
  async askHint() {
    if (!this.idle) return;
    const step = this.asked;
    this.choose([]);
    await this.think(async () => {
      const hint = await this.table.hint(judge(), "judge", this.exercise.how), { table: { game }, seen } = this;
      const { theme, tokens } = bestOf(game, hint), { hand } = seen.scene.seats[seen.person];
      if (step > 0) this.note(false);
      if (step === 0) this.reason = say(`look.${theme}`);
      else if (step === 1) this.pointed = hand.filter((card) => tokens.includes(card));
      else this.hint = hint;
      if (step === 1 && !this.pointed.length) this.pointed = tokens.slice(0, 1);
      this.asked = Math.min(step + 1, this.helps.length - 1);
      this.help = this.helps[this.asked];
    });
  }
}

// --- the worst turns of a game ---------------------------------------------------------------------------------------

const SECONDS = 1; // time limit of the judge

/** @param {Kept} kept a reviewed game @param {() => void} rules */
export function worstTurns(kept, rules) {
  const { setup } = kept.saved, line = timeLine(Table.load(kept.saved).record(), setup.seats);
  const steps = kept.review?.worst ?? [];
  const exercise = (/** @type {number} */ number) => {
    const step = steps[number], game = line.game(step),
      played = planWords(game.record, game.rules, line.turnAt(step), line.names);
    const task = [h("p", {}, t("try.task")), h("p", {}, t("try.played"), " ", said(played))];
    return { table: () => exerciseTable(game.toJson(), setup.seats), task, how: { seconds: SECONDS } };
  };
  return new ExerciseView({ count: steps.length, at: exercise },
    { title: plain(say(`game.${setup.variant}`)), leave: `#review=${kept.id}`, rules });
}
