// What an agent would do, and how sure it is.

import { element, notation } from "./cards.js";

const MOST_ROWS = 6;

// hint: as the server sends it, or null; state: with the moves, for better words (none in a replay).
export function drawHint(box, hint, state) {
  box.hidden = !hint;
  if (!hint) return;
  const rows = Object.entries(hint.likely).sort((a, b) => b[1] - a[1]).slice(0, MOST_ROWS).filter(([, share]) => share >= 0.005);
  const value = hint.value === null ? null : element("p", { class: "value" }, `${hint.agent ?? "The agent"} expects ${signed(hint.value)} points against the others.`);
  box.replaceChildren(
    element("strong", {}, "Hint: "), notation(hint.turn || "end the turn"), ...(value ? [value] : []),
    ...rows.map(([action, share]) => element("div", { class: "row" }, inWords(action, state), element("span", {}, `${Math.round(100 * share)} %`),
      element("span", { class: "bar", style: `width: ${Math.round(100 * share)}%` }))));
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;

// An action that only one move begins with is told by that move.
function inWords(action, state) {
  const moves = state?.moves.filter((move) => move.actions[0] === action) ?? [];
  return notation(moves.length === 1 ? moves[0].text : action);
}
