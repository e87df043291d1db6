// What an agent would do, and how sure it is.

import { element, notation } from "./cards.js";

const MOST_ROWS = 6;
const ADVISER = "casino-adviser";

// hint: as the server sends it with the name of the agent, or null; played: what was done instead, in a replay.
export function drawHint(box, hint, played = "") {
  box.hidden = !hint;
  if (!hint) return;
  const rows = Object.entries(hint.likely).sort((a, b) => b[1] - a[1]).slice(0, MOST_ROWS).filter(([, share]) => share >= 0.005);
  const value = hint.value === null ? null : element("p", { class: "value" }, `${hint.name} expects to end ${ahead(hint.value)}.`);
  box.replaceChildren(
    ...(played ? [element("p", {}, element("strong", {}, "Played: "), notation(played))] : []),
    element("p", {}, element("strong", {}, `${hint.name} would: `), notation(hint.turn)), ...(value ? [value] : []),
    ...rows.map(([action, share]) => element("div", { class: "row" }, notation(hint.words[action]), element("span", {}, `${Math.round(100 * share)} %`),
      element("span", { class: "bar", style: `width: ${Math.round(100 * share)}%` }))));
}

// Whose hints are asked for; "" is the server's choice. agents: {spec: name} of those that know the game.
export function offerAdvisers(select, agents, usual) {
  const option = (value, words) => element("option", { value }, words);
  select.replaceChildren(option("", usual), ...Object.entries(agents).map(([spec, name]) => option(spec, name)));
  const wanted = localStorage.getItem(ADVISER) ?? "";
  select.value = wanted in agents ? wanted : "";
  select.onchange = () => localStorage.setItem(ADVISER, select.value);
}

const ahead = (value) => `${points(Math.abs(value))} ${value < 0 ? "behind" : "ahead of"} the others`;

export const points = (value) => `${value.toFixed(1)} point${value.toFixed(1) === "1.0" ? "" : "s"}`;
