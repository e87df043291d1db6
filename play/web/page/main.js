// The page: which view is open, and the buttons around it.

import { api } from "./api.js";
import { element } from "./cards.js";
import { breakdownTable, NewGame, ruleList, sheet } from "./dialogs.js";
import { GameView } from "./game.js";
import { ReplayView } from "./replay.js";

const $ = (id) => document.getElementById(id);
const KEPT = "casino-games"; // the games begun on this page, newest first
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

// --- which view ---

function close() {
  view?.close();
  view = null;
  $("table").replaceChildren();
  $("replay-tools").replaceChildren();
  $("hint").hidden = true;
  $("title").textContent = "";
}

function arrange({ table, replay }) {
  $("table").hidden = $("panel").hidden = !table;
  $("welcome").hidden = table;
  $("replay-tools").hidden = !replay;
  $("moves").classList.toggle("jump", Boolean(replay));
  $("open-rules").hidden = !table || replay;
  for (const id of ["pace", "auto-end"]) $(id).parentElement.hidden = Boolean(replay);
}

async function route() {
  close();
  const id = location.hash.match(/^#game=([\w-]+)$/)?.[1];
  if (!id) {
    arrange({ table: false });
    drawGames();
    return;
  }
  arrange({ table: true });
  view = new GameView(id, { toast, onOver });
  try {
    await view.open();
  } catch (error) {
    toast(error.message);
    keep(kept().filter((game) => game.id !== id));
    location.hash = "";
  }
}

async function openReplay(record, specs) {
  if (location.hash) history.pushState(null, "", "#");
  close();
  arrange({ table: true, replay: true });
  view = new ReplayView(record, specs, { agents: menu.agents, toast });
  try {
    await view.open();
  } catch {
    close();
    arrange({ table: false });
  }
}

function drawGames() {
  $("games").replaceChildren(...kept().map((game) => element("li", {},
    element("button", { onclick: () => { location.hash = `game=${game.id}`; } }, `${game.variant}, ${game.seats.join(", ")} · ${new Date(game.begun).toLocaleString()}`),
    element("button", { "aria-label": "forget this game", onclick: () => { keep(kept().filter((other) => other.id !== game.id)); drawGames(); } }, "✕"))));
}

async function begin(setup) {
  const state = await api.begin(setup);
  keep([{ id: state.id, variant: state.variant, seats: state.seats, begun: Date.now() }, ...kept()]);
  location.hash = `game=${state.id}`;
}

// --- the end of a game ---

async function onOver(state, names) {
  const winners = state.result.winners.map((seat) => names[seat]);
  const title = winners.length === 0 ? "A tie" : winners.includes("You") ? (winners.length > 1 ? `You win with ${winners.filter((name) => name !== "You")}` : "You win") : `${winners.join(" and ")} win${winners.length > 1 ? "" : "s"}`;
  const record = await api.record(state.id);
  sheet(title, [breakdownTable(state.result, names)], {
    "Save record": (event) => { event.preventDefault(); save(record, `${state.variant}.record`); },
    Replay: () => openReplay(record, state.seats),
    "New game": () => dialog.show(),
  });
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
    sheet("Position", [element("textarea", { rows: 8, readonly: true, style: "width: 100%" }, position)]);
  }
}

function askRecord() {
  const text = element("textarea", { rows: 6, placeholder: "paste a record", id: "record-text", style: "width: 100%" });
  const file = element("input", { type: "file", id: "record-file", onchange: async (event) => { text.value = await event.target.files[0].text(); } });
  sheet("Replay a record", [file, text], { Open: () => openReplay(text.value, null) });
}

function remember(id, property) {
  const saved = localStorage.getItem(`casino-${id}`);
  if (saved !== null) $(id)[property] = JSON.parse(saved);
  $(id).addEventListener("change", () => localStorage.setItem(`casino-${id}`, JSON.stringify($(id)[property])));
}

async function start() {
  remember("pace", "value");
  remember("auto-end", "checked");
  $("auto-end").addEventListener("change", () => view instanceof GameView && view.follow());
  $("copy").addEventListener("click", () => copyPosition().catch((error) => toast(error.message)));
  $("open-replay").addEventListener("click", askRecord);
  $("open-games").addEventListener("click", () => { if (location.hash) location.hash = ""; else route(); });
  $("open-rules").addEventListener("click", async () => sheet("Rules", ruleList((await api.rules(view.id)).rules)));
  for (const id of ["open-new", "welcome-new"]) $(id).addEventListener("click", () => dialog?.show());
  window.addEventListener("hashchange", route);
  menu = await api.menu();
  dialog = new NewGame(menu, begin);
  await route();
}

start().catch((error) => toast(error.message));
