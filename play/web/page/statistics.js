// What one's own finished games came to, by game and opponents: kept in this browser alone.

import { element } from "./cards.js";
import { sheet } from "./sheet.js";

const KEY = "casino-results";
const MOST = 2000; // games that are kept

const kept = () => JSON.parse(localStorage.getItem(KEY) ?? "[]");

// A game that is over, once. Matches count as one game each.
export function count(state) {
  const rows = kept();
  if (rows.some(({ id }) => id === state.id)) return;
  const { person, seats, result, variant, match } = state;
  const totals = match ? state.match_score : result.scores;
  const others = result.sides.filter((side) => !side.includes(person)).map(([seat]) => totals[seat]);
  const row = { id: state.id, variant, match, against: seats.filter((_, seat) => seat !== person).sort(), won: result.winners.includes(person), own: totals[person], best: Math.max(...others) };
  localStorage.setItem(KEY, JSON.stringify([row, ...rows].slice(0, MOST)));
}

// One line for each game with the same opponents, those played most first.
function summed(rows) {
  const groups = new Map();
  for (const row of rows) {
    const key = JSON.stringify([row.variant, row.match, row.against]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

const mean = (numbers) => (numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toFixed(1);

// title(variant), nameOf(spec): what games and opponents are called.
export function showStatistics({ title, nameOf }) {
  const line = (rows) => {
    const [{ variant, match, against }] = rows, names = against.map(nameOf);
    const who = [...new Set(names)].map((name) => { const often = names.filter((other) => other === name).length; return often > 1 ? `${often} × ${name}` : name; }).join(", ");
    const cells = [rows.length, rows.filter(({ won }) => won).length, mean(rows.map(({ own }) => own)), mean(rows.map(({ best }) => best))];
    return element("tr", {}, element("th", { scope: "row" }, `${title(variant)}${match ? ", match" : ""}`, element("br"), element("span", { class: "of" }, `against ${who}`)), ...cells.map((cell) => element("td", {}, `${cell}`)));
  };
  const groups = summed(kept());
  const head = ["Game", "Played", "Won", "Your points", "Best other"].map((words) => element("th", { scope: "col" }, words));
  const table = element("table", { id: "statistics" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...groups.map(line)));
  const body = groups.length ? [element("p", { class: "about" }, "Games that were played to their end on this page; points are means a game."), table] : [element("p", {}, "Nothing yet: play a game to its end.")];
  sheet("Statistics", body, groups.length ? { Clear: (event) => clear(event, { title, nameOf }) } : {});
}

// The first click asks, the second clears.
function clear(event, names) {
  event.preventDefault();
  if (event.target.dataset.sure) {
    localStorage.removeItem(KEY);
    showStatistics(names);
  } else {
    event.target.dataset.sure = "yes";
    event.target.textContent = "Clear for good";
  }
}
