// A sheet over the page: a heading, elements, and buttons by name.

import { element } from "./cards.js";

const $ = (id) => document.getElementById(id);

// Resolves when it is closed.
export function sheet(title, body, buttons = {}, close = "Close") {
  $("sheet-body").replaceChildren(element("h2", { id: "sheet-title" }, title), ...body);
  const others = Object.entries(buttons).map(([name, run]) => element("button", { onclick: run }, name));
  $("sheet-buttons").replaceChildren(...others, element("button", { class: "main", autofocus: true }, close));
  if (!$("sheet").open) $("sheet").showModal();
  $("sheet").scrollTop = 0; // not down at the button that has the focus
  return new Promise((done) => $("sheet").addEventListener("close", done, { once: true }));
}

export const ruleList = (sections) => sections.flatMap(([title, lines]) => [
  element("h3", {}, title), element("ul", {}, ...lines.map((line) => element("li", {}, line)))]);
