// Draws a scene, and moves cards from where they were to where they are.

import { back, card, cardTitle, element, faceOf } from "./cards.js";
import { keepFocus } from "./keys.js";
import { lookThrough } from "./pile.js";

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

// scene: as the server sends it. look: {bottom, names, lit, chosen, gold, fresh, news} - the seat below, names by seat,
// sets of tokens, cards that somebody has just moved (and who), and lines of words.
export function drawTable(root, scene, look) {
  const count = scene.seats.length;
  const others = element("div", { class: `others seats-${count - 1}` });
  for (let k = 1; k < count; k++) others.append(seatPanel(scene, (look.bottom + k) % count, look));
  const felt = element("div", { class: "felt" },
    element("ul", { class: "news" }, ...(look.news ?? []).map((words) => element("li", {}, ...words))),
    element("div", { class: "builds" }, ...scene.builds.map((build) => drawBuild(build, look))),
    element("div", { class: "loose" }, ...scene.loose.map((name) => dress(card(name), look))),
    scene.stock ? element("div", { class: "stock", role: "img", "aria-label": `${counted(scene.stock, "card")} to be dealt` }, back(), element("span", {}, `${scene.stock} left`)) : null);
  root.replaceChildren(others, felt, ownPlace(scene, look), element("div", { class: "actions", id: "actions" }));
  fit(felt);
}

// Smaller cards where there are too many for the room.
function fit(felt) {
  for (const part of [0.88, 0.76, 0.66, 0.56, 0.48]) {
    if (felt.scrollHeight <= felt.clientHeight + 1) return;
    felt.style.setProperty("--part", part);
  }
}

function dress(made, look) {
  const token = made.dataset.token, chosen = look.chosen?.has(token) ?? false;
  made.classList.toggle("lit", look.lit?.has(token) ?? false);
  made.classList.toggle("chosen", chosen);
  made.classList.toggle("gold", look.gold?.has(token) ?? false);
  made.setAttribute("aria-pressed", chosen);
  return mark(made, look.fresh?.get(token));
}

// Somebody has just moved it.
function mark(made, seat) {
  if (seat !== undefined) made.classList.add("fresh", `by-${seat}`);
  return made;
}

export function drawBuild(build, look) {
  const sets = build.sets.map((cards) => element("span", { class: "set", "aria-hidden": "true" }, ...cards.map((name) => faceOf(card(name)))));
  const fresh = build.sets.flat().map((name) => look.fresh?.get(name)).find((seat) => seat !== undefined);
  const owner = look.names[build.owner], whose = owner === "You" ? "yours" : `of ${owner}`;
  const told = build.sets.map((cards) => cards.map(cardTitle).join(" and ")).join("; ");
  return mark(dress(element("button", { class: `build of-${build.owner}`, type: "button", "data-token": `b${build.value}` },
    element("span", { class: "unseen" }, `build of ${build.value}, ${whose}: ${told}`),
    element("span", { class: "value", "aria-hidden": "true" }, `${build.value}`), ...sets,
    element("span", { class: "owner", "aria-hidden": "true" }, owner)), look), fresh);
}

// Partners may share one pile: the other's place says where it lies.
function pile(scene, seat, look) {
  const home = pileOf(scene, seat.number);
  if (home !== seat.number) return element("div", { class: "pile shared" }, look.names[home] === "You" ? "shares your pile" : `shares the pile of ${look.names[home]}`);
  const top = seat.pile === 0 ? element("span", { class: "card empty" }) : seat.top ? dress(card(seat.top), look) : back();
  if (seat.top) top.setAttribute("aria-label", `${top.getAttribute("aria-label")}, top of the pile of ${look.names[seat.number]}`);
  return element("div", { class: "pile", "data-pile": seat.number },
    top, pileCount(seat, look));
}

// A pile that lies face up can be looked through.
function pileCount(seat, look) {
  const told = `${counted(seat.pile, "card")} captured`;
  if (!seat.cards.length) return element("span", { class: "count", role: "img", "aria-label": told, title: "captured cards" }, `${seat.pile}`);
  const owner = look.names[seat.number], whose = owner === "You" ? "your pile" : `the pile of ${owner}`;
  return element("button", { class: "count", type: "button", "data-key": `pile-${seat.number}`, "aria-label": `${told}: look through ${whose}`, title: "look through the pile",
    onclick: () => lookThrough(seat, owner) }, `${seat.pile}`);
}

function label(scene, seat, look) {
  const partner = seat.partner === null ? null : element("span", { class: "with" }, `with ${look.names[seat.partner].replace(/^You$/, "you")}${scene.shared ? ", one pile" : ""}`);
  const last = seat.captured_last ? element("span", { class: "last", title: "captured last: what is left at the end goes here" }, look.names[seat.number] === "You" ? "get the rest" : "gets the rest") : null;
  const held = seat.hand.length + seat.hidden;
  return element("div", { class: "label" }, element("span", { class: `dot of-${seat.number}` }),
    element("strong", {}, look.names[seat.number]), partner, last,
    element("span", { class: "points" }, element("span", { class: "number" }, counted(held, "card")), ` · ${counted(seat.points, "point")}`));
}

function seatPanel(scene, number, look) {
  const seat = scene.seats[number], open = seat.hand.length > 0 && !seat.hidden;
  const hand = [...seat.hand.map((name) => faceOf(card(name))), ...Array.from({ length: seat.hidden }, back)];
  return element("div", { class: `seat ${seat.decides ? "decides" : ""} ${open ? "open" : ""}`, "data-seat": number },
    label(scene, seat, look),
    element("div", { class: "held" }, element("div", { class: "fan" }, ...hand), pile(scene, seat, look)));
}

function ownPlace(scene, look) {
  const seat = scene.seats[look.bottom];
  const hand = [...seat.hand.map((name) => dress(card(name), look)), ...Array.from({ length: seat.hidden }, back)];
  return element("div", { class: `own ${seat.decides ? "decides" : ""}`, "data-seat": seat.number },
    label(scene, seat, look),
    element("div", { class: "held" },
      element("div", { class: `hand ${hand.length > 8 ? "many" : ""}`, role: "group", "aria-label": "your hand", style: `--n: ${hand.length}` }, ...hand), pile(scene, seat, look)));
}

// --- motion ----------------------------------------------------------------------------------------------------------

const nameOf = (made) => made.dataset.token ?? made.dataset.card;
const buildOf = (made) => made.parentElement.closest(".build")?.dataset.token;
const movable = (root) => root.querySelectorAll(".build, .card[data-token], .card[data-card]");

// Cards and builds by name, each with its box and the build that it is in.
function places(root) {
  return new Map([...movable(root)].map((made) => [nameOf(made), { box: made.getBoundingClientRect(), build: buildOf(made) }]));
}

// Draws the new scene, with cards gliding to it. event: what has happened (seat, played), ms: how long it may take.
export async function glide(root, scene, look, event, ms) {
  const before = places(root);
  const from = root.querySelector(`[data-seat="${event.seat}"]`)?.getBoundingClientRect();
  keepFocus(root, () => drawTable(root, scene, look));
  if (still() || ms === 0 || !from) return;
  const after = places(root);
  const towards = root.querySelector(`[data-pile="${pileOf(scene, event.seat)}"]`)?.getBoundingClientRect();
  const motions = [];
  for (const made of movable(root)) {
    const name = nameOf(made), was = before.get(name), is = after.get(name);
    if (was?.build && was.build === is.build) continue; // it moves with its build
    const start = was?.box ?? (event.played.includes(name) ? from : null);
    if (start) motions.push(slide(made, start, is.box, ms));
  }
  const gone = [...before.keys()].filter((name) => !after.has(name) && !name.startsWith("b"));
  const shown = event.played.filter((name) => !after.has(name) && !before.has(name));
  for (const name of [...gone, ...shown]) {
    motions.push(flyAway(name, before.get(name)?.box ?? from, towards ?? from, ms, shown.includes(name) && root));
  }
  root.classList.add("moving");
  await Promise.all(motions);
  root.classList.remove("moving");
}

// Partners may share one pile, which lies at the first of the two.
function pileOf(scene, seat) {
  return scene.shared ? Math.min(seat, scene.seats[seat].partner) : seat;
}

function slide(made, start, end, ms) {
  const dx = start.left - end.left, dy = start.top - end.top;
  if (Math.abs(dx) + Math.abs(dy) < 2) return Promise.resolve();
  const scale = made.classList.contains("build") ? 1 : Math.min(1.2, Math.max(0.4, start.width > 120 ? 0.6 : start.width / end.width));
  return made.animate(
    [{ transform: `translate(${dx}px, ${dy}px) scale(${scale})`, zIndex: 5 }, { transform: "none", zIndex: 5 }],
    { duration: ms, easing: "ease-in-out" },
  ).finished.catch(() => {});
}

// A card that ends in a pile; one from a hidden hand is shown in the middle first.
function flyAway(name, start, end, ms, middleOf) {
  const ghost = faceOf(card(name));
  ghost.classList.add("ghost");
  document.body.append(ghost);
  const size = ghost.getBoundingClientRect();
  const at = (box) => `translate(${box.left + box.width / 2 - size.width / 2}px, ${box.top + box.height / 2 - size.height / 2}px)`;
  const steps = [{ transform: at(start) }];
  if (middleOf) {
    const middle = middleOf.querySelector(".felt").getBoundingClientRect();
    steps.push({ transform: at(middle), offset: 0.3 }, { transform: at(middle), offset: 0.7 });
  } else {
    steps.push({ transform: at(start), offset: 0.5 });
  }
  steps.push({ transform: at(end), opacity: 0.6 });
  const motion = ghost.animate(steps, { duration: ms * 1.4, easing: "ease-in-out", fill: "forwards" });
  return motion.finished.catch(() => {}).finally(() => ghost.remove());
}
