// The place where a move is chosen: what is asked, what the chosen cards can become, and the tools. Its size is fixed.

import { element, notation } from "./cards.js";

export const PLAIN = ["end", "yes", "no", "count out"]; // moves without cards
const FEW = 4; // so many moves are offered before a card is chosen
const MOST = 24;

export const tokens = (move) => [...move.cards, ...move.builds.map((value) => `b${value}`)];

// Moves that the chosen cards may still become: what they are exactly, then as the server has them, largest first.
export function candidates(moves, chosen) {
  const fits = moves.filter((move) => !PLAIN.includes(move.do) && [...chosen].every((token) => tokens(move).includes(token)));
  const exact = (move) => chosen.size > 1 && tokens(move).length === chosen.size;
  return [...fits.filter(exact), ...fits.filter((move) => !exact(move))];
}

// view: a GameView, which knows the state and does what is clicked.
export function drawOptions(bar, view) {
  const { state } = view;
  const list = view.chosen.size || state.moves.length <= FEW ? candidates(state.moves, view.chosen) : [];
  const buttons = list.slice(0, MOST).map((move, k) => button(view, move, k === 0 && (move.do !== "discard" || list.length === 1), k));
  if (list.length > MOST) buttons.push(element("span", { class: "more" }, `and ${list.length - MOST} more: choose further cards`));
  const golden = list.length === 0 || view.chosen.size === 0;
  const plain = state.moves.filter((move) => PLAIN.includes(move.do)).map((move) => button(view, move, golden && ["end", "yes"].includes(move.do)));
  bar.replaceChildren(
    element("p", { class: `say ${view.reason ? "reason" : ""}`, role: "status" }, notation(view.reason || says(view))),
    element("div", { class: "options", role: "group", "aria-label": "What the chosen cards can do" }, ...buttons, ...wishes(view, list)),
    element("div", { class: "plain" }, ...plain, ...tools(view)));
}

function button(view, move, golden, number = -1) {
  const show = () => view.preview(tokens(move)), hide = () => view.preview([]);
  return element("button", {
    class: golden ? "main" : "", "data-do": move.do, "data-key": move.actions.join(";"), disabled: view.busy,
    "aria-keyshortcuts": number >= 0 && number < 9 ? `${number + 1}` : null,
    onclick: () => view.play(move), onpointerenter: show, onpointerleave: hide, onfocus: show, onblur: hide,
  }, notation(move.text));
}

// A card of the hand that may not be discarded: the rule is a click away.
function wishes(view, list) {
  const [only] = view.chosen;
  const mine = view.chosen.size === 1 && view.hand().includes(only) && !list.some((move) => move.do === "discard");
  return mine ? [element("button", { class: "quiet", "data-key": "why", onclick: () => view.askWhy([only], "discard") }, "Why no discard?")] : [];
}

function tools(view) {
  const { state } = view;
  const tool = (id, words, run) => element("button", { id, "data-key": id, disabled: view.busy, onclick: run }, words);
  if (state.over) return view.afterwards().map(([id, words, run]) => tool(id, words, run));
  return [
    state.undo ? tool("undo", "Undo", () => view.undo()) : null,
    state.mine && !state.moves.some((move) => PLAIN.includes(move.do)) && view.begun() ? tool("why-end", "Why not end?", () => view.askWhy([], "end")) : null,
    state.mine ? tool("ask-hint", "Hint", () => view.askHint()) : null,
  ];
}

function says({ state, chosen, names, events }) {
  if (state.over) return "The game is over.";
  if (!state.mine) return `${names[state.scene.seats.find((seat) => seat.decides).number]} is thinking …`;
  if (state.question) return state.question;
  if (state.moves.length === 1 && state.moves[0].do === "end") return state.undo ? "Your card is played." : "Your card is played. It cannot be taken back: you have seen something new.";
  if (chosen.size) return "Choose what it becomes, or further cards.";
  return events.some(({ seat }) => seat === state.person) ? "Your turn: choose a card." : "Your turn: choose a card, and what it can do is offered here. What counts is told under Rules.";
}
