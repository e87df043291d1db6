// Questions to a seat in the middle of a turn.

import { cardName, cardsOf } from "../casino/src/game/cards.js";
import { cardArg, say } from "./message.js";
import { BUNDLE, COMPLETE, GRANT, IDLE, INSIST_ADD, INSIST_CAPTURE, OVER, OWNER, REQUEST, SORTING } from "./look.js";

/** @import { Message } from "./message.js" */
/** @import { Look } from "./look.js" */
/** @import { Names } from "./names.js" */

/** The open question; null between moves. @param {Look} look @param {Names} names @returns {Message | null} */
export function question(look, names) {
  const { mode } = look, value = look.num("open_value"), what = look.num("take_build") ? "build" : "cards";
  const hand = look.num("hand_card"), card = cardArg(hand >= 0 ? cardName(hand) : ""),
    cards = cardsOf(look.num("picked"))
      .reverse()
      .map((each) => cardArg(cardName(each)));
  const mover = names.of(look.num("to_move")), partner = names.of((look.actor + 2) % names.called.length);
  switch (mode) {
    case IDLE:
    case OVER:
      return null;
    case OWNER:
      return say("ask.owner", { value, cards, partner });
    case REQUEST:
      return say(`ask.request.${what}`, { mover, cards, card, value });
    case GRANT:
      return say(`ask.grant.${what}`, { partner, value });
    case INSIST_CAPTURE:
      return say("ask.insist.capture", { mover, card });
    case INSIST_ADD:
      return say("ask.insist.add", { mover });
    case COMPLETE:
      return say("ask.complete");
    case SORTING:
      return say("ask.sort");
    case BUNDLE:
      return say("ask.bundle");
    default:
      return say("ask.next");
  }
}
