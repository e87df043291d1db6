"""The actions of a turn as phrases, for programs to fill with cards and numbers."""

from casino_env.actions import BUILD, CAPTURE, CAPTURE_HIGH, COUNT_OUT, DISCARD, END, NO, RAISE, YES
from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, kernel, popcount
from casino_env.compiler.types import I64, I64x2
from casino_env.engine import action_set
from casino_env.engine.legal import legal_actions
from casino_env.engine.state import (
    CAPTURING,
    GRANT,
    INSIST_ADD,
    INSIST_CAPTURE,
    MAXIMAL,
    OVER,
    OWNER,
    RAISED,
    REQUEST,
    SEATS,
    SET,
    SORTING,
    TO_NOBODY,
    VALUES,
    Records,
    RulesRow,
)
from casino_env.engine.turn import apply

(
    _FOR_ME, _FOR_PARTNER, _ASKED, _GRANTED, _NOT_GRANTED, _INSISTS, _INSISTS_ADD, _COUNT_OUT, _DISCARD, _CAPTURE,
    _CAPTURE_HIGH, _RAISE, _RAISED, _BUILD, _ADD, _TAKING, _CARD, _HAND_CARD, _PILE_CARD, _TAKEN_BUILD, _COMMA, _PLUS,
) = range(22)  # fmt: skip
PHRASES = (
    "for me", "for my partner", "the partner asks for it", "granted", "not granted",
    "an opponent insists on the capture", "an opponent insists on adding", "count out", "discard {card}*",
    "capture with {card}*", "capture with {card}* as 14", "raise the {number}", "to {number}", "build {number} = ",
    "add to {number} = ", "taking ", "{card}", "{card}*", "{card} (pile {pile})", "the {number}-build", ", ", " + ",
)  # fmt: skip
BEGINNINGS = _CARD  # phrases before this one begin a part of the text, the others continue it
MOST_PHRASES = 2 * (CARDS + VALUES + SEATS)  # for one action


@entry
def tell(records: Records, rules: RulesRow, own: RulesRow, actions: I64, rows: I64x2) -> int:
    """Play actions from a record and write rows of (phrase, card or number, pile). Return the number of rows, or -1 - i
    if action i is illegal.

    Neither the leftovers at the end of a deal nor what follows is told. records: the start and two as workspace; own:
    rules as workspace; rows: room for MOST_PHRASES per action.
    """
    own[0] = rules[0]
    own[0].leftovers = TO_NOBODY
    records[1] = records[0]
    records[1].match = 0
    count = 0
    for i in range(len(actions)):
        records[2] = records[1]
        records[2].match = records[0].match
        if records[2].mode == OVER:
            break
        if not action_set.has(legal_actions(records[2], rules[0]), actions[i]):
            return -1 - i
        apply(records[1], own[0], actions[i])
        count = _write_action(records[2], actions[i], rows, count)
        count = _write_result(records[2], records[1], rows, count)
    return count


@kernel
def _write(rows, count, phrase, number, pile):
    rows[count, 0], rows[count, 1], rows[count, 2] = phrase, number, pile
    return count + 1


@kernel
def _answer(mode, yes):
    """The phrase for an answer in this mode; -1 if it is not told."""
    if mode == OWNER:
        return _FOR_ME if yes else _FOR_PARTNER
    if mode == GRANT:
        return _GRANTED if yes else _NOT_GRANTED
    if not yes:
        return -1
    if mode == REQUEST:
        return _ASKED
    return _INSISTS if mode == INSIST_CAPTURE else _INSISTS_ADD if mode == INSIST_ADD else -1


@kernel
def _write_action(before, action, rows, count):
    """Write an action that needs no result to be told."""
    mode = before.mode
    if action == YES or action == NO:
        answer = _answer(mode, action == YES)
        return _write(rows, count, answer, 0, 0) if answer >= 0 else count
    if action == COUNT_OUT:
        return _write(rows, count, _COUNT_OUT, 0, 0)
    if action >= DISCARD and action < CAPTURE:
        return _write(rows, count, _DISCARD, action - DISCARD, 0)
    if action == END or action < DISCARD or mode == CAPTURING or mode == MAXIMAL or mode == SORTING:
        return count
    if action < CAPTURE_HIGH:
        return _write(rows, count, _CAPTURE, action - CAPTURE, 0)
    if action < BUILD:
        return _write(rows, count, _CAPTURE_HIGH, action - CAPTURE_HIGH, 0)
    if action >= RAISE:
        return _write(rows, count, _RAISE, action - RAISE + 1, 0)
    return _write(rows, count, _RAISED, action - BUILD + 1, 0) if mode == RAISED else count


@kernel
def _write_result(before, after, rows, count):
    """Write the cards of the open set or capture once it is closed."""
    if before.mode == SET or before.mode == OWNER:
        return count if after.mode == SET or after.mode == OWNER else _write_set(before, after, rows, count)
    if after.round != before.round:
        return count
    first = count
    for value in range(1, VALUES):
        if before.build_top[value] >= 0 and after.build_top[value] < 0:
            count = _write_taken(rows, count, first, _TAKEN_BUILD, value, 0)
    taken = before.layout & ~after.layout
    for card in range(CARDS - 1, -1, -1):
        if taken >> card & 1:
            count = _write_taken(rows, count, first, _CARD, card, 0)
    for seat in range(SEATS):
        top = before.pile_top[seat]
        while top >= 0 and not after.piles[seat] >> top & 1:
            count = _write_taken(rows, count, first, _PILE_CARD, top, seat)
            top = before.below[top]
    return count


@kernel
def _write_taken(rows, count, first, phrase, number, pile):
    count = _write(rows, count, _TAKING if count == first else _COMMA, 0, 0)
    return _write(rows, count, phrase, number, pile)


@kernel
def _write_set(before, after, rows, count):
    """Write the cards added to a build, from the bottom up."""
    value = before.open_value
    many, top = popcount(after.build_cards[value] & ~before.build_cards[value]), after.build_top[value]
    count = _write(rows, count, _ADD if before.build_sets[value] else _BUILD, value, 0)
    for i in range(many - 1, -1, -1):
        phrase, pile = _CARD, 0
        if not before.layout >> top & 1:
            for seat in range(SEATS):
                if before.pile_top[seat] == top:
                    phrase, pile = _PILE_CARD, seat
            for seat in range(SEATS):
                if before.hands[seat] >> top & 1:
                    phrase = _HAND_CARD
        _write(rows, count + 2 * i, phrase, top, pile)
        if i:
            _write(rows, count + 2 * i - 1, _PLUS, 0, 0)
        top = after.below[top]
    return count + max(0, 2 * many - 1)
