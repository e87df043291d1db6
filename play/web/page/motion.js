// Animate cards from their old places to the new ones.

import { cardFace } from "./cards.js";
import { pace, still } from "./settings.js";

const SIZE = 64; // pixels, width of a card in flight

/** @import { Event, Scene } from "./table/shapes.js" */
/** @typedef {{ box: DOMRect, build: string | undefined }} Place */

/** @param {HTMLElement} made */
const nameOf = (made) => /** @type {string} */ (made.dataset.token ?? made.dataset.card);
/** @param {Element} root @returns {NodeListOf<HTMLElement>} */
const movable = (root) => root.querySelectorAll(".build, .card[data-token], .card[data-card]");
/** @param {HTMLElement} made */
const buildOf = (made) => /** @type {HTMLElement | null} */ (made.parentElement?.closest(".build"))?.dataset.token;
/** @param {Element} root @param {string} selector */
const boxOf = (root, selector) => root.querySelector(selector)?.getBoundingClientRect();

/** The places of cards and builds, by name. @param {Element} root @returns {Map<string, Place>} */
const places = (root) => new Map([...movable(root)]
  .map((made) => [nameOf(made), { box: made.getBoundingClientRect(), build: buildOf(made) }]));

/** Draws, with cards gliding to their new places: those played from the seat's place, new ones from the stock, taken
 * ones to the pile. @param {Element} root @param {() => void} draw @param {Scene} scene before @param {Event[]} events
 * since, of one seat */
export async function glide(root, draw, scene, events) {
  const [{ seat }] = events, played = events.flatMap((event) => event.played), ms = pace() * 0.7;
  const heap = `[data-pile="${scene.seats[seat].pile.at}"]`;
  const before = still() ? new Map() : places(root), from = boxOf(root, `[data-seat="${seat}"]`),
    stock = boxOf(root, ".stock");
  draw();
  if (still() || !from) return;
  const after = places(root), felt = boxOf(root, ".felt"), pile = boxOf(root, heap) ?? from;
  const motions = [];
  let dealt = 0;
  for (const made of movable(root)) {
    const name = nameOf(made), was = before.get(name), is = after.get(name);
    if (!is || (was?.build && was.build === is.build)) continue; // moves with its build
    if (was) motions.push(slide(made, was.box, is.box, ms, 0));
    else if (played.includes(name)) motions.push(slide(made, from, is.box, ms, 0));
    else if (made.matches(".hand .card, .flow > .card"))
      motions.push(slide(made, stock ?? felt ?? from, is.box, ms, (ms / 8) * dealt++));
  }
  const gone = [...before.keys()].filter((name) => !after.has(name) && !name.startsWith("b"));
  const shown = played.filter((name) => !after.has(name) && !before.has(name));
  const sweep = (/** @type {number} */ at) => (ms / 2) * at / (gone.length + shown.length);
  const flights = [...gone.map((name, at) => fly(name, before.get(name).box, null, pile, ms, sweep(at))),
    ...shown.map((name, at) => fly(name, from, felt ?? null, pile, ms, sweep(gone.length + at)))];
  countUp(root.querySelector(`${heap} .count`), flights);
  await Promise.all([...motions, ...flights]);
}

/** Count a pile up as cards arrive. @param {Element | null} count @param {Promise<unknown>[]} flights */
function countUp(count, flights) {
  const end = Number(count?.textContent);
  if (!count || !(end >= flights.length)) return;
  let shown = end - flights.length;
  count.textContent = `${shown}`;
  for (const flight of flights) flight.then(() => { count.textContent = `${++shown}`; });
}

/** All cards are dealt, one after the other. @param {Element} root */
export async function deal(root) {
  const from = boxOf(root, ".stock") ?? boxOf(root, ".felt"), ms = pace();
  if (still() || !from) return;
  /** @type {NodeListOf<HTMLElement>} */
  const cards = root.querySelectorAll(".hand .card, .flow .card, .fan .card");
  await Promise.all([...cards].map((made, at) => slide(made, from, made.getBoundingClientRect(), ms, (ms / 14) * at)));
}

/** @param {HTMLElement} made @param {DOMRect} start @param {DOMRect} end @param {number} ms @param {number} delay */
function slide(made, start, end, ms, delay) {
  const dx = start.left + start.width / 2 - end.left - end.width / 2, dy = start.top + start.height / 2 - end.top
    - end.height / 2;
  if (Math.abs(dx) + Math.abs(dy) < 2) return Promise.resolve();
  const scale = made.classList.contains("build") || start.width > 160 ? 1
    : Math.min(1.4, Math.max(0.5, start.width / end.width));
  return finished(made.animate(
    [{ transform: `translate(${dx}px, ${dy}px) scale(${scale})`, zIndex: 5 }, { transform: "none", zIndex: 5 }],
    { duration: ms, delay, easing: "cubic-bezier(.3, .7, .3, 1)", fill: "backwards" }));
}

/** Animate a card into a pile; a card from a hidden hand is shown in the middle first.
 * @param {string} name @param {DOMRect} start @param {DOMRect | null} middle @param {DOMRect} end @param {number} ms
 * @param {number} delay */
function fly(name, start, middle, end, ms, delay) {
  const ghost = cardFace(name, "ghost");
  document.body.append(ghost);
  const at = (/** @type {DOMRect} */ box) =>
    `translate(${box.left + box.width / 2 - SIZE / 2}px, ${box.top + box.height / 2 - SIZE * 0.7}px)`;
  /** @type {Keyframe[]} */
  const way = [{ transform: at(start) }];
  if (middle) way.push({ transform: at(middle), offset: 0.3 }, { transform: at(middle), offset: 0.7 });
  else way.push({ transform: at(start), offset: 0.45 });
  way.push({ transform: at(end), opacity: 0.6 });
  return finished(ghost.animate(way, { duration: ms * 1.4, delay, easing: "ease-in-out", fill: "both" }))
    .finally(() => ghost.remove());
}

/** @param {Animation} motion */
const finished = (motion) => motion.finished.catch(() => {}); // rejects if the element is removed

/** Let suits rain over the page: somebody has won. */
export function celebrate() {
  if (still()) return;
  for (let k = 0; k < 28; k++) {
    const leaf = document.createElement("span");
    leaf.className = "leaf";
    leaf.textContent = "♠♥♦♣"[k % 4];
    leaf.setAttribute("aria-hidden", "true");
    leaf.style.left = `${Math.random() * 100}vw`;
    document.querySelector("dialog[open]")?.append(leaf);
    const turn = Math.random() * 720 - 360;
    finished(leaf.animate([{ transform: "translateY(-10vh)", opacity: 1 },
      { transform: `translateY(110vh) rotate(${turn}deg)`, opacity: 0.7 }],
      { duration: 1800 + Math.random() * 1600, delay: Math.random() * 700, easing: "ease-in", fill: "both" }))
        .then(() => leaf.remove());
  }
}

/** Remove all cards in flight. */
export function clearFlight() {
  for (const ghost of document.querySelectorAll(".ghost, .leaf")) ghost.remove();
}
