// The first page: an introduction, games in play, and the games to choose from.

import { dayNumber, dayOfId, games, introduce, streakOf } from "./table/index.js";
import { cardFace } from "./cards.js";
import { $, draw, h, input } from "./dom.js";
import { keepAll, sizeOfAll } from "./offline.js";
import { numbers } from "./progress.js";
import { rated } from "./puzzles.js";
import { sheet, toast, told } from "./sheet.js";
import { showStatistics } from "./statistics.js";
import { settings } from "./settings.js";
import * as store from "./store.js";
import { plain, say, t } from "./text.js";

/** @import { GameAbout } from "./table/shapes.js" */

const AFRICA = "kind.africa";
/** @type {Intl.DateTimeFormatOptions} */
const WHEN = { dateStyle: "medium", timeStyle: "short" };
const SHOWN = 3; // games in a list before "more"

/** @typedef {{ [door: string]: (variant: string) => unknown }} Doors actions; play: at once; new: by the dialog */

/** A button for an action; it is a link, so that it works before the scripts have loaded. @param {Doors} doors
 * @param {string} door @param {string} variant @param {{ [name: string]: any }} attributes
 * @param {...import("./dom.js").Children} words */
function way(doors, door, variant, attributes, ...words) {
  const onclick = (/** @type {Event} */ event) => {
    event.preventDefault();
    told(async () => { await doors[door](variant); });
  };
  const href = `#${door}-now${variant && `=${variant}`}`;
  return h("a", { class: "button", ...attributes, href, onclick }, ...words);
}

/** @param {Doors} doors */
export async function drawHome(doors) {
  const kept = await store.games();
  const all = games(), mine = all.find(({ name }) => name === settings.game);
  const first = mine ?? all.filter(({ starter }) => starter)[0];
  const learnt = store.lessons()[first.name]?.length ?? 0;
  const results = await store.results(), own = numbers(results, store.rating().past.length ? rated() : "");
  const [learn, play] = mine ? ["", "main"] : ["main", ""];
  draw($("first"),
    way(doors, "play", first.name, { class: `button ${play}`, id: "play-now" },
      t("home.play", { game: plain(first.title) })),
    way(doors, "lesson", first.name, { class: `button ${learn}`, id: "start-here" },
      learnt ? t("lesson.on", { n: learnt }) : t("lesson.start")),
    way(doors, "tour", "", { id: "open-tour" }, t("home.tour")));
  draw($("know"), !mine && [h("strong", {}, t("home.know")), ...all.filter(({ kind }) => kind.key === AFRICA)
    .map(({ name, title }) => way(doors, "new", name, { class: "button", key: name }, plain(title)))]);
  const days = kept.filter(({ over }) => over).map(({ id }) => dayOfId(id)).filter((day) => day !== null);
  const streak = streakOf(days, dayNumber(new Date()));
  draw($("today"), way(doors, "today", "", { id: "deal-day" }, t("deal.day")),
    way(doors, "puzzle", "", { id: "puzzle-day" }, t("puzzle.day")),
    way(doors, "puzzles", "", { id: "open-puzzles" }, t("puzzles")),
    resultOfDay(kept, results),
    streak > 1 && h("span", { id: "streak" }, t("deal.streak", { n: streak })),
    own && h("span", { id: "numbers" }, own));
  draw($("picture"), ["5D", "4C", "9S", "TD", "2S"].map((card) => cardFace(card)));
  const going = kept.filter(({ over }) => !over), done = kept.filter(({ over }) => over);
  const again = () => drawHome(doors);
  draw($("going"), going.length > 0 && [h("h2", {}, t("home.going")), list(going, again)]);
  draw($("offer"), kinds(all).map(([kind, some]) => [
    h("h2", { key: kind }, plain(say(kind))),
    h("ul", { class: "offer", key: `${kind}-list` }, some.map((game) => offered(game, doors)))]));
  draw($("done"),
    h("h2", {}, t("home.yours")),
    h("p", { class: "row" }, h("button", { id: "open-statistics", onclick: showStatistics }, t("statistics")),
      h("button", { id: "export",
        onclick: async () => store.download(await store.allAsFile(), "casino-games.json") }, t("store.export")),
      h("button", { id: "import", onclick: () => askFile(again) }, t("store.import")),
      h("button", { id: "keep-all", onclick: () => told(keepForOffline) }, t("offline.keep"))),
    done.length > 0 && h("details", { key: "finished" }, h("summary", {}, t("home.done", { n: done.length })),
      list(done, again)));
}

/** The result of today's deal, or else of yesterday's. @param {store.Kept[]} kept @param {store.Result[]} results */
function resultOfDay(kept, results) {
  const today = dayNumber(new Date());
  for (const [day, ago] of ["today", "yesterday"].entries()) {
    const found = results.find(({ id }) => dayOfId(id) === today - day && kept.some((game) => game.id === id));
    if (found) return h("a", { id: "day-result", href: `#game=${found.id}` },
      t("deal.result", { day: ago, own: found.own, best: found.best }));
  }
  return null;
}

/** Offer to cache all games and opponents for offline use. */
async function keepForOffline() {
  const megabytes = Math.ceil(await sizeOfAll() / 1e6), about = t("offline.keep.about", { megabytes });
  if (!megabytes) return toast(t("store.none"));
  const share = h("progress", { max: 1, value: 0, "aria-label": t("offline.keep") });
  const run = async () => {
    await keepAll((done) => share.setAttribute("value", `${done}`));
    toast(t("offline.kept"));
  };
  sheet(t("offline.keep"), [h("p", {}, about), share], [{ words: t("offline.keep.now"), id: "keep-now", main: true,
    run }], t("cancel"));
}

/** @param {GameAbout[]} all @returns {[string, GameAbout[]][]} */
function kinds(all) {
  /** @type {Map<string, GameAbout[]>} */
  const found = new Map();
  for (const game of all) {
    found.set(game.kind.key, [...(found.get(game.kind.key) ?? []), game]);
  }
  return [...found];
}

/** @param {GameAbout} game @param {Doors} doors */
function offered({ name, title, line, starter, sittings }, doors) {
  const minutes = sittings.map((each) => each.minutes), least = Math.min(...minutes), most = Math.max(...minutes);
  const counts = sittings.map(({ players }) => `${players}`).join(", ");
  return h("li", { key: name }, way(doors, "new", name, { class: "game", "data-game": name },
    h("strong", {}, plain(title), starter && h("em", {}, t("home.starter"))), h("span", {}, plain(line)),
    h("small", {},
      t("home.size", { counts, least, most, same: `${least === most}`, players: sittings.at(-1)?.players ?? 2 }))));
}

/** @param {store.Kept[]} kept @param {() => void} again */
function list(kept, again) {
  const forget = (/** @type {store.Kept} */ { id }, /** @type {string} */ title) => h("button", { class: "forget",
    "aria-label": t("home.forget", { game: title }), onclick: () => store.forget(id).then(again) }, "✕");
  const item = (/** @type {store.Kept} */ game) => {
    try {
      return readable(game);
    } catch { // a damaged game must not break the page
      return h("li", { key: game.id }, t("home.spoilt"), forget(game, game.id));
    }
  };
  const readable = (/** @type {store.Kept} */ game) => {
    const { variant, seats } = game.saved.setup, title = plain(say(`game.${variant}`)),
      when = new Date(game.touched).toLocaleString(undefined, WHEN);
    const others = [...new Set(seats.filter((spec) => spec !== "you"))].map((spec) => plain(introduce(spec).title))
      .join(", ");
    return h("li", { key: game.id },
      h("a", { class: "game", href: `#game=${game.id}` }, h("strong", {}, title),
        h("span", {}, t("home.against", { others, when }), game.how ? ` · ${plain(game.how)}` : "")),
      forget(game, title));
  };
  const rest = kept.slice(SHOWN), more = () => h("details", {}, h("summary", {}, t("home.more", { n: rest.length })),
    h("ul", { class: "games" }, rest.map(item)));
  return h("ul", { class: "games" }, kept.slice(0, SHOWN).map(item), rest.length > 0
    && h("li", { class: "rest", key: "rest" }, more()));
}

/** @param {() => void} again */
function askFile(again) {
  const choose = h("input",
    { type: "file", id: "import-file", accept: ".json,application/json", "aria-label": t("store.file") });
  sheet(t("store.import"), [h("p", {}, t("store.import.about")), choose], [{
    words: t("store.read"), id: "import-read", main: true, run: async () => {
      const file = input("import-file").files?.[0];
      if (!file) throw new Error(t("store.choose"));
      const found = store.fromFile(await file.text());
      await store.addFile(found);
      toast(t("store.imported", { n: found.games.length, results: found.results.length }));
      again();
    },
  }], t("cancel"));
}
