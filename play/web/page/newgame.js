// The dialog for a new game: which, against whom, by which house rules.

import { api } from "./api.js";
import { element } from "./cards.js";
import { showRules } from "./tour.js";

const $ = (id) => document.getElementById(id);
const LEVELS = ["Easy", "Medium", "Strong", "Strongest"];
const USUAL = "Medium";

// begin(setup) starts a game and may refuse with an Error.
export class NewGame {
  constructor(menu, begin) {
    Object.assign(this, { menu, begin });
    $("variant").append(...menu.games.map((game) => element("option", { value: game.name }, game.title)));
    $("level").append(...LEVELS.map((level) => element("option", {}, level)));
    $("level").value = USUAL;
    $("variant").addEventListener("change", () => this.drawPlayers());
    $("players").addEventListener("change", () => this.drawSitting());
    $("level").addEventListener("change", () => this.drawSeats());
    $("begin").addEventListener("click", (event) => { event.preventDefault(); this.submit(); });
    $("rules-before").addEventListener("click", () => this.showRules());
    this.drawPlayers();
  }

  // Nothing of an earlier game is left in it but the game and the level.
  show(name = null) {
    $("new-error").textContent = $("seed").value = $("from-position").value = "";
    $("new-more").open = false;
    $("match").checked = false;
    if (name) $("variant").value = name;
    this.drawPlayers();
    $("new-game").showModal();
  }

  get game() {
    return this.menu.games.find((game) => game.name === $("variant").value);
  }

  get sitting() {
    return this.game.players.find((sitting) => sitting.count === Number($("players").value));
  }

  drawPlayers() {
    const before = $("players").value;
    $("about-game").textContent = this.game.line;
    $("players").replaceChildren(...this.game.players.map(({ count, partners }) => element("option", { value: count }, `${count}${partners ? ", partners" : ""}`)));
    if (this.game.players.some(({ count }) => `${count}` === before)) $("players").value = before;
    this.drawSitting();
  }

  drawSitting() {
    const { turns, minutes, match, switches } = this.sitting;
    $("about-players").textContent = `${turns} turns each, about ${minutes} minute${minutes === 1 ? "" : "s"} a deal.`;
    $("match-row").hidden = !match;
    $("switches").replaceChildren(...switches.map(({ field, question, now, choices }) => element("label", {}, question,
      element("select", { "data-field": field }, ...choices.map(({ value, words }) => element("option", { value: JSON.stringify(value), selected: value === now }, words))))));
    this.drawSeats();
  }

  // Everybody plays on the chosen level, unless a seat is given to somebody else.
  drawSeats() {
    const row = this.menu.levels[`${$("variant").value} ${$("players").value}`], usual = row[LEVELS.indexOf($("level").value)];
    const { about } = this.menu, seconds = /time=([\d.]+)/.exec(usual)?.[1];
    $("about-level").textContent = `${about[usual].title}: ${about[usual].line}${seconds ? "" : "."}`;
    const option = (spec, words) => element("option", { value: spec }, words);
    const seats = Array.from({ length: this.sitting.count }, (_, seat) => {
      const select = element("select", { "aria-label": `seat ${seat + 1}`, onchange: () => this.oneOfYou(seat, usual) }, option("you", "You"),
        element("optgroup", { label: "Levels" }, ...row.map((spec, level) => option(spec, `${LEVELS[level]}: ${about[spec].title}`))),
        element("optgroup", { label: "Others" }, ...this.menu.agents.filter((spec) => !row.includes(spec)).map((spec) => option(spec, about[spec].title === spec ? spec : `${about[spec].title}: ${about[spec].line}`))));
      select.value = seat === 0 ? "you" : usual;
      return element("label", {}, `Seat ${seat + 1}`, select);
    });
    $("seats").replaceChildren(...seats);
  }

  // The person sits on one seat: whoever was there takes the one left.
  oneOfYou(changed, usual) {
    const picks = [...document.querySelectorAll("#seats select")];
    if (picks[changed].value === "you") picks.forEach((select, seat) => { if (seat !== changed && select.value === "you") select.value = usual; });
    else if (!picks.some((select) => select.value === "you")) picks[changed === 0 ? 1 : 0].value = "you";
  }

  setup() {
    const out = {
      variant: $("variant").value, players: Number($("players").value), match: this.sitting.match && $("match").checked, rules: this.houseRules(),
      seats: [...document.querySelectorAll("#seats select")].map((select) => select.value),
    };
    const seed = $("seed").value.trim(), position = $("from-position").value.trim();
    if (seed && !/^\d{1,15}$/.test(seed)) throw new Error("the seed must be a whole number of at most 15 digits");
    if (seed) out.seed = Number(seed);
    if (position) {
      try {
        out.position = JSON.parse(position);
      } catch (error) {
        throw new Error(`the position is not JSON: ${error.message}`);
      }
    }
    return out;
  }

  houseRules() {
    const changed = [...document.querySelectorAll("#switches select")].map((select) => {
      const row = this.sitting.switches.find(({ field }) => field === select.dataset.field), value = JSON.parse(select.value);
      return value === row.now ? [] : [[row.field, value]];
    });
    return Object.fromEntries(changed.flat());
  }

  async submit() {
    try {
      $("begin").disabled = true;
      await this.begin(this.setup());
      $("new-game").close();
    } catch (error) {
      $("new-error").textContent = error.message;
    } finally {
      $("begin").disabled = false;
    }
  }

  async showRules() {
    const { rules } = await api.rulesOf($("variant").value, $("players").value);
    showRules(`Rules of ${this.game.title}`, rules);
  }
}
