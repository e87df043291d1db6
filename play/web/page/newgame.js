// The dialog for a new game: its variant, opponents and house rules.

import { randomSeed } from "./casino/src/game/game.js";
import { rulesOf } from "./casino/src/game/rules.js";
import { PERSON, games, houseRules, levelName, makeSetup, setupFromPosition } from "./table/index.js";
import { $, choice, dialog, draw, h, input } from "./dom.js";
import { ladder, others } from "./opponents.js";
import { showRules } from "./rules.js";
import { change, settings } from "./settings.js";
import { open } from "./sheet.js";
import { plain, say, t, wrong } from "./text.js";

/** @import { Setup, Switch } from "./table/shapes.js" */

/** Who sits on the other seats: agents of a level, people at this device, remote friends (live, or by links).
 * @typedef {"agents" | "person" | "live" | "friend"} Company */

/** @type {Company[]} */
const COMPANIES = ["agents", "person", "live", "friend"];
const LEVELS = [0, 1, 2, 3];

export class NewGame {
  /** Each callback starts a game or throws with a reason. @param {(setup: Setup) => Promise<void>} begin
   * @param {(variant: string, players: number, changes: { [field: string]: any }) => Promise<void>} lesson
   * @param {(setup: Setup) => Promise<void>} invite a friend to a game that begins once they have joined */
  constructor(begin, lesson, invite) {
    this.begin = begin;
    this.invite = invite;
    this.lesson = lesson;
    this.games = games();
    this.variant = this.games[0].name;
    this.players = this.games[0].sittings[0].players;
    this.level = settings.level;
    /** @type {Company} */
    this.company = "agents";
    /** @type {string[]} */
    this.seats = [];
    /** @type {{ [field: string]: any }} */
    this.changes = {};
    this.match = false;
    this.build();
  }

  /** Build the parts of the dialog that no choice changes. */
  build() {
    draw($("new-game"),
      h("form", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); this.submit(); } },
      h("h2", { id: "new-title" }, t("new.title")),
      h("div", { id: "new-choices", key: "new-choices" }),
      h("details", { id: "new-more" }, h("summary", {}, t("new.more")),
        h("div", { id: "seats" }), h("div", { id: "switches" }),
        h("label", {}, t("new.seed"),
          h("input", { id: "seed", inputmode: "numeric", autocomplete: "off", placeholder: t("new.seed.fresh") })),
        h("label", { class: "tall" }, t("new.position"),
          h("textarea", { id: "from-position", rows: 3, spellcheck: "false", placeholder: t("new.position.paste"),
            oninput: () => this.pasted() })),
        h("p", { class: "about", id: "about-position" })),
      h("div", { class: "buttons" },
        h("p", { class: "error", id: "new-error", role: "alert" }),
        h("button", { type: "button", id: "rules-before", onclick: () => this.showRules() }, t("rules")),
        h("button", { type: "button", id: "begin-lesson", onclick: () => this.teach() }, t("lesson.first")),
        h("button", { type: "button", id: "cancel", onclick: () => dialog("new-game").close() }, t("cancel")),
        h("button", { type: "submit", class: "main", id: "begin" }, t("new.deal")))));
  }

  /** Nothing of an earlier game is left in it but the game and the level. @param {string} [variant]
   */
  show(variant) {
    input("seed").value = input("from-position").value = "";
    /** @type {HTMLDetailsElement} */ ($("new-more")).open = false;
    this.match = false;
    this.company = "agents";
    this.changes = {};
    this.say("");
    this.choose(variant ?? this.variant);
    this.pasted();
    open(dialog("new-game"));
  }

  get game() {
    return this.games.find(({ name }) => name === this.variant) ?? this.games[0];
  }

  get sitting() {
    return this.game.sittings.find(({ players }) => players === this.players) ?? this.game.sittings[0];
  }

  get row() {
    return ladder(this.variant, this.players, this.changes);
  }

  /** @param {string} variant @param {number} [players] */
  choose(variant, players = this.players) {
    if (variant !== this.variant) this.changes = {};
    this.variant = variant;
    this.players = this.game.sittings.some((sitting) => sitting.players === players) ? players
      : this.game.sittings[0].players;
    this.sit();
  }

  /** Fill the seats: agents of the chosen level, or the chosen company. A live friend is the partner in games with
   * partners. */
  sit() {
    const agent = this.row[this.level].spec, friend = this.sitting.partners ? 2 : 1;
    const others = { agents: () => agent, person: () => "person", friend: () => "friend",
      live: (/** @type {number} */ seat) => (seat === friend ? "friend" : agent) };
    this.seats = Array.from({ length: this.players }, (_, seat) => (seat === 0 ? PERSON : others[this.company](seat)));
    this.draw();
  }

  get hasAgents() {
    return this.company === "agents" || (this.company === "live" && this.players > 2);
  }

  draw() {
    const { game, sitting } = this, usual = this.row[this.level];
    /** @type {[number, string][]} */
    const counts = game.sittings.map(({ players, partners }) =>
      [players, plain(say("sitting.players", { n: players, pairs: `${partners}` }))]);
    draw($("new-choices"),
      h("label", {}, t("new.game"),
        choice({ id: "variant" }, this.games.map(({ name, title }) => [name, plain(title)]), this.variant,
          (name) => this.choose(name))),
      h("p", { class: "about", id: "about-game" }, plain(game.line)),
      oneOf("players", t("new.players"), this.players, counts, (value) => this.choose(this.variant, value)),
      h("p", { class: "about", id: "about-players" }, plain(sitting.words), "."),
      oneOf("company", t("new.company"), this.company,
        COMPANIES.map((each) => /** @type {[Company, string]} */ ([each, t(`new.company.${each}`)])), (value) => {
        this.company = value;
        this.sit();
      }),
      this.company !== "agents"
        && h("p", { class: "about", id: "about-company" }, t(`new.company.${this.company}.about`)),
      this.hasAgents && oneOf("level", t("new.level"), this.level,
        LEVELS.map((level) => [level, plain(levelName(level))]), (value) => {
        change("level", this.level = value);
        this.sit();
      }),
      this.hasAgents && h("p", { class: "about", id: "about-level" }, plain(usual.line), "."),
      sitting.match && h("label", { class: "check", key: "match-row" }, h("input", {
        type: "checkbox", id: "match", checked: this.match,
        onchange: (/** @type {any} */ { target }) => { this.match = target.checked; },
      }), t("new.match")));
    this.drawSeats();
    this.drawSwitches();
  }

  drawSeats() {
    const { row } = this, named = (/** @type {string} */ level, /** @type {string} */ name) =>
      t("new.level.of", { level, name });
    const all = /** @type {[string, string][]} */ ([[PERSON, t("you")], ["person", t("new.company.person")],
      ["friend", t("new.company.friend")],
      ...row.map(({ spec, line }, level) => [spec, named(plain(levelName(level)), plain(line))]),
      ...others(row, this.variant, this.players, this.changes)
        .map(({ spec, title, line }) => [spec, named(plain(title), plain(line))])]);
    draw($("seats"), h("h3", {}, t("new.seats")),
      this.seats.map((spec, seat) => h("label", {}, t("new.seat", { seat: seat + 1 }),
      choice({ "data-seat-of": seat }, all, spec, (wanted) => this.give(seat, wanted)))));
  }

  /** Give a seat to somebody. The person always keeps exactly one. @param {number} seat @param {string} spec */
  give(seat, spec) {
    const before = this.seats.indexOf(PERSON), left = this.seats[seat];
    this.seats[seat] = spec;
    if (spec === PERSON && before !== seat) this.seats[before] = left;
    else if (spec !== PERSON && before === seat) this.seats[seat === 0 ? 1 : 0] = PERSON;
    this.drawSeats();
  }

  drawSwitches() {
    const line = (/** @type {Switch} */ each) =>
      h("label", {}, plain(each.question), choice({ "data-field": each.field },
      each.choices.map(({ value, words, refused }) =>
        [JSON.stringify(value), `${plain(words)}${value === each.usual ? t("new.usual") : ""}`,
        { disabled: refused !== null, title: refused && plain(refused) }]),
      JSON.stringify(each.value), (value) => this.turn(each, JSON.parse(value))));
    draw($("switches"), houseRules(this.variant, this.players, this.changes)
      .map(({ name, title, common, switches }) => (common
      ? h("div", { key: name }, h("h3", {}, plain(title)), switches.map(line))
      : h("details", { key: name }, h("summary", {}, plain(title)), switches.map(line)))));
  }

  /** @param {Switch} each @param {any} value */
  turn(each, value) {
    if (value === each.usual) delete this.changes[each.field];
    else this.changes[each.field] = value;
    this.say("");
    this.draw();
  }

  /** Read a pasted position, which determines the variant, players and rules. */
  pasted() {
    const text = input("from-position").value.trim(), about = $("about-position");
    about.textContent = "";
    $("seats").hidden = $("switches").hidden = false;
    if (!text) return;
    this.tell(() => {
      const { variant, players } = JSON.parse(text);
      this.choose(variant ?? this.variant, players ?? this.players);
      const { variant: game, players: count } = setupFromPosition(text, this.seats);
      about.textContent = t("new.position.sets", { game: plain(say(`game.${game}`)), players: count });
      $("switches").hidden = true;
      this.say("");
    });
  }

  /** @returns {Setup} */
  setup() {
    const seed = input("seed").value.trim(), position = input("from-position").value.trim();
    if (position && this.company === "live") throw new Error(t("live.fresh"));
    if (position) return setupFromPosition(position, this.seats);
    const { variant, players, seats, changes: rules } = this;
    return makeSetup({ variant, players, seats, rules, match: this.match && this.sitting.match,
      seed: seed || randomSeed() });
  }

  teach() {
    return this.tell(async () => {
      await this.lesson(this.variant, this.players, this.changes);
      dialog("new-game").close();
    });
  }

  async submit() {
    const button = /** @type {HTMLButtonElement} */ ($("begin"));
    button.disabled = true;
    await this.tell(async () => {
      this.say("");
      await (this.company === "live" ? this.invite : this.begin)(this.setup());
      dialog("new-game").close();
    });
    button.disabled = false;
  }

  /** What goes wrong is told in the dialog. @param {() => unknown} work */
  async tell(work) {
    try {
      await work();
    } catch (error) {
      this.say(wrong(error));
    }
  }

  /** @param {string} text */
  say(text) {
    $("new-error").textContent = text;
  }

  showRules() {
    return this.tell(() => showRules(t("rules.of", { game: plain(this.game.title) }),
      rulesOf(this.variant, this.players, this.changes)));
  }
}

/** A choice among a few, as a row of buttons. @template {number | string} T @param {string} id @param {string} legend
 * @param {T} now @param {[T, string][]} all @param {(value: T) => void} choose */
function oneOf(id, legend, now, all, choose) {
  const button = (/** @type {[T, string]} */ [value, words]) => h("label", { key: `${id}-${value}` },
    h("input", { type: "radio", name: id, value, checked: value === now, onchange: () => choose(value) }),
    h("span", {}, words));
  return h("fieldset", { id, key: id }, h("legend", {}, legend), h("span", { class: "segments" }, all.map(button)));
}
