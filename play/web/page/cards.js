// Cards as elements.

import { h, symbol } from "./dom.js";
import { here } from "./places.js";
import { settings } from "./settings.js";
import { cardName, inkOf } from "./text.js";

/** @param {string} card */
const rankOf = (card) => (card[0] === "T" ? "10" : card[0]);

/** @param {string} card */
const courtOf = (card) =>
  here(`courts/${card}.svg${settings.fourColours && "DC".includes(card[1]) ? "#four" : ""}`).href;

/** What is printed on a card. @param {string} card */
function face(card) {
  const suit = `suit-${card[1]}`;
  return [
    h("span", { class: "corner" }, rankOf(card), symbol(suit, "suit")),
    "JQK".includes(card[0]) ? h("img", { class: "court", src: courtOf(card), alt: "", draggable: "false" })
      : symbol(suit, "suit large")];
}

/** One that can be chosen. @param {string} card @param {{ [name: string]: any }} [more] */
export function cardButton(card, more = {}) {
  const { class: kind = "", ...rest } = more;
  return h("button", { class: `card ${inkOf(card)} ${kind}`, type: "button", "data-token": card,
    "aria-label": cardName(card), ...rest }, face(card));
}

/** One that is looked at only: inside a build, in somebody else's open hand, in a picture. @param {string} card
 * @param {string} [kind] */
export const cardFace = (card, kind = "") =>
  h("span", { class: `card ${inkOf(card)} ${kind}`, "data-card": card, key: `face-${card}`, "aria-hidden": "true" },
    face(card));

export const cardBack = () => h("span", { class: "card back", "aria-hidden": "true" });

/** Cards in a row, told as one picture. @param {string[]} cards @param {string} [kind] */
export const cardRow = (cards, kind = "strip") =>
  h("span", { class: kind, role: "img", "aria-label": cards.map(cardName).join(", ") },
    cards.map((card) => cardFace(card)));
