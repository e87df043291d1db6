// The games in words, and what may be chosen of them.

import { en } from "./en.js";
import { say } from "./message.js";

/** @typedef {import("./message.js").Message} Message */

/** @param {string} name @returns {Message} */
export const gameTitle = (name) => (`game.${name}` in en ? say(`game.${name}`) : say("game.other", { name }));

/** @param {string} name @returns {Message} */
export const gameLine = (name) => (`game.${name}.line` in en ? say(`game.${name}.line`) : say("game.other.line"));

/** The question of a switch. @param {string} field @returns {Message} */
export const switchTitle = (field) => (`switch.${field}` in en ? say(`switch.${field}`) : say("switch.other", { name: field }));

/** What a value of a switch means. @param {string} field @param {any} value @returns {Message} */
export function switchValue(field, value) {
  const key = `switch.${field}.${value}`;
  if (key in en) return say(key);
  if (typeof value === "boolean") return say(value ? "switch.yes" : "switch.no");
  return typeof value === "number" ? say(`switch.${field}.n` in en ? `switch.${field}.n` : "switch.n", { n: value }) : say("switch.text", { value });
}

// What the engine says of a combination that cannot be played, and the words for it; {} stands for a number or a name.
/** @type {[RegExp, string][]} */
const REFUSALS = [
  [/partners need 4 players/, "partners"],
  [/table_cards = (\d+) leaves nothing/, "table"],
  [/rounds must be 1/, "rounds"],
  [/hands of (\d+) are more than the pack/, "hands"],
  [/cannot be drawn evenly/, "drawn"],
  [/cannot be dealt evenly/, "dealt"],
  [/ace_high needs courts/, "ace_high.courts"],
  [/ace_high needs the 52/, "ace_high.deck"],
  [/recut needs table_cards/, "recut"],
  [/recut with eight/, "recut.many"],
  [/shared_pile needs partners/, "needs.partners"],
  [/steal_from_partner needs partners/, "needs.partners"],
  [/steal_from_partner needs separate/, "separate"],
  [/partner_builds needs partners/, "needs.partners"],
  [/partner_builds needs keep_backing/, "proven"],
  [/partner_request needs partners/, "needs.partners"],
  [/partner_(builds|request) needs equal_builds = merge/, "needs.merge"],
  [/request_for = \w+ needs partner_request/, "request_for"],
  [/needs equal_builds = merge/, "needs.merge"],
  [/without keep_backing owner_discard/, "backing.discard"],
  [/without keep_backing there is no build_limit/, "backing.limit"],
  [/raise_with_table needs/, "raise_with_table"],
  [/steal = bound needs keep_backing/, "bound"],
  [/no_return needs steal/, "no_return"],
  [/needs face-up piles/, "face_up"],
  [/capture_tops needs multi_capture/, "tops.multi"],
  [/multi_capture off needs courts/, "multi.courts"],
  [/(pile_capture_needs_table_card|tops_in_sums off) needs capture_tops/, "needs.tops"],
  [/owner_top off needs/, "owner_top"],
  [/chain = all needs piles/, "chain"],
  [/pile_order = ask needs/, "pile_order"],
  [/bundles is played singly/, "bundles"],
  [/bundles has no sweeps/, "bundles.sweeps"],
  [/one deal may come to (\d+) points/, "points"],
  [/(a target|match_games) needs points/, "needs.points"],
  [/count_out needs a target/, "count_out"],
  [/a match ends by/, "match"],
  [/tie_break = big_ten needs/, "tie_break"],
  [/next_leader = loser needs/, "loser"],
  [/has no \w+; its document rules it out/, "fixed"],
];

/** Why a combination of rules cannot be played. @param {unknown} error of the engine @returns {Message} */
export function refusal(error) {
  const text = error instanceof Error ? error.message : String(error), found = REFUSALS.find(([pattern]) => pattern.test(text));
  return found ? say(`refused.${found[1]}`) : say("refused.other", { why: text.replace(/^rules( of [^:]*)?: /, "") });
}
