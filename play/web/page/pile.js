// The cards of a pile that lies face up, from the top down.

import { card, cardTitle, element, faceOf } from "./cards.js";
import { sheet } from "./sheet.js";

// seat: as in a scene; owner: what it is called.
export function lookThrough(seat, owner) {
  const told = seat.cards.map(cardTitle).join(", ");
  const faces = seat.cards.map((name) => faceOf(card(name)));
  faces.forEach((face, k) => face.classList.toggle("unsure", seat.unsure.includes(seat.cards[k])));
  const note = seat.unsure.length ? ". The order of those with a dashed edge is not known" : "";
  sheet(owner === "You" ? "Your pile" : `The pile of ${owner}`, [
    element("p", {}, `From the top down${note}.`),
    element("div", { class: "through", role: "img", "aria-label": told }, ...faces)]);
}
