// Draws a scene, and moves cards from where they were to where they are.

import { back, card, element } from "./cards.js";

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// scene: as the server sends it. look: {bottom, names, lit, chosen, gold, banner} - the seat below, names by seat,
// sets of tokens, and a line of words.
export function drawTable(root, scene, look) {
  const count = scene.seats.length;
  const others = element("div", { class: "others" });
  for (let k = 1; k < count; k++) others.append(seatPanel(scene, (look.bottom + k) % count, look));
  const felt = element("div", { class: "felt" },
    look.banner ? element("p", { class: "banner" }, ...look.banner) : null,
    element("div", { class: "builds" }, ...scene.builds.map((build) => drawBuild(build, look))),
    element("div", { class: "loose" }, ...scene.loose.map((name) => dress(card(name), look))),
    scene.stock ? element("div", { class: "stock" }, back(), element("span", {}, `${scene.stock}`)) : null);
  root.replaceChildren(others, felt, ownPlace(scene.seats[look.bottom], look));
  fit(felt);
}

// Smaller cards where there are too many for the room.
function fit(felt) {
  for (const width of [60, 52, 45, 38]) {
    if (felt.scrollHeight <= felt.clientHeight + 1) return;
    felt.style.setProperty("--w", `${width}px`);
  }
}

function dress(made, look) {
  const token = made.dataset.token;
  made.classList.toggle("lit", look.lit?.has(token) ?? false);
  made.classList.toggle("chosen", look.chosen?.has(token) ?? false);
  made.classList.toggle("gold", look.gold?.has(token) ?? false);
  return made;
}

function drawBuild(build, look) {
  const sets = build.sets.map((cards) => element("div", { class: "set" }, ...cards.map((name) => inert(card(name)))));
  const kind = build.sets.length > 1 ? "augmented" : "single";
  return dress(element("div", {
    class: `build seat-${build.owner}`, role: "button", tabindex: "0", "data-token": `b${build.value}`,
    "aria-label": `build of ${build.value}, ${kind}, owned by ${look.names[build.owner]}`,
  }, element("span", { class: "value" }, `${build.value}`), ...sets,
  element("span", { class: "owner" }, look.names[build.owner])), look);
}

// A card that is looked at only: inside a build, or in an open hand of somebody else.
function inert(made) {
  made.dataset.card = made.dataset.token;
  delete made.dataset.token;
  made.tabIndex = -1;
  return made;
}

function pile(seat, look) {
  const top = seat.pile === 0 ? element("span", { class: "card empty" }) : seat.top ? dress(card(seat.top), look) : back();
  return element("div", { class: "pile", "data-pile": seat.number, title: `${seat.pile} captured cards` },
    top, element("span", { class: "count" }, `${seat.pile}`));
}

function label(seat, look) {
  const partner = seat.partner === null ? null : element("span", { class: "with" }, `with ${look.names[seat.partner]}`);
  const last = seat.captured_last ? element("span", { class: "last", title: "captured last" }, "took last") : null;
  return element("div", { class: "label" }, element("span", { class: `dot seat-${seat.number}` }),
    element("strong", {}, look.names[seat.number]), partner, last, element("span", { class: "points" }, `${seat.points} pt`));
}

function seatPanel(scene, number, look) {
  const seat = scene.seats[number];
  const hand = [...seat.hand.map((name) => inert(card(name))), ...Array.from({ length: seat.hidden }, back)];
  return element("div", { class: `seat ${seat.decides ? "decides" : ""}`, "data-seat": number },
    label(seat, look),
    element("div", { class: "held" }, element("div", { class: "fan", "aria-label": `${hand.length} cards in hand` }, ...hand), pile(seat, look)));
}

function ownPlace(seat, look) {
  const hand = [...seat.hand.map((name) => dress(card(name), look)), ...Array.from({ length: seat.hidden }, back)];
  return element("div", { class: `own ${seat.decides ? "decides" : ""}`, "data-seat": seat.number },
    element("div", { class: "actions", id: "actions" }),
    label(seat, look),
    element("div", { class: "held" }, element("div", { class: "hand", style: `--n: ${hand.length}` }, ...hand), pile(seat, look)));
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
  drawTable(root, scene, look);
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

// Partners may share one pile, which lies at one of the two.
function pileOf(scene, seat) {
  const { pile, partner } = scene.seats[seat];
  return pile === 0 && partner !== null && scene.seats[partner].pile > 0 ? partner : seat;
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
  const ghost = inert(card(name));
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
