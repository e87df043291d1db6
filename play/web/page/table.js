// Draw a scene: the other seats, the table, and the person's seat.

import { cardBack, cardButton, cardFace } from "./cards.js";
import { draw, h, symbol } from "./dom.js";
import { toast, sheet } from "./sheet.js";
import { cardName, plain, said, t } from "./text.js";

/** @import { Build, News, Scene, Seat } from "./table/shapes.js" */

/** How to draw a scene.
 * @typedef {object} Look
 * @property {number} bottom the seat at the bottom
 * @property {Set<string>} [lit] tokens that can be chosen
 * @property {Set<string>} [chosen]
 * @property {Set<string>} [gold] tokens that a hint highlights
 * @property {News | null} [news]
 */

/** @param {Element} root @param {Scene} scene @param {Look} look */
export function drawTable(root, scene, look) {
  const count = scene.seats.length;
  const others = Array.from({ length: count - 1 }, (_, k) => scene.seats[(look.bottom + k + 1) % count]);
  draw(root,
    h("div", { class: "others", key: "others", "data-seats": count - 1 },
      others.map((seat) => place(scene, seat, look))),
    felt(scene, look),
    own(scene, scene.seats[look.bottom], look));
}

// --- the felt --------------------------------------------------------------------------------------------------------

/** @param {Scene} scene @param {Look} look */
function felt(scene, look) {
  return h("div", { class: `felt ${scene.builds.length ? "builds" : ""}`, key: "felt" },
    newsList(look.news),
    h("div", { class: "laid", key: "laid" },
      h("div", { class: "flow", key: "flow", role: "group", "aria-label": t("table"), style: widths(scene) },
        scene.builds.map((build) => drawBuild(scene, build, look)),
        scene.loose.map((card) => dressed(card, look)))),
    scene.stock > 0
      && h("div", { class: "stock", key: "stock", role: "img", "aria-label": t("stock.told", { n: scene.stock }) },
      cardBack(), h("span", {}, t("stock", { n: scene.stock }))));
}

/** The others' last moves: on the felt, or on a phone in the bar of moves (table.css). @param {News | null} [news] */
export function newsList(news) {
  const lines = (news?.lines ?? []).filter(({ ended }) => !ended);
  return h("ul", { class: "news", key: "news", tabindex: lines.length ? 0 : null, "aria-label": t("news") },
    lines.map(({ seat, words }) => h("li", { class: `by-${seat}` }, said(words))));
}

/** The widths of all cards and builds together and of the widest one, in cards; from these, style sheets choose the
 * size of a card (table.css: .flow). @param {Scene} scene */
function widths({ builds, loose }) {
  const each = builds.map(({ sets }) => {
    const [around, set] = isLong(sets) ? [1.15, 0.7] : [0.75, 1.12];
    return sets.reduce((sum, cards) => sum + set + 0.46 * (cards.length - 1), around);
  });
  const all = each.reduce((sum, wide) => sum + wide, 1.2 * loose.length);
  return `--n: ${Math.max(1, all).toFixed(2)}; --b: ${Math.max(1.2, ...each).toFixed(2)}`;
}

/** Whether a build has so many sets that they overlap. @param {string[][]} sets */
const isLong = (sets) => sets.length > 5;

/** A card that can be chosen, if it is lit. @param {string} card @param {Look} look */
function dressed(card, look) {
  return cardButton(card, { class: marks(card, look), "aria-pressed": look.chosen?.has(card) ?? false });
}

/** @param {string} token @param {Look} look @param {string[]} [cards] of the token */
function marks(token, look, cards = [token]) {
  const by = cards.map((card) => look.news?.cards[card]).find((seat) => seat !== undefined);
  const is = (/** @type {"lit" | "chosen" | "gold"} */ mark) => (look[mark]?.has(token) ? mark : "");
  return `${is("lit")} ${is("chosen")} ${is("gold")} ${by === undefined ? "" : `fresh by-${by}`}`;
}

/** @param {Scene} scene @param {Build} build @param {Look} look */
export function drawBuild(scene, build, look) {
  const owner = scene.seats[build.owner], name = plain(owner.name),
    sets = build.sets.map((cards) => cards.map(cardName).join(" + ")).join("; ");
  return h("button", {
    class: `build of-${build.owner} ${isLong(build.sets) ? "long" : ""} ${marks(build.token, look, [build.token, ...build.sets.flat()])}`,
    type: "button", "data-token": build.token, "aria-pressed": look.chosen?.has(build.token) ?? false,
  }, h("span", { class: "unseen" }, t("build.told", { value: build.value, name, sets })),
  h("span", { class: "value", "aria-hidden": "true" }, build.value),
  build.sets.map((cards) => h("span", { class: "set" }, cards.map((card) => cardFace(card)))),
  h("span", { class: "owner", "aria-hidden": "true" }, name));
}

// --- seats -----------------------------------------------------------------------------------------------------------

/** @param {Scene} scene @param {Seat} seat @param {Look} look */
function place(scene, seat, look) {
  const open = seat.hand.length > 0;
  return h("div", { class: `seat ${seat.decides ? "decides" : ""} ${open ? "open" : ""}`, key: `seat-${seat.number}`,
    "data-seat": seat.number },
    label(scene, seat),
    h("div", { class: "fan", key: "fan" }, seat.hand.map((card) => cardFace(card)),
      Array.from({ length: seat.hidden }, cardBack)),
    pile(scene, seat, look));
}

/** @param {Scene} scene @param {Seat} seat @param {Look} look */
function own(scene, seat, look) {
  // in two rows on a phone
  const count = seat.hand.length + seat.hidden, row = count > 10 ? Math.ceil(count / 2) : count;
  const hand = { class: `hand ${count > 8 ? "many" : ""}`, key: "hand", role: "group", "aria-label": t("hand"),
    style: `--n: ${count}; --rows: ${row}` };
  return h("div", { class: `own ${seat.decides ? "decides" : ""}`, key: "own", "data-seat": seat.number },
    label(scene, seat),
    h("div", { class: "held", key: "held" },
      h("div", hand, seat.hand.map((card) => dressed(card, look)), Array.from({ length: seat.hidden }, cardBack)),
      pile(scene, seat, look)));
}

/** @param {Scene} scene @param {Seat} seat */
function label(scene, seat) {
  const partner = seat.partner === null ? null : scene.seats[seat.partner];
  const shared = partner && scene.seats[seat.number].pile.at === partner.pile.at;
  return h("div", { class: "label", key: "label" }, 
    seat.kind ? h("span", { class: `face of-${seat.number}` }, symbol(`face-${seat.number}`, ""))
      : h("span", { class: `dot of-${seat.number}` }),
    h("span", { class: "called" }, h("strong", {}, plain(seat.name)),
      seat.kind && h("span", { class: "kind" }, plain(seat.kind))),
    partner && h("span", { class: "with" },
      t(shared ? "with.one.pile" : "with", { name: plain(partner.name), you: `${partner.you}` })),
    seat.note && note(plain(seat.name), plain(seat.note)),
    h("span", { class: "counts" },
      h("span", { class: "number" }, t("cards", { n: seat.hand.length + seat.hidden })),
      h("span", {}, t("points", { n: seat.points }))));
}

/** A short note; a tap shows the whole text. @param {string} name @param {string} told */
const note = (name, told) =>
  h("button", { class: "note", type: "button", key: "note", title: told, "aria-label": told,
    onclick: () => toast(`${name}: ${told}`) }, t("note"));

/** A seat's pile; if partners share one, the other seat says where it is. @param {Scene} scene @param {Seat} seat
 * @param {Look} look */
function pile(scene, seat, look) {
  const { pile: lies, number } = seat;
  if (lies.at !== number) {
    const home = scene.seats[lies.at];
    return h("div", { class: "pile shared", key: "pile" },
      t("pile.shared", { name: plain(home.name), you: `${home.you}` }));
  }
  const top = lies.count === 0 ? h("span", { class: "card empty" }) : lies.top ? dressed(lies.top, look) : cardBack();
  if (lies.top) top.setAttribute("aria-label",
    t("pile.top", { card: cardName(lies.top), name: plain(seat.name), you: `${seat.you}` }));
  const told = t("pile.count", { n: lies.count });
  const count = lies.cards.length
    ? h("button", {
      class: "count", type: "button", key: "count", title: t("pile.through"), onclick: () => lookThrough(seat),
      "aria-label": t("pile.look", { n: lies.count, name: plain(seat.name), you: `${seat.you}` }),
    }, lies.count)
    : h("span", { class: "count", key: "count", role: "img", "aria-label": told, title: told }, lies.count);
  return h("div", { class: "pile", key: "pile", "data-pile": number }, top, count);
}

// --- looking through a pile ------------------------------------------------------------------------------------------

/** @param {Seat} seat */
export function lookThrough({ pile, name, you }) {
  const faces = pile.cards.map((card) => cardFace(card, pile.unsure.includes(card) ? "unsure" : ""));
  sheet(t("pile.title", { name: plain(name), you: `${you}` }), [
    h("p", {}, t(pile.unsure.length ? "pile.unsure" : "pile.order")),
    h("div", { class: "through", role: "img", "aria-label": pile.cards.map(cardName).join(", ") }, faces)]);
}
