// Cards and words as elements.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") made.style.cssText = value; // as an attribute the page's policy forbids it
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const SUIT_NAMES = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const SUIT_SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const RANK_NAMES = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const CARD = /\b([A2-9TJQK][SHDC])\b/;

export const cardTitle = (name) => `${RANK_NAMES[name[0]] ?? name[0]} of ${SUIT_NAMES[name[1]]}`;
export const rankText = (name) => (name[0] === "T" ? "10" : name[0]);
const colour = (name) => ("HD".includes(name[1]) ? "red" : "black");

function suit(name) {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("class", "suit");
  picture.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `#suit-${name[1]}`);
  picture.append(use);
  return picture;
}

export function card(name) {
  return element("button", { class: `card ${colour(name)}`, type: "button", "data-token": name, "aria-label": cardTitle(name) },
    element("span", { class: "corner" }, rankText(name), suit(name)), suit(name));
}

export const back = () => element("span", { class: "card back", "aria-hidden": "true" });

// A card that is looked at only: inside a build, in an open hand of somebody else, in a picture.
export function faceOf(made) {
  const shown = element("span", { class: made.className, "data-card": made.dataset.token, "aria-hidden": "true" });
  shown.append(...made.childNodes);
  return shown;
}

// A text with its cards drawn: `takes 5D + 4S with the 9H`. They are text too, so that copies keep their suits.
export function notation(text) {
  const line = element("span", { class: "notation" });
  let rest = text;
  for (let found; (found = rest.match(CARD)); ) {
    line.append(rest.slice(0, found.index));
    line.append(element("span", { class: `inline ${colour(found[1])}`, role: "img", "aria-label": cardTitle(found[1]) },
      `${rankText(found[1])}${SUIT_SIGNS[found[1][1]]}\uFE0E`));
    rest = rest.slice(found.index + found[0].length);
  }
  line.append(rest);
  return line;
}

// The same to be read aloud.
export const spoken = (text) => text.replace(new RegExp(CARD, "g"), (name) => cardTitle(name));
