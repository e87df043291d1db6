// Cards as elements.

import { drawn, h, symbol } from "./dom.js";
import { here } from "./places.js";
import { settings } from "./settings.js";
import { cardName, inkOf } from "./text.js";

/** @param {string} card */
const rankOf = (card) => (card[0] === "T" ? "10" : card[0]);

/** @param {string} card */
const courtOf = (card) =>
  here(`courts/${card}.svg${settings.fourColours && "DC".includes(card[1]) ? "#four" : ""}`).href;

// Pips by rank: the number in each outer column, and the heights of those in the middle column.
/** @type {{ [rank: string]: [number, number[]] }} */
const PIPS = { A: [0, [70]], 2: [0, [28, 112]], 3: [0, [28, 70, 112]], 4: [2, []], 5: [2, [70]], 6: [3, []],
  7: [3, [49]], 8: [3, [49, 91]], 9: [4, [70]], T: [4, [42, 98]] };

/** Draw the pips of a number card; those in the lower half are upside down. @param {string} card */
function pips([rank, suit]) {
  const [rows, middle] = PIPS[rank], size = rank === "A" ? 46 : 17;
  const outer = Array.from({ length: rows }, (_, at) => 28 + 84 * at / (rows - 1));
  const places = [...outer.flatMap((y) => [[35, y], [65, y]]), ...middle.map((y) => [50, y])];
  return drawn("svg", { class: "pips", viewBox: "0 0 100 140", "aria-hidden": "true" }, places.map(([x, y]) =>
    drawn("use", { href: `#suit-${suit}`, x: x - size / 2, y: y - size / 2, width: size, height: size,
      ...y > 70 && { transform: `rotate(180 ${x} ${y})` } })));
}

/** The picture of a court card, loaded when it is shown. @param {string} card */
const figure = (card) =>
  h("img", { class: "court", src: courtOf(card), alt: "", loading: "lazy", draggable: "false" });

/** The face of a card: large cards show pips or a figure, small ones the suit (table.css). @param {string} card */
function face(card) {
  const suit = `suit-${card[1]}`, corner = (/** @type {string} */ kind, /** @type {string} */ text) =>
    h("span", { class: `corner ${kind} ${card[0] === "T" ? "ten" : ""}`, "data-rank": rankOf(card) }, text,
      symbol(suit, "suit"));
  // the lower rank is not text, so that screen readers say the card once
  return [corner("", rankOf(card)), symbol(suit, "suit large"), corner("lower", ""),
    "JQK".includes(card[0]) ? figure(card) : pips(card)];
}

/** A card that can be chosen. @param {string} card @param {{ [name: string]: any }} [more] attributes */
export function cardButton(card, more = {}) {
  const { class: kind = "", ...rest } = more;
  return h("button", { class: `card ${inkOf(card)} ${kind}`, type: "button", "data-token": card,
    "aria-label": cardName(card), ...rest }, face(card));
}

/** A card that is only displayed: in a build, in another player's open hand, in a picture. @param {string} card
 * @param {string} [kind] */
export const cardFace = (card, kind = "") =>
  h("span", { class: `card ${inkOf(card)} ${kind}`, "data-card": card, key: `face-${card}`, "aria-hidden": "true" },
    face(card));

export const cardBack = () => h("span", { class: "card back", "aria-hidden": "true" });
