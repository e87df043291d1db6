// The dialogs: a new game, and sheets of text with buttons.

import { element } from "./cards.js";

const $ = (id) => document.getElementById(id);

// Asks for a new game; begin(setup) starts it and may refuse with an Error.
export class NewGame {
  constructor(menu, begin) {
    Object.assign(this, { menu, begin });
    for (const name of Object.keys(menu.variants)) $("variant").append(element("option", { value: name }, name));
    $("variant").value = "south-african";
    $("variant").addEventListener("change", () => this.drawPlayers());
    for (const id of ["players", "singly"]) $(id).addEventListener("change", () => this.drawSeats());
    $("begin").addEventListener("click", (event) => { event.preventDefault(); this.submit(); });
    this.drawPlayers();
  }

  show() {
    $("new-error").textContent = "";
    $("new-game").showModal();
  }

  drawPlayers() {
    const before = Number($("players").value);
    const counts = this.menu.variants[$("variant").value];
    $("players").replaceChildren(...counts.map((count) => element("option", { value: count }, `${count}`)));
    if (counts.includes(before)) $("players").value = before;
    this.drawSeats();
  }

  drawSeats() {
    const before = [...document.querySelectorAll("#seats select")].map((select) => select.value);
    const count = Number($("players").value);
    $("singly-row").hidden = !($("variant").value === "khasino" && count === 4);
    const picks = Array.from({ length: count }, (_, seat) => {
      const select = element("select", { "aria-label": `seat ${seat}`, onchange: () => this.oneOfYou(seat) }, element("option", { value: "you" }, "you"),
        ...this.offered().map((agent) => element("option", { value: agent }, agent)));
      select.value = before[seat] ?? (seat === 0 ? "you" : "counter");
      if (select.selectedIndex < 0) select.value = this.menu.agents[0];
      return element("label", {}, `Seat ${seat}`, select);
    });
    $("seats").replaceChildren(...picks);
    if (![...document.querySelectorAll("#seats select")].some((select) => select.value === "you")) document.querySelector("#seats select").value = "you";
  }

  // Agents for any game, and those that have learnt the chosen one.
  offered() {
    const variant = $("variant").value, players = Number($("players").value), singly = this.singly();
    const fits = (game) => game.variant === variant && game.players === players && (game.rules.partners === false) === singly;
    const trained = Object.entries(this.menu.trained).filter(([, games]) => games.some(fits)).map(([agent]) => agent);
    return [...this.menu.agents, ...trained];
  }

  singly() {
    return !$("singly-row").hidden && $("singly").checked;
  }

  // The person sits on one seat: whoever was there takes the one left.
  oneOfYou(changed) {
    const picks = [...document.querySelectorAll("#seats select")];
    const agent = this.menu.agents.includes("counter") ? "counter" : this.menu.agents[0];
    if (picks[changed].value === "you") picks.forEach((select, seat) => { if (seat !== changed && select.value === "you") select.value = agent; });
    else if (!picks.some((select) => select.value === "you")) picks[changed === 0 ? 1 : 0].value = "you";
  }

  setup() {
    const out = {
      variant: $("variant").value, players: Number($("players").value), match: $("match").checked,
      seats: [...document.querySelectorAll("#seats select")].map((select) => select.value),
    };
    if (this.singly()) out.rules = { partners: false };
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
}

// A sheet with a heading, elements, and buttons by name.
export function sheet(title, body, buttons = {}) {
  $("sheet-body").replaceChildren(element("h2", {}, title), ...body);
  const others = Object.entries(buttons).map(([name, run]) => element("button", { onclick: run }, name));
  $("sheet-buttons").replaceChildren(...others, element("button", { class: "main" }, "Close"));
  if (!$("sheet").open) $("sheet").showModal();
  $("sheet").scrollTop = 0; // not down at the button that has the focus
}

export function breakdownTable({ breakdown, scores }, names) {
  const row = (name, cells, kind = "") => element("tr", { class: kind }, element("td", {}, name), ...cells.map((cell) => element("td", {}, `${cell}`)));
  return element("table", {}, element("tr", {}, element("th", {}), ...names.map((name) => element("th", {}, name))),
    ...Object.entries(breakdown).map(([name, points]) => row(name, points)), row("points", scores, "sum"));
}

export const ruleList = (sections) => sections.flatMap(([title, lines]) => [
  element("strong", {}, title), element("ul", {}, ...lines.map((line) => element("li", {}, line)))]);
