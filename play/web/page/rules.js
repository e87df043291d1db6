// Show the rules of a game in words and pictures.

import { rulesText } from "./table/index.js";
import { cardFace } from "./cards.js";
import { h } from "./dom.js";
import { sheet } from "./sheet.js";
import { drawBuild } from "./table.js";
import { plain, said, say, t } from "./text.js";

/** @import { Rules } from "./casino/src/game/rules.js" */
/** @import { Build, RulesSection } from "./table/shapes.js" */

/** @typedef {object} Picture
 * @property {string} words key of the caption
 * @property {string[]} [table]
 * @property {Build} [build]
 * @property {string[]} [hand]
 * @property {string[]} [pile]
 * @property {string[]} [theirs] another player's pile
 * @property {string[]} [marked] the card that is played and the tokens that it takes
 */

/** @param {string[][]} sets @returns {Build} */
const nine = (...sets) => ({ token: "b9", value: 9, owner: 0, yours: true, sets });

/** @type {Picture[]} */
const PICTURES = [
  { words: "tour.equal", table: ["9H", "5D", "4C", "8S"], hand: ["9S"], marked: ["9S", "9H", "5D", "4C"] },
  { words: "tour.taken", table: ["8S"], pile: ["9S", "9H", "5D", "4C"] },
  { words: "tour.before", table: ["5D", "2C"], hand: ["4S", "9H"], marked: ["4S", "5D"] },
  { words: "tour.build", table: ["2C"], build: nine(["5D", "4S"]), hand: ["9H"] },
  { words: "tour.steal", table: ["2C"], build: nine(["5D", "4S"]), hand: ["9H", "3S"], theirs: ["6C"],
    marked: ["3S", "6C", "b9"] },
  { words: "tour.stolen", table: ["2C"], build: nine(["5D", "4S"], ["6C", "3S"]), hand: ["9H"] },
];

/** @param {string} words @param {...(Node | null | Node[])} shown */
const spot = (words, ...shown) =>
  h("div", { class: "spot" }, h("small", {}, words), h("div", { class: "shown" }, ...shown));

/** @param {Picture} picture */
function drawPicture({ words, table = [], build, hand, pile, theirs, marked = [] }) {
  const faces = (/** @type {string[]} */ cards) =>
    cards.map((card) => cardFace(card, marked.includes(card) ? "chosen" : ""));
  const scene = /** @type {any} */ ({ seats: [{ name: say("name.you"), you: true }] });
  const strip = h("div", { class: "tour-strip", inert: true },
    spot(t("tour.table"), build ? drawBuild(scene, build, { bottom: 0, chosen: new Set(marked) }) : null, faces(table)),
    theirs ? spot(t("tour.theirs"), faces(theirs)) : null,
    hand?.length ? spot(t("tour.hand"), faces(hand)) : null,
    pile ? spot(t("tour.pile"), faces(pile)) : null);
  return h("figure", {}, h("div", { role: "img", "aria-label": t("tour.picture") }, strip),
    h("figcaption", {}, t(words)));
}

export const tour = () =>
  sheet(t("tour.title"), [h("p", {}, t("tour.aim")), h("div", { class: "tour" }, PICTURES.map(drawPicture)),
    h("p", {}, t("tour.rest"))]);

/** The pictures of a section that apply to this game. @param {RulesSection} section @returns {Picture[]} */
function picturesOf({ name, lines }) {
  if (name === "aim") return lines.some(({ key }) => key === "rules.example") ? [PICTURES[0]] : [];
  return name === "building" ? PICTURES.slice(2, 4) : name === "stealing" ? PICTURES.slice(4) : [];
}

/** The aim of a game in pictures; empty if they do not apply. @param {Rules} rules */
export const aimPictures = (rules) => h("div", { class: "tour" }, picturesOf(rulesText(rules)[0]).map(drawPicture));

/** Games with a jargon of their own, and the keys of its words. */
const OWN = /** @type {{ [game: string]: string[] }} */ ({ kasa: ["chow", "drift", "stash", "shiya", "mummy", "spy"] });

/** @param {string} name of the game @returns {RulesSection[]} */
const ownWords = (name) => (OWN[name] ? [{ name: "words", title: say("page.rules.words"),
  lines: OWN[name].map((word) => say(`page.rules.words.${word}`)) }] : []);

/** @param {string} title @param {Rules} rules */
export function showRules(title, rules) {
  const sections = [...rulesText(rules), ...ownWords(rules.name)];
  const built = sections.some(({ name }) => name === "building");
  sheet(title, sections.flatMap((each) => [h("h3", {}, plain(each.title)),
    h("ul", {}, each.lines.map((line) => h("li", {}, said(line)))),
    h("div", { class: "tour" }, picturesOf(each).map(drawPicture))]),
    built ? [{ words: t("home.tour"), id: "rules-tour", run: () => { tour(); return true; } }] : []);
}
