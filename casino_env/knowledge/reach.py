"""What a seat can work out from its view: what each seat may hold, and what it could take from the table by that.

The segments to which the features belong are in segments.py. For each seat (0 is the one that looks) and each value of
a hand card: how likely the seat holds one, and how many cards and points one would take now.
"""

import numpy as np

from casino_env.engine.jit import card_sets, kernel, lowest, popcount, scratch
from casino_env.engine.ranks import rank_cards, values_of
from casino_env.engine.reading import away, seat_at, side_builds, side_of, standing, tops
from casino_env.engine.scoring import card_points, cards_taken
from casino_env.engine.state import NO_STEAL
from casino_env.knowledge.segments import (
    BEST_CARDS,
    BEST_POINTS,
    CERTAIN_POINTS,
    CHANCES,
    EXPECTED,
    LEAD,
    REACH_CARDS,
    REACH_POINTS,
)
from casino_env.knowledge.takes import sums_of, taken_by
from casino_env.knowledge.view import unseen
from casino_env.knowledge.writing import fill, once

_SURE = 100  # chances are in percent
_UNKNOWN = -1
_WORTH = 120  # at most: how much one wants cards, four for a point and one for a card


# --- who may hold what ---------------------------------------------------------------------------------------------


@kernel
def _find_odds(held, total, odds):
    """By how many cards of a rank are hidden (0 to 4): the chance in percent that one of them is among so many held.

    total: of all hidden cards.
    """
    missed = 1.0
    odds[0] = 0
    for k in range(min(4, total)):
        missed *= max(0.0, 1.0 - held / (total - k))
        odds[k + 1] = np.int64(_SURE * (1.0 - missed))


@kernel
def _holding(v, r, seat, value, hidden, odds):
    """The chance in percent that the seat holds a card that takes the value; hidden: cards whose place is unknown."""
    rank = rank_cards(value)
    if v.hands[seat] & rank:
        return _SURE
    if r.keep_backing and (v.owned[seat] | v.proven[seat]) >> value & 1:
        return _SURE
    return odds[popcount(hidden & rank)]


@kernel
def _level(chance):
    """0 to 4: hardly, perhaps, likely, nearly sure, sure."""
    if chance == _SURE:
        return 4
    return (chance > 20) + (chance > 45) + (chance > 70)


# --- the features --------------------------------------------------------------------------------------------------


@kernel
def _bucket(cards):
    """1, 2, 3 or 4, more."""
    return min(cards, 3) - 1 if cards < 5 else REACH_CARDS - 1


@kernel
def _points(r, cards):
    return min(card_points(r, cards), REACH_POINTS - 1)


@kernel
def _open_to(v, r, seat):
    """The cards that a capture by this seat puts together."""
    loose = v.layout & r.numeric
    return loose | tops(v, r, seat) if r.capture_tops else loose


@kernel
def _look_again(v, r, seat, taken):
    """Nothing is known yet of what cards would take for the seat; returns what it could take."""
    for value in range(16):
        taken[value] = _UNKNOWN
    open_cards = _open_to(v, r, seat)
    return open_cards, sums_of(open_cards)


@kernel
def _taken(v, r, seat, value, table, taken):
    """What a hand card of the value would take for the seat. table: what it could take."""
    if taken[value] == _UNKNOWN:
        taken[value] = taken_by(v, r, seat, value, table[0], table[1])
    return taken[value]


@kernel
def _threat(plan, row, points, cards):
    """The feature that says what would be taken by those who hold what the row says: points, and so many cards."""
    return plan.threats + (row * REACH_POINTS + min(points, REACH_POINTS - 1)) * REACH_CARDS + _bucket(cards)


@kernel
def _write_mine(v, r, plan, seat, tables, out, count):
    """What I hold and what it takes. tables: of _taken."""
    table, taken = tables
    best, most, values = 0, 0, values_of(v.hands[seat])
    if r.ace_high:
        values |= (values & 2) << 13
    values &= (2 << plan.ranks) - 1
    while values:
        value = lowest(values)
        values &= values - 1
        row = (value - 1) * CHANCES + popcount(v.hands[seat] & rank_cards(value)) - 1
        out[count] = plan.holds + row
        cards = _taken(v, r, seat, value, table, taken)
        points, many = card_points(r, cards), popcount(cards)
        out[count + 1] = _threat(plan, row, points, many)
        count += 2 if cards else 1
        best, most = max(best, points), max(most, many)
    count = fill(out, count, plan.best, min(best, BEST_POINTS))
    return fill(out, count, plan.best + BEST_POINTS, min(most, BEST_CARDS))


@kernel
def _write_other(v, r, plan, seats, tables, tally, out, count):
    """What another seat may hold and what it would take.

    seats: who looks, and the other. tally: hidden cards; by value the chance in percent that no opponent holds it, and
    what the one who wants it most would take; at 0 the points that an opponent can be sure of. tables: of _taken.
    """
    seat, other = seats
    table, taken = tables
    hidden, missed, worth = tally
    foe = side_of(r, other) != side_of(r, seat)
    odds, first = scratch(), (away(r, seat, other) * plan.ranks - 1) * CHANCES
    _find_odds(v.hidden_hand[other], popcount(hidden), odds)
    for value in range(1, plan.ranks + 1):
        chance = _holding(v, r, other, value, hidden, odds) if value < 14 or r.ace_high else 0
        if not chance:
            continue
        row = first + value * CHANCES + _level(chance)
        out[count] = plan.holds + row
        cards = _taken(v, r, other, value, table, taken)
        points, many = card_points(r, cards), popcount(cards)
        out[count + 1] = _threat(plan, row, points, many)
        count += 2 if cards else 1
        if foe:
            missed[value] = missed[value] * (_SURE - chance) // _SURE
            worth[value] = max(worth[value], min(4 * points + many, _WORTH))
            if chance == _SURE:
                worth[0] = max(worth[0], points)
    return count


@kernel
def _expected(plan, missed, worth):
    """What opponents can expect to take next, in fourths of a point: the best first."""
    expected, rest, wanted = 0.0, 1.0, 0
    for value in range(1, plan.ranks + 1):
        wanted |= (missed[value] < _SURE and worth[value] > 0) << value
    while wanted and rest >= 0.05:
        top, best, others = 0, 0, wanted
        while others:
            value = lowest(others)
            others &= others - 1
            if worth[value] > best:
                top, best = value, worth[value]
        wanted &= ~(1 << top)
        expected += rest * (1.0 - missed[top] / _SURE) * best
        rest *= missed[top] / _SURE
    return expected


@kernel
def _write_danger(v, r, plan, seat, missed, out, count):
    """Each build: whose, how likely an opponent takes it, how many cards of mine do, its points, augmented."""
    values, first = standing(v, r), count
    ours = side_builds(v, r, seat)
    while values:
        value = lowest(values)
        values &= values - 1
        owner = 0 if v.owned[seat] >> value & 1 else (1 if ours >> value & 1 else 2)
        status = 0 if missed[value] == _SURE else 1 + _level(_SURE - missed[value])
        mine = min(popcount(v.hands[seat] & rank_cards(value)), 2)
        row = ((owner * (CHANCES + 1) + status) * 3 + mine) * REACH_POINTS + _points(r, v.build_cards[value])
        count = once(out, first, count, plan.danger + 2 * row + (v.build_sets[value] > 1))
    return count


@kernel
def _write_steals(v, r, plan, seat, out, count):
    """Tops of piles that could be added to builds: by the owner's opponents, as they stand."""
    if r.steal == NO_STEAL:
        return count
    sums, rest = 1, v.layout & r.numeric
    while rest:
        sums |= sums << (lowest(rest) >> 2) + 1 & 0x7FFF
        rest &= rest - 1
    for i in range(r.players):
        pile = seat_at(r, seat, i)
        top = v.pile_top[pile]
        if top < 0 or not r.numeric >> top & 1:
            continue
        fits = sums << (top >> 2) + 1 & 0x7FFE
        ours, others = 0, 0
        for side in range(r.sides):
            if side == side_of(r, pile):
                continue
            if side == side_of(r, seat):
                ours = fits & side_builds(v, r, side)
            else:
                others |= fits & side_builds(v, r, side)
        if ours or others:
            out[count] = plan.steals + (2 * i + (ours != 0)) * REACH_POINTS + _points(r, 1 << top)
            count += 1
    return count


@kernel
def _write_lead(v, r, plan, seat, out, count):
    """Cards taken: our side's less the best of the others'."""
    best = 0
    for side in range(r.sides):
        if side != side_of(r, seat):
            best = max(best, cards_taken(v, r, side))
    ahead = cards_taken(v, r, side_of(r, seat)) - best
    out[count] = plan.lead + max(-LEAD, min(LEAD, ahead)) + LEAD
    return count + 1


@kernel
def write_reach(v, r, plan, seat, out, count):
    """Appends the features of what the seat can work out; returns how many there are then."""
    hidden = unseen(r, v)
    missed, worth = scratch(), scratch()
    for value in range(plan.ranks + 1):
        missed[value], worth[value] = _SURE, 0
    for rank in range(plan.rows // 4):
        left = popcount(hidden & 15 << 4 * rank)
        if left:
            out[count] = plan.unseen + rank * 4 + left - 1
            count += 1
    taken = card_sets()
    table = _look_again(v, r, seat, taken)
    count = _write_mine(v, r, plan, seat, (table, taken), out, count)
    for i in range(1, r.players):
        other = seat_at(r, seat, i)
        if r.capture_tops or r.bundles:  # else all seats would take the same
            table = _look_again(v, r, other, taken)
        count = _write_other(v, r, plan, (seat, other), (table, taken), (hidden, missed, worth), out, count)
    count = fill(out, count, plan.best + BEST_POINTS + BEST_CARDS, min(worth[0], CERTAIN_POINTS))
    expected = np.int64(_expected(plan, missed, worth) / 1.5)
    count = fill(out, count, plan.best + BEST_POINTS + BEST_CARDS + CERTAIN_POINTS, min(expected, EXPECTED))
    count = _write_danger(v, r, plan, seat, missed, out, count)
    count = _write_steals(v, r, plan, seat, out, count)
    return _write_lead(v, r, plan, seat, out, count)
