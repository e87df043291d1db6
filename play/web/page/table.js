// Draws a scene: the others' places, what lies on the table, one's own place.

import { cardBack, cardButton, cardFace } from "./cards.js";
import { draw, h } from "./dom.js";
import { lookThrough } from "./pile.js";
import { toast } from "./sheet.js";
import { cardName, plain, said, t } from "./text.js";

/** @typedef {import("./casino/src/table/shapes.js").Scene} Scene */
/** @typedef {import("./casino/src/table/shapes.js").Seat} Seat */
/** @typedef {import("./casino/src/table/shapes.js").Build} Build */
/** @typedef {import("./casino/src/table/shapes.js").News} News */

/** How a scene is looked at: the seat below, and what is marked.
 * @typedef {object} Look
 * @property {number} bottom
 * @property {Set<string>} [lit] what can be chosen
 * @property {Set<string>} [chosen]
 * @property {Set<string>} [gold] what a hint points at
 * @property {News | null} [news]
 */

/** @param {Element} root @param {Scene} scene @param {Look} look */
export function drawTable(root, scene, look) {
  const count = scene.seats.length;
  const others = Array.from({ length: count - 1 }, (_, k) => scene.seats[(look.bottom + k + 1) % count]);
  draw(root,
    h("div", { class: "others", key: "others", "data-seats": count - 1 }, others.map((seat) => place(scene, seat, look))),
    felt(scene, look),
    own(scene, scene.seats[look.bottom], look));
}

// --- what lies on the table ------------------------------------------------------------------------------------------

/** @param {Scene} scene @param {Look} look */
function felt(scene, look) {
  const builds = scene.builds.some(({ sets }) => sets.length) ? "builds" : "";
  return h("div", { class: `felt ${builds}`, key: "felt" },
    h("ul", { class: "news", key: "news", tabindex: look.news?.lines.length ? 0 : null, "aria-label": t("news") }, (look.news?.lines ?? []).filter(({ ended }) => !ended)
      .map(({ seat, words }) => h("li", { class: `by-${seat}` }, said(words)))),
    h("div", { class: "laid", key: "laid" },
      h("div", { class: "flow", key: "flow", role: "group", "aria-label": t("table"), style: widths(scene) },
        scene.builds.map((build) => drawBuild(scene, build, look)),
        scene.loose.map((card) => dressed(card, look)))),
    scene.stock ? h("div", { class: "stock", key: "stock", role: "img", "aria-label": t("stock.told", { n: scene.stock }) }, cardBack(), h("span", {}, t("stock", { n: scene.stock }))) : null);
}

/** How wide everything is, in cards, and the widest of it; style sheets choose the size of a card by it (table.css: .flow). @param {Scene} scene */
function widths({ builds, loose }) {
  const each = builds.map(({ sets }) => (isLong(sets) ? 1.15 : 0.75) + sets.reduce((sum, cards) => sum + (isLong(sets) ? 0.7 : 1.12) + 0.46 * (cards.length - 1), 0));
  const all = each.reduce((sum, wide) => sum + wide, 1.2 * loose.length);
  return `--n: ${Math.max(1, all).toFixed(2)}; --b: ${Math.max(1.2, ...each).toFixed(2)}`;
}

/** In a build of many sets these lie over each other. @param {string[][]} sets */
const isLong = (sets) => sets.length > 5;

/** A card that can be chosen, if it is lit. @param {string} card @param {Look} look */
function dressed(card, look) {
  return cardButton(card, { class: marks(card, look), "aria-pressed": look.chosen?.has(card) ?? false });
}

/** @param {string} token @param {Look} look @param {string[]} [cards] that it is made of */
function marks(token, look, cards = [token]) {
  const by = cards.map((card) => look.news?.cards[card]).find((seat) => seat !== undefined);
  return [look.lit?.has(token) && "lit", look.chosen?.has(token) && "chosen", look.gold?.has(token) && "gold", by !== undefined && `fresh by-${by}`].filter(Boolean).join(" ");
}

/** @param {Scene} scene @param {Build} build @param {Look} look */
export function drawBuild(scene, build, look) {
  const owner = scene.seats[build.owner], name = plain(owner.name), sets = build.sets.map((cards) => cards.map(cardName).join(" + ")).join("; ");
  return h("button", {
    class: `build of-${build.owner} ${isLong(build.sets) ? "long" : ""} ${marks(build.token, look, [build.token, ...build.sets.flat()])}`, type: "button", "data-token": build.token,
    "aria-pressed": look.chosen?.has(build.token) ?? false, "aria-label": t("build.told", { value: build.value, name, sets }),
  }, h("span", { class: "value" }, build.value),
  build.sets.map((cards) => h("span", { class: "set" }, cards.map((card) => cardFace(card)))),
  h("span", { class: "owner" }, name));
}

// --- places of those who play ----------------------------------------------------------------------------------------

/** @param {Scene} scene @param {Seat} seat @param {Look} look */
function place(scene, seat, look) {
  const open = seat.hand.length > 0;
  return h("div", { class: `seat ${seat.decides ? "decides" : ""} ${open ? "open" : ""}`, key: `seat-${seat.number}`, "data-seat": seat.number },
    label(scene, seat),
    h("div", { class: "fan", key: "fan" }, seat.hand.map((card) => cardFace(card)), Array.from({ length: seat.hidden }, cardBack)),
    pile(scene, seat, look));
}

/** @param {Scene} scene @param {Seat} seat @param {Look} look */
function own(scene, seat, look) {
  const count = seat.hand.length + seat.hidden;
  return h("div", { class: `own ${seat.decides ? "decides" : ""}`, key: "own", "data-seat": seat.number },
    label(scene, seat),
    h("div", { class: "held", key: "held" },
      h("div", { class: `hand ${count > 8 ? "many" : ""}`, key: "hand", role: "group", "aria-label": t("hand"), style: `--n: ${count}; --rows: ${count > 10 ? Math.ceil(count / 2) : count}` },
        seat.hand.map((card) => dressed(card, look)), Array.from({ length: seat.hidden }, cardBack)),
      pile(scene, seat, look)));
}

/** @param {Scene} scene @param {Seat} seat */
function label(scene, seat) {
  const partner = seat.partner === null ? null : scene.seats[seat.partner];
  const shared = partner && scene.seats[seat.number].pile.at === partner.pile.at;
  return h("div", { class: "label", key: "label" }, h("span", { class: `dot of-${seat.number}` }), h("strong", {}, plain(seat.name)),
    partner && h("span", { class: "with" }, t(shared ? "with.one.pile" : "with", { name: plain(partner.name), you: `${partner.you}` })),
    seat.note && h("button", { class: "note", type: "button", key: "note", title: plain(seat.note), "aria-label": plain(seat.note), onclick: () => toast(`${plain(seat.name)}: ${plain(seat.note ?? seat.name)}`) }, t("note")),
    h("span", { class: "counts" }, h("span", { class: "number" }, t("cards", { n: seat.hand.length + seat.hidden })), h("span", {}, t("points", { n: seat.points }))));
}

/** Partners may share one pile: the other's place says where it lies. @param {Scene} scene @param {Seat} seat @param {Look} look */
function pile(scene, seat, look) {
  const { pile: lies, number } = seat;
  if (lies.at !== number) {
    const home = scene.seats[lies.at];
    return h("div", { class: "pile shared", key: "pile" }, t("pile.shared", { name: plain(home.name), you: `${home.you}` }));
  }
  const top = lies.count === 0 ? h("span", { class: "card empty" }) : lies.top ? dressed(lies.top, look) : cardBack();
  if (lies.top) top.setAttribute("aria-label", t("pile.top", { card: cardName(lies.top), name: plain(seat.name), you: `${seat.you}` }));
  const told = t("pile.count", { n: lies.count });
  const count = lies.cards.length
    ? h("button", { class: "count", type: "button", key: "count", "aria-label": t("pile.look", { n: lies.count, name: plain(seat.name), you: `${seat.you}` }), title: t("pile.through"), onclick: () => lookThrough(seat) }, lies.count)
    : h("span", { class: "count", key: "count", role: "img", "aria-label": told, title: told }, lies.count);
  return h("div", { class: "pile", key: "pile", "data-pile": number }, top, count);
}
