// What a deal came to, as a table of sides.

import { element } from "./cards.js";
import { sideName } from "./log.js";

const WORDS = {
  cards: "Most cards", spades: "Most spades", "five spades": "Five spades or more", "big ten": "Big ten", "little two": "Little two (2♠)",
  "jack of spades": "Jack of spades", "other spades": "Other spades", sweeps: "Sweeps",
};
const inWords = (name) => WORDS[name] ?? name.replace(/^./, (first) => first.toUpperCase());

export function resultTable(result, names) {
  const { breakdown, counts, scores, sides } = result;
  const cells = (row, extra) => sides.map(([seat]) => element("td", {}, `${row[seat]}`, extra ? element("span", { class: "of" }, ` (${extra[seat]})`) : null));
  const row = (name, row, kind = "", extra = null) => element("tr", { class: kind }, element("th", { scope: "row" }, name), ...cells(row, extra));
  const plain = Object.keys(counts).filter((name) => !(name in breakdown));
  return element("table", { class: "result" },
    element("thead", {}, element("tr", {}, element("td", {}), ...sides.map((seats) => element("th", { scope: "col" }, sideName(seats, names))))),
    element("tbody", {},
      ...Object.entries(breakdown).map(([name, points]) => row(inWords(name), points, "", counts[name])),
      ...plain.map((name) => row(`Captured ${name}`, counts[name])),
      row("Points", scores, "sum")));
}

export function verdict(result, names) {
  const winners = result.winners.map((seat) => names[seat]);
  if (!winners.length) return "A tie";
  const others = winners.filter((name) => name !== "You");
  if (others.length < winners.length) return others.length ? `You win with ${others.join(" and ")}` : "You win";
  return `${winners.join(" and ")} win${winners.length > 1 ? "" : "s"}`;
}
