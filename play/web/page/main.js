// The page: routes addresses to views, begins games, and handles the buttons around the view.

import { loadKernels } from "./casino/src/kernels/kernels.js";
import { usePolicies } from "./casino/src/agents/registry.js";
import { randomSeed } from "./casino/src/game/game.js";
import { rulesOf } from "./casino/src/game/rules.js";
import { PEOPLE, STEADY, Table, dayNumber, dealOfTheDay, games, idOfDay, introduce, lessonSeed, makeSetup,
  setupFromPosition, timeLine } from "./table/index.js";
import { agents, hire, warmUp } from "./agents.js";
import { $, h, input } from "./dom.js";
import { GameView } from "./game.js";
import { drawHome } from "./home.js";
import { addressOf, received, showLink } from "./links.js";
import { NewGame } from "./newgame.js";
import { advisers, ladder } from "./opponents.js";
import { offline } from "./offline.js";
import { Playing } from "./playing.js";
import { fetchEngine, policies } from "./places.js";
import { showSettings } from "./preferences.js";
import { puzzleView, showPuzzles, todays } from "./puzzles.js";
import { ReplayView } from "./replay.js";
import { showRules, tour } from "./rules.js";
import { banner, go, sheet, shut, toast, told } from "./sheet.js";
import { isOffline, learn, plain, t, wrong } from "./text.js";
import { worstTurns } from "./exercise.js";
import * as settings from "./settings.js";
import * as store from "./store.js";

/** @import { Rules } from "./casino/src/game/rules.js" */
/** @import { Setup } from "./table/shapes.js" */
/** @import { ExerciseView } from "./exercise.js" */

const PASTED = "casino-record"; // storage key of a pasted record that is being replayed

const INSTEAD = "counter"; // replaces a chosen agent that is not available offline

/** @type {GameView | ReplayView | ExerciseView | null} */
let view = null;
/** @type {NewGame} */
let fresh;

// --- routing ---------------------------------------------------------------------------------------------------------

function close() {
  view?.close();
  view = null;
  for (const id of ["table", "actions", "review", "moves"]) $(id).replaceChildren();
  $("hint").hidden = true;
  $("title").textContent = "";
}

/** @param {"home" | "game" | "replay" | "try"} what */
function arrange(what) {
  document.body.dataset.view = what;
  document.querySelector("main")?.scrollTo({ top: 0 });
  $("home").hidden = what !== "home";
  $("table").hidden = $("actions").hidden = $("panel").hidden = what === "home";
  $("review").hidden = what !== "replay" && what !== "try";
  $("look-back").hidden = what !== "game";
  $("open-rules").hidden = what !== "game" && what !== "try";
}

let turn = 0; // number of the latest navigation; earlier ones are dropped

/** Handle the address: connect to a friend's page, with scripts that load on demand, or open a view. */
async function visit() {
  const [, what, letters] = location.hash.match(/^#(live|answer)=([\w-]+)$/) ?? [];
  if (!what) return route();
  history.replaceState(null, "", view instanceof GameView ? `#game=${view.kept.id}` : "#");
  if (!view) await route();
  await told(async () => {
    const { answered, invited } = await import("./live/invite.js");
    await (what === "live" ? invited : answered)(letters);
  });
}

/** Invite a friend to a live game. Agents with a time limit are replaced by one that plays the same on both pages.
 * @param {Setup} setup */
async function invite(setup) {
  const { invite: live } = await import("./live/invite.js");
  await live({ ...setup, seats: setup.seats.map((spec) => (spec.includes("time=") ? STEADY : spec)) });
}

async function route() {
  const [, what, id, step] = location.hash.match(/^#(game|replay|review|try|puzzle|lesson)=([\w.-]+)(?:&step=(\d+))?$/) ?? [],
    mine = ++turn;
  close();
  shut();
  try {
    const sent = location.hash.match(/^#(turn|deal|watch)=([\w.-]+)(?:&open=([\w-]+))?$/);
    if (sent?.[3]) await (await import("./live/invite.js")).openedByLink(sent[2], sent[3]);
    if (sent) {
      history.replaceState(null, "", `#${await received(sent[1], sent[2])}`);
      return await route();
    }
    if (!what) {
      const [, door, variant] = location.hash.match(/^#(\w+)-now(?:=([\w-]+))?$/) ?? [];
      arrange("home");
      await drawHome(doors);
      document.querySelector("main")?.scrollTo({ top: 0 });
      if (door in doors) { // the link was pressed before the scripts had loaded
        history.replaceState(null, "", "#");
        await doors[/** @type {keyof typeof doors} */ (door)](variant);
      }
      return;
    }
    if (what === "puzzle" || what === "lesson") {
      const found = await exercises(what, id);
      if (mine !== turn) return found.close();
      arrange("try");
      view = found;
      found.open();
      return;
    }
    const kept = id === "pasted" ? null : await store.game(id);
    if (mine !== turn) return;
    if (kept === undefined) throw new Error(t("game.gone"));
    if (what === "try" && kept && !kept.review?.worst.length) {
      go(`review=${id}`);
      return;
    }
    arrange(what === "game" || what === "try" ? what : "replay");
    if (what === "game" && kept) await openGame(kept);
    else if (what === "try" && kept) openWorst(kept);
    else await openReplay(what, id, kept, Number(step ?? 0));
  } catch (error) {
    if (mine !== turn) return;
    toast(wrong(error));
    if (location.hash) location.hash = "";
  }
}

/** @param {"puzzle" | "lesson"} what @param {string} id @returns {Promise<ExerciseView>} */
async function exercises(what, id) {
  const moved = (/** @type {string} */ now) => history.replaceState(null, "", `#${what}=${now}`);
  const page = { rules: rulesHere, moved };
  if (what === "puzzle") return puzzleView(id, page);
  const { lessonsView } = await import("./lessons.js"), deal = () => told(() => firstDeal(id.split(".")[0]));
  return lessonsView(id, { ...page, deal });
}

/** The actions of the first page. */
const doors = {
  play, lesson, today, tour, new: (/** @type {string} */ variant) => fresh.show(variant),
  puzzle: async () => go(await todays()), puzzles: showPuzzles,
};

/** @param {store.Kept} kept */
async function openGame(kept) {
  const game = new GameView(kept, {
    rules: rulesHere, fresh: () => fresh.show(),
    again: () => again(game.kept.saved.setup), replay: () => go(`replay=${kept.id}`),
    review: () => go(`review=${kept.id}`),
  });
  view = game;
  await game.open();
}

/** @param {string} what @param {string} id @param {store.Kept | null} kept @param {number} step */
async function openReplay(what, id, kept, step) {
  const record = kept ? Table.load(kept.saved).record() : sessionStorage.getItem(PASTED) ?? "";
  const replay = new ReplayView(record, kept ? kept.saved.setup.seats : [], {
    again: kept ? `#try=${id}` : "", reviewed: async (result) => { if (kept) await reviewed(kept, result); },
    moved: (now) => history.replaceState(null, "", `#${what}=${id}${now ? `&step=${now}` : ""}`), playOn,
  });
  view = replay;
  await replay.open(step, what === "review");
}

/** @param {store.Kept} kept @param {store.Reviewed} result */
async function reviewed(kept, result) {
  await store.keep({ ...kept, review: result });
  await store.amend(kept.id, { lost: result.lost, decisions: result.decisions });
}

/** @param {store.Kept} kept */
function openWorst(kept) {
  view = worstTurns(kept, rulesHere);
  view.open();
}

// --- beginning a game ------------------------------------------------------------------------------------------------

/** Begin a game. All files of the agents are fetched first, so that the game can be played offline.
 * @param {Setup} setup @param {Partial<store.Kept>} [more] */
async function begin(setup, more = {}) {
  const { rules } = new Table(setup), seats = await Promise.all(setup.seats.map((spec) => ready(spec, rules)));
  if (`${seats}` !== `${setup.seats}`) toast(t("offline.instead", { agent: plain(introduce(INSTEAD).title) }));
  const table = new Table({ ...setup, seats }), now = Date.now();
  const id = `${now.toString(36)}-${randomSeed().toString(36)}`;
  const kept = { id, saved: table.save(), begun: now, touched: now, over: table.game.over, how: null, ...more };
  await store.keep(kept);
  settings.change("game", setup.variant);
  go(`game=${kept.id}`);
}

/** Load an agent; return its spec, or that of INSTEAD if it cannot be loaded offline. @param {string} spec
 * @param {Rules} rules */
async function ready(spec, rules) {
  if (PEOPLE.includes(spec)) return spec;
  try {
    await (await agents.of(spec)).check(rules);
    return spec;
  } catch (error) {
    if (!isOffline(error)) throw error;
    await agents.of(INSTEAD);
    return INSTEAD;
  }
}

/** Open the lessons of a game; without any, or with house rules, begin a first deal. @param {string} variant
 * @param {number} [players] @param {{ [field: string]: any }} [changes] */
async function lesson(variant, players = 2, changes = {}) {
  const { lessonsPlace } = await import("./lessons.js"), place = await lessonsPlace(variant);
  if (place && !Object.keys(changes).length) go(place);
  else await firstDeal(variant, players, changes);
}

/** Begin a first deal with a coach, against the easiest level. @param {string} variant @param {number} [players]
 * @param {{ [field: string]: any }} [changes] */
async function firstDeal(variant, players = 2, changes = {}) {
  const rules = rulesOf(variant, players, changes), [{ spec }] = ladder(variant, players, changes);
  const seats = Array.from({ length: players }, (_, seat) => (seat ? spec : "you"));
  await begin(makeSetup({ variant, players, seats, rules: changes, seed: lessonSeed(rules) }), { lesson: [] });
}

/** Open the deal of the day: the same cards for everybody; the strongest agent plays them too, for comparison. */
async function today() {
  const two = games().filter(({ sittings }) => sittings[0].players === 2).map(({ name }) => name);
  const { game } = settings.settings, mine = two.includes(game) ? [game] : two;
  const { variant, seed } = dealOfTheDay(mine, new Date()), [, , strong] = ladder(variant, 2);
  const id = idOfDay(dayNumber(new Date()), variant);
  if (await store.game(id)) go(`game=${id}`);
  else await begin(makeSetup({ variant, players: 2, seats: ["you", strong.spec], seed }),
    { id, duplicate: { by: STEADY, points: null } });
}

/** Begin a game for two at once, against the level that was chosen last. @param {string} variant */
function play(variant) {
  const { spec } = ladder(variant, 2)[settings.settings.level];
  return begin(makeSetup({ variant, players: 2, seats: ["you", spec], seed: randomSeed() }));
}

/** Begin another deal with the same seats and rules. @param {Setup} setup */
function again(setup) {
  if (setup.position) fresh.show(setup.variant);
  else told(() => begin(makeSetup({ ...setup, seed: randomSeed() })));
}

/** @param {any} position @param {string[]} specs */
function playOn(position, specs) {
  told(() => begin(setupFromPosition(JSON.stringify(position), specs)));
}

// --- buttons ---------------------------------------------------------------------------------------------------------

function rulesHere() {
  if (view instanceof Playing) showRules(t("rules"), view.table.rules);
}

async function preferences() {
  const setup = view instanceof GameView ? view.table.setup : null;
  await showSettings(setup ? advisers(setup) : [], () => {
    if (view instanceof Playing) view.draw(); // the colours of court cards may have changed
    if (view instanceof GameView) view.follow();
  });
}

/** Show further actions for the open game. */
function more() {
  const open = view;
  const buttons = [{ words: t("game.copy"), id: "copy", run: copyPosition }];
  if (open instanceof GameView) {
    const { variant } = open.table.setup;
    buttons.push({ words: t("game.save"), id: "save-game",
      run: async () => store.download(store.asFile([open.kept]), `${variant}.json`) });
    if (open.seen.over) buttons.push({ words: t("after.watch"), id: "link-watch",
      run: async () => { setTimeout(() => showLink("watch", addressOf("watch", open.table, open.kept.id))); } });
    if (open.seen.over) buttons.push({ words: t("game.record"), id: "save-record",
      run: async () => store.download(open.table.record(), `${variant}.record`) });
  }
  buttons.push({ words: t("game.open.record"), id: "open-replay", run: async () => { setTimeout(askRecord); } });
  sheet(t("more"), [], buttons);
}

async function copyPosition() {
  const position = JSON.stringify(view instanceof ReplayView ? view.position() : view?.table.position());
  try {
    await navigator.clipboard.writeText(position);
    toast(t("game.copied"));
  } catch { // the browser forbids it: show the position, to be copied by hand
    setTimeout(() => sheet(t("game.position"),
      [h("textarea", { rows: 8, readonly: true, "aria-label": t("new.position") }, position)]));
  }
}

/** Ask for a record to replay; one that cannot be read stays in the field. */
function askRecord() {
  const told = { rows: 6, placeholder: t("record.paste"), id: "record-text", "aria-label": t("record.paste") };
  const text = /** @type {HTMLTextAreaElement} */ (h("textarea", told));
  const read = async () => { text.value = await input("record-file").files?.[0]?.text() ?? ""; };
  const file = h("input", { type: "file", id: "record-file", "aria-label": t("record.file"), onchange: read });
  sheet(t("record.title"), [file, text], [{
    words: t("record.open"), id: "record-open", main: true, run: () => {
      timeLine(text.value, []);
      sessionStorage.setItem(PASTED, text.value);
      if (location.hash === "#replay=pasted") route();
      else go("replay=pasted");
    },
  }], t("cancel"));
}

async function start() {
  settings.show();
  if (history.state?.dialog) history.replaceState(null, ""); // a dialog that was open before the reload
  await learn();
  for (const made of document.querySelectorAll("[data-label]"))
    made.setAttribute("aria-label", t(made.getAttribute("data-label") ?? ""));
  for (const made of document.querySelectorAll("[data-text]"))
    made.textContent = t(made.getAttribute("data-text") ?? "");
  const kept = offline(() => banner(t("update"), t("update.load"), () => location.reload()));
  const engine = await fetchEngine();
  await loadKernels(/** @type {any} */ (engine));
  hire(engine);
  usePolicies(policies);
  fresh = new NewGame(begin, lesson, invite);
  $("open-new").addEventListener("click", (event) => {
    event.preventDefault();
    fresh.show();
  });
  $("open-rules").addEventListener("click", rulesHere);
  $("open-settings").addEventListener("click", preferences);
  $("open-more").addEventListener("click", more);
  $("open-record").addEventListener("click", askRecord);
  $("look-back").addEventListener("click", () => view instanceof GameView && view.lookBack());
  window.addEventListener("hashchange", visit);
  document.body.dataset.ready = "yes";
  await visit();
  kept.then(warmUp);
  if (!(await store.lasts())) toast(t("store.none"));
}

start().catch((error) => {
  $("loading").hidden = true;
  $("failed").hidden = false;
  $("failed").textContent = t("failed", { why: wrong(error) });
});
