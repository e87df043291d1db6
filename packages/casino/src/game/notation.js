/** Turns as one line of text, such as `build 9 = 5D + 4S*; end`: a star marks the hand card. */

import { tell } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { cardName, CARDS } from "./cards.js";
import { filled } from "./validate.js";

/** @import { Values } from "../kernels/kernels.js" */
/** @import { Rules } from "./rules.js" */

/** Describe actions played from the record, except who gets the leftovers at the end of the deal.
 * @param {Values} record @param {Rules} rules @param {number[]} actions */
export function turnText(record, rules, actions) {
  const { PHRASES, BEGINNINGS } = use().constants("engine.wording");
  /** @type {string[]} */
  const parts = [];
  for (const [phrase, number, pile] of tell(record, rules, actions)) {
    const text = filled(PHRASES[phrase], { card: cardName(number % CARDS), number, pile });
    if (phrase < BEGINNINGS) parts.push(text);
    else parts[parts.length - 1] += text;
  }
  return parts.join("; ");
}
