/** A turn as one line of words, such as `build 9 = 5D + 4S*; end`: a star marks the hand card. */

import { BUILD, CAPTURE, CAPTURE_HIGH, COUNT_OUT, DISCARD, END, NO, RAISE, YES } from "./actions.js";
import { cardName, cardNames, cardsOf, countOf, hasCard, without } from "./cards.js";
import { act, stateNumbers } from "../kernels/engine.js";
import { withoutLeftovers } from "./rules.js";

/** @typedef {import("../kernels/kernels.js").Values} Values */
/** @typedef {import("./rules.js").Rules} Rules */

/** What yes and no mean, by the mode in which they are said. @type {Record<string, [string, string]>} */
const ANSWERS = {
  OWNER: ["for me", "for my partner"],
  REQUEST: ["the partner asks for it", ""],
  GRANT: ["granted", "not granted"],
  INSIST_CAPTURE: ["an opponent insists on the capture", ""],
  INSIST_ADD: ["an opponent insists on adding", ""],
};

/** What the actions, played from the record, do; not who gets what is left at the end of the deal. @param {Values} record @param {Rules} rules @param {number[]} actions */
export function turnText(record, rules, actions) {
  const here = record.clone();
  const kept = withoutLeftovers(rules);
  const parts = [];
  here.set(0, "match", 0);
  for (const action of actions) {
    const before = here.clone();
    act(here, kept, action);
    parts.push(phrase(before, action), result(before, here));
  }
  return parts.filter(Boolean).join("; ");
}

/** Words for an action that says everything by itself. @param {Values} before @param {number} action */
function phrase(before, action) {
  const numbers = stateNumbers();
  const mode = before.get(0, "mode");
  if (action === YES || action === NO) {
    const asked = Object.keys(ANSWERS).find((name) => numbers[name] === mode);
    return asked ? ANSWERS[asked][action === YES ? 0 : 1] : "";
  }
  if (action === COUNT_OUT) return "count out";
  if (action >= DISCARD && action < CAPTURE) return `discard ${cardName(action - DISCARD)}*`;
  if (action === END || action < DISCARD || [numbers.CAPTURING, numbers.MAXIMAL, numbers.SORTING].includes(mode)) return "";
  if (action < CAPTURE_HIGH) return `capture with ${cardName(action - CAPTURE)}*`;
  if (action < BUILD) return `capture with ${cardName(action - CAPTURE_HIGH)}* as 14`;
  if (action >= RAISE) return `raise the ${action - RAISE + 1}`;
  return mode === numbers.RAISED ? `to ${action - BUILD + 1}` : "";
}

/** What came of the open set or capture, once it is closed. @param {Values} before @param {Values} after */
function result(before, after) {
  const { SET, OWNER } = stateNumbers();
  if ([SET, OWNER].includes(before.get(0, "mode"))) {
    return [SET, OWNER].includes(after.get(0, "mode")) ? "" : setText(before, after);
  }
  const taken = cardNames(cardsOf(without(before.get(0, "layout"), after.get(0, "layout"))).reverse());
  const stolen = before.list(0, "pile_top").flatMap((top, seat) => {
    const gone = top >= 0 && !hasCard(after.get(0, "piles", seat), top);
    return gone ? [`${cardName(top)} (pile ${seat})`] : [];
  });
  const builds = [];
  for (let value = 1; value < 15; value++) {
    if (before.get(0, "build_top", value) >= 0 && after.get(0, "build_top", value) < 0) builds.push(`the ${value}-build`);
  }
  const names = [...builds, ...taken, ...stolen];
  if (!names.length || after.get(0, "round") !== before.get(0, "round")) return "";
  return `taking ${names.join(", ")}`;
}

/** @param {Values} before @param {Values} after */
function setText(before, after) {
  const value = before.get(0, "open_value");
  const names = [];
  let top = after.get(0, "build_top", value);
  let count = countOf(without(after.get(0, "build_cards", value), before.get(0, "build_cards", value)));
  for (; count > 0; count--) {
    const pile = before.list(0, "pile_top").indexOf(top);
    const name = cardName(top);
    if (hasCard(before.get(0, "layout"), top)) names.push(name);
    else if (before.list(0, "hands").some((hand) => hasCard(hand, top))) names.push(`${name}*`);
    else names.push(pile >= 0 ? `${name} (pile ${pile})` : name);
    top = after.get(0, "below", top);
  }
  const verb = before.get(0, "build_sets", value) ? "add to" : "build";
  return `${verb} ${value} = ${names.reverse().join(" + ")}`;
}
