"""The action catalogue: one list of 192 micro-actions for every variant, each with a text form."""

import re

from casino_env.cards import card_name, parse_card
from casino_env.validate import BLANKS, short_repr

ACTIONS_VERSION = 1

# First action of each kind. A turn is a short sequence of actions by one seat (docs/actions.md).
CARD = 0  # card c: put c into the open set; the place of c decides what this does
DISCARD = 52  # discard c: lay c on the table as a loose card
CAPTURE = 104  # capture c: capture with c
CAPTURE_HIGH = 156  # capture with the ace of suit s as 14
BUILD = 160  # build v: open a set worth v, v = 1..14
RAISE = 174  # raise u: pull the single build of u into the set opened next, u = 1..14
END = 188  # end of the turn, or of an optional choice
YES = 189
NO = 190
COUNT_OUT = 191
ACTIONS = 192

_PLAIN = {END: "end", YES: "yes", NO: "no", COUNT_OUT: "count out"}


def action_text(action: int) -> str:
    if not 0 <= action < ACTIONS:
        raise ValueError(f"{action} is not an action; actions are 0 to {ACTIONS - 1}")
    if action < DISCARD:
        return f"card {card_name(action)}"
    if action < CAPTURE:
        return f"discard {card_name(action - DISCARD)}"
    if action < CAPTURE_HIGH:
        return f"capture {card_name(action - CAPTURE)}"
    if action < BUILD:
        return f"capture {card_name(action - CAPTURE_HIGH)} as 14"
    if action < RAISE:
        return f"build {action - BUILD + 1}"
    if action < END:
        return f"raise {action - RAISE + 1}"
    return _PLAIN[action]


_BY_TEXT = {action_text(action): action for action in range(ACTIONS)}


def parse_action(text: str) -> int:
    words = list(filter(None, re.split(f"[{BLANKS}]", text))) if isinstance(text, str) else []
    action = _BY_TEXT.get(" ".join(words))
    if action is not None:
        return action
    if len(words) >= 2 and words[0] in ("card", "discard", "capture"):
        parse_card(words[1])  # its error names the wrong card
    raise ValueError(
        f"{short_repr(text)} is not an action; write card C, discard C, capture C, capture C as 14, build V, raise V, "
        "end, yes, no, count out"
    )
