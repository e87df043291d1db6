// The page: which view is open, and the buttons around it.

import { api } from "./api.js";
import { element } from "./cards.js";
import { GameView } from "./game.js";
import { offerAdvisers } from "./hint.js";
import { leftNote } from "./log.js";
import { NewGame } from "./newgame.js";
import { ReplayView } from "./replay.js";
import { resultTable, verdict } from "./result.js";
import { sheet } from "./sheet.js";
import { sounding } from "./sound.js";
import { count, showStatistics } from "./statistics.js";
import { themed } from "./theme.js";
import { showRules, tour } from "./tour.js";

const $ = (id) => document.getElementById(id);
const KEPT = "casino-games"; // the games begun on this page, newest first
const PASTED = "casino-record"; // the record that is replayed, if it is of no game here
const MOST_KEPT = 30;

let view = null, menu = null, dialog = null;

function toast(text) {
  $("toast").textContent = text;
  $("toast").classList.toggle("on", Boolean(text));
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => $("toast").classList.remove("on"), 5000);
}

const kept = () => JSON.parse(localStorage.getItem(KEPT) ?? "[]");
const keep = (games) => localStorage.setItem(KEPT, JSON.stringify(games.slice(0, MOST_KEPT)));
const note = (id, how) => keep(kept().map((game) => (game.id === id ? { ...game, how } : game)));
const nameOf = (spec) => menu.about[spec]?.title ?? spec;
const gameTitle = (name) => menu.games.find((game) => game.name === name)?.title ?? name;

// --- which view ---

function close() {
  view?.close();
  view = null;
  for (const id of ["table", "replay-tools", "review"]) $(id).replaceChildren();
  $("hint").hidden = true;
  $("title").textContent = "";
}

function arrange({ table, replay }) {
  $("table").hidden = $("panel").hidden = !table;
  $("welcome").hidden = table;
  $("replay-tools").hidden = $("review").hidden = !replay;
  document.querySelector("main").classList.toggle("replay", Boolean(table && replay));
  $("open-rules").hidden = !table || replay;
  for (const id of ["pace", "auto-end", "adviser"]) $(id).parentElement.hidden = Boolean(replay);
  $("look-back").hidden = Boolean(replay);
}

async function route() {
  close();
  const [, what, id, step] = location.hash.match(/^#(game|replay|review)=([\w-]+)(?:&step=(\d+))?$/) ?? [];
  arrange({ table: Boolean(what), replay: what !== "game" });
  if (!what) {
    drawGames();
    return;
  }
  try {
    if (what === "game") await openGame(id);
    else await openReplay(what, id, Number(step ?? 0));
  } catch (error) {
    toast(error.message);
    if (what === "game") keep(kept().filter((game) => game.id !== id));
    location.hash = "";
  }
}

async function openGame(id) {
  view = new GameView(id, { toast, seated, onDeal, onOver, nameOf, adviser: () => $("adviser").value, rules: rulesHere, fresh: () => dialog.show(), again, replay, review });
  await view.open();
}

const seated = ({ variant, seats }) => offerAdvisers($("adviser"), agentsFor((game) => game.variant === variant && game.players === seats.length), nameOf(menu.hints));

// Those who play any game, and those who have learnt one that fits, with their names.
function agentsFor(fits) {
  const specs = [...menu.agents, ...Object.keys(menu.trained).filter((spec) => menu.trained[spec].some(fits))];
  return Object.fromEntries(specs.map((spec) => [spec, nameOf(spec)]));
}

async function openReplay(what, id, step) {
  const pasted = id === "pasted";
  const record = pasted ? sessionStorage.getItem(PASTED) ?? "" : await api.record(id);
  const specs = pasted ? [] : (await api.state(id)).seats;
  const moved = (now) => history.replaceState(null, "", `#${what}=${id}${now ? `&step=${now}` : ""}`);
  const agents = agentsFor((game) => record.includes(`variant: ${game.variant}\nplayers: ${game.players}\n`));
  view = new ReplayView(record, specs, { agents, toast, moved, playOn });
  await view.open(step, what === "review");
}

const replay = (id) => { $("sheet").close(); location.hash = `replay=${id}`; };
const review = (id) => { $("sheet").close(); location.hash = `review=${id}`; };

function drawGames() {
  $("offer").replaceChildren(...menu.games.map((game) => element("li", {}, element("button", { "data-game": game.name, onclick: () => dialog.show(game.name) },
    element("strong", {}, game.title), element("span", {}, game.line),
    element("small", {}, `${game.players.map(({ count }) => count).join(", ")} players · about ${minutes(game)} minutes`)))));
  $("games").replaceChildren(...kept().map((game) => element("li", {},
    element("button", { onclick: () => { location.hash = `game=${game.id}`; } }, element("strong", {}, gameTitle(game.variant)),
      element("span", {}, `against ${game.seats.filter((spec) => spec !== "you").map(nameOf).join(", ")} · ${new Date(game.begun).toLocaleString()} · ${game.how ?? "not finished"}`)),
    element("button", { "aria-label": "forget this game", onclick: () => { keep(kept().filter((other) => other.id !== game.id)); drawGames(); } }, "✕"))));
  $("games-title").hidden = kept().length === 0;
}

function minutes(game) {
  const all = game.players.map((sitting) => sitting.minutes), least = Math.min(...all), most = Math.max(...all);
  return least === most ? `${least}` : `${least} to ${most}`;
}

async function begin(setup) {
  const state = await api.begin(setup);
  keep([{ id: state.id, variant: state.variant, seats: state.seats, begun: Date.now(), setup: { ...setup, seed: null } }, ...kept()]);
  location.hash = `game=${state.id}`;
}

// --- the end of a deal, and of a game ---

const onDeal = (state, names, ended) => sheet("The deal is over", [resultTable(ended, names), ...leftNote(ended, names)], {}, "Next deal");

async function onOver(state, names, ended) {
  const title = verdict(state.result, names);
  note(state.id, title);
  if (kept().some((game) => game.id === state.id && !game.setup?.position)) count(state);
  const record = await api.record(state.id);
  sheet(title, [resultTable(state.result, names), ...leftNote(ended, names)], {
    Review: () => review(state.id),
    Replay: () => replay(state.id),
    "Save record": (event) => { event.preventDefault(); save(record, `${state.variant}.record`); },
    "Same again": () => again(state.id),
    "New game": () => dialog.show(state.variant),
  });
}

// Another deal with the same people by the same rules.
function again(id) {
  const setup = kept().find((game) => game.id === id)?.setup;
  if (setup && !setup.position) begin(setup).catch((error) => toast(error.message));
  else dialog.show();
}

function playOn(position, specs) {
  const { variant, players, rules } = position;
  begin({ variant, players, seats: specs, position, ...(rules ? { rules } : {}) }).catch((error) => toast(error.message));
}

function save(text, name) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// --- buttons ---

async function copyPosition() {
  const position = JSON.stringify(view instanceof ReplayView ? await view.position() : await api.position(view.id));
  try {
    await navigator.clipboard.writeText(position);
    toast("The position is on the clipboard. What you cannot see is dealt at random.");
  } catch { // not every browser lets a page do that
    sheet("Position", [element("textarea", { rows: 8, readonly: true, "aria-label": "Position JSON" }, position)]);
  }
}

async function rulesHere() {
  if (view instanceof GameView) showRules("Rules", (await api.rules(view.id)).rules);
}

// A record that cannot be read stays where it was pasted.
function askRecord() {
  const text = element("textarea", { rows: 6, placeholder: "paste a record", id: "record-text", "aria-label": "record" });
  const file = element("input", { type: "file", id: "record-file", "aria-label": "file of a record", onchange: async (event) => { text.value = await event.target.files[0].text(); } });
  const wrong = element("p", { class: "error", role: "alert", id: "record-error" });
  sheet("Replay a record", [file, text, wrong], {
    Open: async (event) => {
      event.preventDefault();
      try {
        await api.replay({ record: text.value, step: 0 });
        sessionStorage.setItem(PASTED, text.value);
        $("sheet").close();
        if (location.hash === "#replay=pasted") route();
        else location.hash = "replay=pasted";
      } catch (error) {
        wrong.textContent = error.message;
      }
    },
  });
}

function remember(id, property) {
  const saved = localStorage.getItem(`casino-${id}`);
  if (saved !== null) $(id)[property] = JSON.parse(saved);
  $(id).addEventListener("change", () => localStorage.setItem(`casino-${id}`, JSON.stringify($(id)[property])));
}

async function start() {
  themed($("theme"));
  sounding($("sound"));
  remember("pace", "value");
  remember("auto-end", "checked");
  $("auto-end").addEventListener("change", () => view instanceof GameView && view.follow());
  $("copy").addEventListener("click", () => copyPosition().catch((error) => toast(error.message)));
  $("open-replay").addEventListener("click", askRecord);
  $("open-games").addEventListener("click", () => { if (location.hash) location.hash = ""; else route(); });
  $("open-rules").addEventListener("click", rulesHere);
  $("open-tour").addEventListener("click", tour);
  $("open-statistics").addEventListener("click", () => showStatistics({ title: gameTitle, nameOf }));
  $("look-back").addEventListener("click", () => view.lookBack());
  $("open-new").addEventListener("click", () => dialog.show());
  window.addEventListener("hashchange", route);
  menu = await api.menu();
  dialog = new NewGame(menu, begin);
  for (const id of ["open-new", "open-replay", "open-statistics"]) $(id).disabled = false;
  await route();
}

start().catch((error) => toast(error.message));
