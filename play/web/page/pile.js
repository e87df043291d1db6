// The cards of a pile that lies face up, from the top down.

import { cardFace } from "./cards.js";
import { h } from "./dom.js";
import { sheet } from "./sheet.js";
import { cardName, plain, t } from "./text.js";

/** @import { Seat } from "./table/shapes.js" */

/** @param {Seat} seat */
export function lookThrough({ pile, name, you }) {
  const faces = pile.cards.map((card) => cardFace(card, pile.unsure.includes(card) ? "unsure" : ""));
  sheet(t("pile.title", { name: plain(name), you: `${you}` }), [
    h("p", {}, t(pile.unsure.length ? "pile.unsure" : "pile.order")),
    h("div", { class: "through", role: "img", "aria-label": pile.cards.map(cardName).join(", ") }, faces)]);
}
