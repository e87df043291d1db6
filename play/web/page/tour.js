// What a build is for, in three pictures, and the rules that lead there.

import { card, element, faceOf } from "./cards.js";
import { ruleList, sheet } from "./sheet.js";
import { drawBuild } from "./table.js";

const TITLE = "What is a build for?";
const BUILD = { value: 9, owner: 0, sets: [["5D", "4S"]] };
const STEPS = [
  { loose: ["5D", "2C"], hand: ["4S", "9H"], words: "You hold a 4 and a 9. The 5 on the table is worth nothing to you yet: no card of yours takes it." },
  { loose: ["2C"], builds: [BUILD], hand: ["9H"], words: "You lay the 4 on the 5: a build of 9. Only a 9 takes it now, and you must hold one, as you do." },
  { loose: ["2C"], hand: [], pile: ["9H", "4S", "5D"], words: "On a later turn your 9 takes the whole build. Three cards are yours, and no card of yours was given away. But whoever else has a 9 could be faster." },
];

const faces = (names) => names.map((name) => faceOf(card(name)));

function place(words, ...shown) {
  return element("div", { class: "place" }, element("small", {}, words), element("div", { class: "laid" }, ...shown));
}

function picture({ loose, builds = [], hand, pile = [], words }, number) {
  const table = [...builds.map((build) => drawBuild(build, { names: ["You"] })), ...faces(loose)];
  const strip = element("div", { class: "strip", inert: true }, place("Table", ...table),
    hand.length ? place("Your hand", ...faces(hand)) : null, pile.length ? place("Your pile", ...faces(pile)) : null);
  return element("figure", {}, element("div", { role: "img", "aria-label": `picture ${number + 1}` }, strip), element("figcaption", {}, `${number + 1}. ${words}`));
}

export const tour = () => sheet(TITLE, [element("div", { class: "tour" }, ...STEPS.map(picture))]);

// The tour is offered where the game has builds.
export function showRules(title, sections) {
  const built = sections.some(([name]) => name === "Building");
  sheet(title, ruleList(sections), built ? { [TITLE]: (event) => { event.preventDefault(); tour(); } } : {});
}
