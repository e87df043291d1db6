// What has happened, turn by turn, in words.

import { element, notation, spoken } from "./cards.js";

// The turns of a game; a deal that ends has a line of its own.
export function turnLines(events) {
  const lines = [];
  for (const event of events) {
    const last = lines.at(-1);
    if (last && last.turn === event.turn && last.deal === event.deal && last.seat === event.seat) last.texts.push(event.text);
    else lines.push({ seat: event.seat, turn: event.turn, deal: event.deal, texts: [event.text] });
    if (event.ended) lines.push({ ended: event.ended });
  }
  return lines.filter((line) => line.ended || line.texts.some(Boolean));
}

const told = (line) => line.texts.filter(Boolean).join(", then ");

export const turnWords = (line, names) => [element("strong", {}, `${names[line.seat]} `), notation(told(line))];

export const turnSpoken = (line, names) => `${names[line.seat]} ${spoken(told(line))}`;

export function drawMoves(list, events, names) {
  list.replaceChildren(...turnLines(events).map((line) => {
    if (line.ended) return element("li", { class: "deal" }, ...leftNote(line.ended, names), `End of the deal: ${line.ended.sides.map((seats) => `${sideName(seats, names)} ${line.ended.scores[seats[0]]}`).join(", ")}`);
    return element("li", { class: `by-${line.seat}` }, ...turnWords(line, names));
  }));
  list.scrollTop = list.scrollHeight;
}

export const sideName = (seats, names) => seats.map((seat) => names[seat]).join(" & ");

// The last turn of everybody else since the person's own, and the cards that were in it.
export function latest(events, person) {
  const since = [];
  for (let k = events.length - 1; k >= 0 && events[k].seat !== person && !(events[k].ended && since.length); k--) since.unshift(events[k]);
  const cards = new Map();
  for (const event of since) for (const name of event.cards) cards.set(name, event.seat);
  return { lines: turnLines(since).filter((line) => !line.ended), cards };
}

// Who got what was left, told under the table of a deal that has just ended.
export function leftNote({ left }, names) {
  if (!left) return [];
  const gets = names[left.seat] === "You" ? "You get" : `${names[left.seat]} gets`;
  return [element("p", {}, `${gets} what was left on the table, by capturing last: `, notation(left.cards.join(" ")))];
}
