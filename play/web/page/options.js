// The bar in which a move is chosen: prompt, possible moves and tools. Its size is fixed, so that no card moves under a
// finger.

import { draw, h } from "./dom.js";
import { hintRows } from "./log.js";
import { newsList } from "./table.js";
import { said, t } from "./text.js";

/** @import { Move, Offer } from "./table/shapes.js" */
/** @import { Playing } from "./playing.js" */

/** @param {Element} bar @param {Playing} view @param {Offer} offer */
export function drawOptions(bar, view, offer) {
  const { seen } = view, quiet = !view.chosen.size && !seen.begun; // then there is room for the news
  draw(bar,
    h("p", { class: `say ${view.reason ? "reason" : ""}`, key: "say", role: "status" }, view.thinking ? t("thinking")
      : said(view.reason ?? offer.prompt)),
    h("div", { class: "options", key: "options", role: "group", "aria-label": t("options") },
      view.hint ? h("div", { class: "hint", key: "hint", role: "status" }, hintRows(view.hint))
        : quiet && newsList(seen.news),
      offer.moves.map((move, at) => moveButton(view, offer, move, at)),
      offer.more > 0 && h("span", { class: "more" }, t("options.more", { n: offer.more })),
      offer.whyDiscard && tool("why", "why.discard", () => view.askWhy([...view.chosen], "discard"), "quiet")),
    h("div", { class: "plain", key: "plain" },
      offer.plain.map((move) => moveButton(view, offer, move)),
      seen.undo && tool("undo", "undo", () => view.undo(), "", view.busy),
      offer.whyEnd && tool("why-end", "why.end", () => view.askWhy([], "end"), "quiet"),
      view.thinking ? tool("stop", "stop", () => view.stop()) : seen.mine
        && tool("ask-hint", view.help, () => view.askHint(), "", view.busy),
      view.sends && tool("send-turn", "link.send", () => view.sendTurn(), "main"),
      seen.over && view.afterwards().map(([id, run]) => tool(`see-${id}`, `after.${id}`, run))));
}

/** @param {Playing} view @param {Offer} offer @param {Move} move @param {number} [at] */
function moveButton(view, offer, move, at = -1) {
  const show = () => view.preview(move.tokens), hide = () => view.preview([]);
  return h("button", {
    class: move === offer.main ? "main" : null, "data-do": move.do, key: move.actions.join(";"), disabled: view.busy,
    "aria-keyshortcuts": at >= 0 && at < 9 ? at + 1 : null,
    onclick: () => view.play(move), onpointerenter: show, onpointerleave: hide, onfocus: show, onblur: hide,
  }, said(move.words));
}

/** @param {string} id @param {string} words @param {() => void} run @param {string} [kind] @param {boolean} [off] */
const tool = (id, words, run, kind = "", off = false) =>
  h("button", { id, class: kind || null, disabled: off, onclick: run }, t(words));
