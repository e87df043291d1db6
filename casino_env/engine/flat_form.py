"""Conversion between a game record and its flat form: a position as arrays of integers.

Single numbers follow invariants.FIELDS. Lists become rows of (what, list, part): a card or number, the index of its
list in PLACES, and the set of a build or the side of a score. Lists are in the order of Position JSON, which programs
read and write.
"""

import numpy as np

from casino_env.cards import CARDS
from casino_env.compiler.jit import bits_of, entry, items_of, kernel
from casino_env.compiler.types import I64, I64x2
from casino_env.engine.deal import empty_table, take_leftovers, to_stock
from casino_env.engine.deal import lay as lay_loose
from casino_env.engine.invariants import (
    FINE,
    HAND_CARD,
    LAID_NOW,
    LAST_NUMBER,
    LEAD,
    MODE,
    MOST_SCORE,
    OPEN_LAST,
    PLAY_REFUSALS,
    Refusal,
    action_fault,
    fields_fault,
    limits,
    number,
    put,
)
from casino_env.engine.piles import first_laid, push
from casino_env.engine.reading import owner_of, standing
from casino_env.engine.scoring import score_deal
from casino_env.engine.state import IDLE, OPEN_CARDS, OVER, SEATS, SORTING, VALUES, Records, RulesRow

(HANDS, PILES, PROVEN) = (0, SEATS, 2 * SEATS)  # plus the seat
(LAYOUT, STOCK, MATCH_SCORE, SWEEPS, PICKED, REQUIRED, OPENED) = range(3 * SEATS, 3 * SEATS + 7)
BUILDS = 3 * SEATS + 7  # plus the index of the build
PLACES = (
    *(f"{name}[{seat}]" for name in ("hands", "piles", "proven") for seat in range(SEATS)),
    "layout", "stock", "match_score", "sweeps", "turn.picked", "turn.required", "turn.open_cards",
)  # fmt: skip
WINNER_SAID, UNPROVEN = 1, 2  # flags: the position names a winner; skip the check of its open action
MOST_ROWS = 2048  # more than any record needs, whatever its bytes

(
    _FIELD, _PACK, _TWICE, _SHARED, _OPENED, _LIST, _TURN_CARD, _SECOND, _EMPTY, _WORTHLESS, _SUM, _WON, _STOCK_LEFT,
    _MATCH_OPEN, _NO_CARD, HIDDEN, TOO_FEW,
) = range(len(PLAY_REFUSALS) + 1, len(PLAY_REFUSALS) + 18)  # fmt: skip
# Messages by refusal code; a Refusal fills the words in braces.
REFUSALS = PLAY_REFUSALS | {
    _FIELD: "{name} = {number}; it must be a whole number from {low} to {high}",
    _PACK: "{place}: {card} is not in the deck of {deck} cards",
    _TWICE: "{place}: {card} is already in {other}",
    _SHARED: "{place}: partners share a pile; list it under the lower seat",
    _OPENED: "turn.open_cards: a set has at most {high} cards",
    _LIST: "{place}: {number}; it must be {range}",
    _TURN_CARD: "turn.{field}: {card} is not in the deck of {deck} cards",
    _SECOND: "builds[{seat}]: a second build of value {number}",
    _EMPTY: "{place}: is empty",
    _WORTHLESS: "{place}: {card} has no value in this game",
    _SUM: "{place}: the cards sum to {number}, not {low}",
    _WON: "winner: it follows from the piles; give it only for a match or a deal that was counted out",
    _STOCK_LEFT: "hands: all are empty although cards are left in the stock; deal them",
    _MATCH_OPEN: "hands: all are empty; a match must go on with the next deal or give its winner (or null)",
    _NO_CARD: "to_move: seat {seat} has no card to play",
    # views only
    HIDDEN: "hands, piles, stock: {number} cards are counted as hidden, but {high} cards of the deck are out of sight",
    TOO_FEW: "hands[{seat}]: {number} cards, but the builds and proven values of this seat need {low}",
}  # fmt: skip

# --- reading ---------------------------------------------------------------------------------------------------------


@entry
def build(
    records: Records, rules: RulesRow, numbers: I64, rows: I64x2, builds: I64x2, work: Records, keys: I64, said: int
) -> Refusal:
    """Fill an empty record from a position; return the refusal if it is impossible, or FINE.

    builds: rows of (value, owner, sets). said: WINNER_SAID and UNPROVEN as bits.
    """
    r = rules[0]
    found = lay(records[0], r, items_of(records.view(np.int64)), numbers, rows, builds)
    return finish(records, r, work, keys, said) if found[0] == 0 else found


@kernel
def lay(g, r, words, numbers, rows, builds):
    """Put everything that a position names into an empty record."""
    found = _lay_numbers(g, r, words, numbers)
    if found[0] == 0:
        found = _lay_builds(g, builds)
    if found[0] == 0:
        found = _lay_rows(g, r, rows, builds)
    return _check_sets(r, rows, builds) if found[0] == 0 else found


@kernel
def finish(records, r, work, keys, said):
    """Settle whether the game is over, then check that play can go on."""
    found = _settle(records[0], r, said & WINNER_SAID)
    if found[0] == 0:
        found = fields_fault(records[0], r, items_of(records.view(np.int64)))
    return action_fault(records, r, work, keys) if found[0] == 0 and not said & UNPROVEN else found


@kernel
def _lay_numbers(g, r, words, numbers):
    for field in range(LAST_NUMBER):
        low, high = limits(r, field)
        if field == MODE:
            high = OVER - 1
        if numbers[field] < low or numbers[field] > high:
            return _FIELD, field, 0, numbers[field], low, high
        is_card = field == LAID_NOW or field == HAND_CARD or field == OPEN_LAST or field == LEAD
        if is_card and numbers[field] >= 0 and numbers[field] < CARDS and not r.deck >> numbers[field] & 1:
            return _TURN_CARD, field, 0, numbers[field], 0, 0
    empty_table(g)
    for field in range(LAST_NUMBER):
        put(words, field, numbers[field])
    return FINE


@kernel
def _lay_builds(g, builds):
    for i in range(builds.shape[0]):
        value, owner = builds[i, 0], builds[i, 1]
        for seat in range(SEATS):
            if g.owned[seat] >> value & 1:
                return _SECOND, i, 0, value, 0, 0
        g.owned[owner] |= 1 << value
        g.build_sets[value] = min(builds[i, 2], CARDS)
    return FINE


@kernel
def _lay_rows(g, r, rows, builds):
    """Place each card and each number of the lists."""
    seen, last_list, last_part = 0, -1, -1
    for i in range(rows.shape[0]):
        what, place, part = rows[i, 0], rows[i, 1], rows[i, 2]
        if _is_of_numbers(place):
            low, high = _limits_of_list(r, place)
            if what < low or what > high:
                return _LIST, place, part, what, low, high
            _lay_number(g, what, place, part)
            continue
        if what < 0 or what >= CARDS or not r.deck >> what & 1:
            return _PACK, place, part, what, 0, 0
        if PICKED <= place <= OPENED:
            if place == OPENED and g.open_count == OPEN_CARDS:
                return _OPENED, place, part, what, 0, OPEN_CARDS
            _name_card(g, what, place)
            continue
        if seen >> what & 1:
            return _find_first(rows, i)
        if r.shared_pile and place >= PILES + 2 and place < PILES + SEATS:
            return _SHARED, place, part, what, 0, 0
        seen |= 1 << what
        if place >= BUILDS:
            _lay_on_build(g, what, builds[place - BUILDS, 0], place != last_list or part != last_part)
        else:
            lay_card(g, what, place)
        last_list, last_part = place, part
    return FINE


@kernel
def _find_first(rows, i):
    """Refuse the card of row i: an earlier row holds it already."""
    first = 0
    for other in range(i):
        place = rows[other, 1]
        named_only = _is_of_numbers(place) or PICKED <= place <= OPENED
        if rows[other, 0] == rows[i, 0] and not named_only:
            first = other
            break
    return _TWICE, rows[i, 1], rows[i, 2], rows[i, 0], rows[first, 1], rows[first, 2]


@kernel
def _is_of_numbers(place):
    return (place >= PROVEN and place < LAYOUT) or place == MATCH_SCORE or place == SWEEPS


@kernel
def _limits_of_list(r, place):
    if place == MATCH_SCORE:
        return -MOST_SCORE, MOST_SCORE
    return (0, CARDS) if place == SWEEPS else (1, r.max_build)


@kernel
def _lay_number(g, what, place, part):
    if place == MATCH_SCORE:
        g.match_score[part] = what
    elif place == SWEEPS:
        g.sweeps[part] = what
    else:
        g.proven[place - PROVEN] |= 1 << what


@kernel
def _name_card(g, card, place):
    """Add a card to the open action; the card itself lies elsewhere."""
    if place == PICKED:
        g.picked |= 1 << card
    elif place == REQUIRED:
        g.required |= 1 << card
    else:
        g.open_cards[g.open_count] = card
        g.open_count += 1


@kernel
def lay_card(g, card, place):
    if place == LAYOUT:
        lay_loose(g, card)
    elif place == STOCK:
        to_stock(g, card)
    elif place >= PILES:
        push(g, place - PILES, card)
        g.starts |= 1 << card  # batches are unknown: each card is its own batch
    else:
        g.hands[place] |= 1 << card


@kernel
def _lay_on_build(g, card, value, begins):
    g.below[card] = g.build_top[value]
    g.build_top[value] = card
    g.build_cards[value] |= 1 << card
    if begins:
        g.starts |= 1 << card


@kernel
def _check_sets(r, rows, builds):
    """Check that each build has the number of sets it states, each worth its value."""
    for i in range(builds.shape[0]):
        part, total, cards, first = -1, 0, 0, 0
        for row in range(rows.shape[0] + 1):
            ends = row == rows.shape[0]
            if not ends and rows[row, 1] != BUILDS + i:
                continue
            if part >= 0 and (ends or rows[row, 2] != part):
                high_ace = builds[i, 0] == VALUES - 1 and cards == 1 and first < 4
                if total != builds[i, 0] and not high_ace:
                    return _SUM, BUILDS + i, part, total, builds[i, 0], 0
            following = builds[i, 2] if ends else rows[row, 2]
            if following > part + 1 or (ends and following == 0):
                return _EMPTY, BUILDS + i, part + 1, 0, 0, 0
            if not ends:
                card = rows[row, 0]
                if not r.numeric >> card & 1:
                    return _WORTHLESS, BUILDS + i, following, card, 0, 0
                if following != part:
                    part, total, cards, first = following, 0, 0, card
                total += (card >> 2) + 1
                cards += 1
    return FINE


@kernel
def _settle(g, r, winner_said):
    """Settle whether the game is over and who has won."""
    held = 0
    for seat in range(SEATS):
        held |= g.hands[seat]
    if winner_said:
        if not g.match and not (r.count_out and held):
            return _WON, 0, 0, 0, 0, 0
        g.mode = OVER
        return FINE
    if not held and not g.played and g.mode != SORTING:
        if g.stock_top >= 0:
            return _STOCK_LEFT, 0, 0, 0, 0, 0
        if g.match:
            return _MATCH_OPEN, 0, 0, 0, 0, 0
        g.mode = OVER
        take_leftovers(g, r)
        score_deal(g, r)
        g.deals = 1
        return FINE
    if g.mode == IDLE and not g.acted and not g.hands[g.to_move]:
        return _NO_CARD, g.to_move, 0, 0, 0, 0
    return FINE


# --- writing ---------------------------------------------------------------------------------------------------------


@entry
def flatten(records: Records, rules: RulesRow, numbers: I64, rows: I64x2, builds: I64x2) -> tuple[int, int]:
    """Write a record in flat form; return (rows, builds). The arrays have room for MOST_ROWS rows and VALUES builds."""
    g, r, words = records[0], rules[0], items_of(records.view(np.int64))
    for field in range(LAST_NUMBER):
        numbers[field] = number(words, field, 0)
    count = 0
    for seat in range(r.players):
        count = _write_set(rows, count, g.hands[seat], HANDS + seat)
        count = _write_chain(g, rows, count, g.pile_top[seat], PILES + seat)
        count = _write_set(rows, count, g.proven[seat], PROVEN + seat)
    left = g.layout
    while left:
        first = first_laid(g, left)
        left &= ~(1 << first)
        count = _write(rows, count, first, LAYOUT, 0)
    count = _write_chain(g, rows, count, g.stock_top, STOCK)
    for side in range(r.sides):
        count = _write(rows, count, g.match_score[side], MATCH_SCORE, side)
        count = _write(rows, count, g.sweeps[side], SWEEPS, side)
    count = _write_set(rows, count, g.picked, PICKED)
    count = _write_set(rows, count, g.required, REQUIRED)
    for i in range(min(g.open_count, OPEN_CARDS)):
        count = _write(rows, count, g.open_cards[i], OPENED, 0)
    many = 0
    for value in bits_of(standing(g, r)):
        first = count
        count = _write_chain(g, rows, count, g.build_top[value], BUILDS + many)
        builds[many, 0], builds[many, 1] = value, owner_of(g, r, value)
        builds[many, 2] = _part_sets(g, rows, first, count)
        many += 1
    return count, many


@kernel
def _part_sets(g, rows, first, end):
    """Number the sets of a build; return how many there are."""
    part = 0
    for row in range(first, end):
        if row > first and g.starts >> rows[row, 0] & 1:
            part += 1
        rows[row, 2] = part
    return part + 1


@kernel
def _write(rows, count, what, place, part):
    rows[count, 0], rows[count, 1], rows[count, 2] = what, place, part
    return count + 1


@kernel
def _write_set(rows, count, cards, place):
    for card in bits_of(cards):
        count = _write(rows, count, card, place, 0)
    return count


@kernel
def _write_chain(g, rows, count, top, place):
    """Write a linked list, bottom first."""
    first = count
    while top >= 0 and count - first < CARDS:
        count = _write(rows, count, top, place, 0)
        top = g.below[top]
    for i in range((count - first) // 2):
        rows[first + i, 0], rows[count - 1 - i, 0] = rows[count - 1 - i, 0], rows[first + i, 0]
    return count
