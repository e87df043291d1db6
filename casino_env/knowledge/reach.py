"""What a seat can work out: who may hold what, what could be taken from the table and by whom, how safe builds are."""

import numpy as np

from casino_env.compiler.jit import card_sets, kernel, lowest, mirrored, popcount, scratch
from casino_env.engine.piles import scoring_cards
from casino_env.engine.reading import away, pips, rank_cards, seat_at, side_builds, side_of, standing, tops, values_of
from casino_env.engine.scoring import card_points, cards_taken
from casino_env.engine.state import NO_STEAL
from casino_env.knowledge.feature_list import fill, once
from casino_env.knowledge.layout import (
    BEST_CARDS,
    BEST_POINTS,
    CERTAIN_POINTS,
    CHANCES,
    EXPECTED,
    LEAD,
    REACH_CARDS,
    REACH_POINTS,
)
from casino_env.knowledge.view import unseen

# === What a hand card of a value would take: nearly as much as it can, fast ===========================================


@kernel
def _one(cards, scoring):
    """One of the cards, one that scores if there is any."""
    best = cards & scoring
    return 1 << lowest(best if best else cards)


@kernel
def sums_of(cards):
    """(values as bits, the same in the opposite order from bit 15 down, what two or three of the cards add up to)"""
    ones, twos, threes = 0, 0, 0
    while cards:
        value = pips(lowest(cards))
        cards &= cards - 1
        threes |= twos << value
        twos |= ones << value
        ones |= 1 << value
    return ones, mirrored(ones) >> 48 & 0xFFFF, twos | threes


@kernel
def _with_partner(values, value):
    """The values (both ways) for which there is another one, or the same, with which they make up the value."""
    return values[0] & values[1] >> 15 - value


@kernel
def _pairs(rest, values, value, scoring):
    """Pairs that are worth the value, as many as there are. values: of the cards of rest."""
    taken, partners = 0, _with_partner(values, value)
    lows = partners & (1 << (value + 1) // 2) - 1
    while lows:
        low = lowest(lows)
        lows &= lows - 1
        these, those = rest & rank_cards(low), rest & rank_cards(value - low)
        while these and those:
            pair = _one(these, scoring) | _one(those, scoring)
            taken |= pair
            these &= ~pair
            those &= ~pair
    if value % 2 == 0 and partners >> value // 2 & 1:
        these = rest & rank_cards(value // 2)
        while popcount(these) > 1:
            one = _one(these, scoring)
            taken |= one
            these &= ~one
            one = _one(these, scoring)
            taken |= one
            these &= ~one
    return taken


@kernel
def _triples(rest, values, value, scoring):
    """Groups of three that are worth the value, nearly as many as there are. values: as in _pairs."""
    taken, highs = 0, values[0] & (1 << value - 1) - (1 << (value + 2) // 3)
    while highs:
        high = lowest(highs)
        highs &= highs - 1
        left = value - high
        middles = _with_partner(values, left) & (2 << high) - (1 << (left + 1) // 2)
        while middles:
            middle = lowest(middles)
            middles &= middles - 1
            taken |= _groups(rest & ~taken, (high, middle, left - middle), scoring)
    return taken


@kernel
def _groups(rest, parts, scoring):
    """As many groups of a card of each of the three values as there are."""
    taken = 0
    while True:
        group = 0
        for part in parts:
            cards = rest & rank_cards(part) & ~(taken | group)
            if not cards:
                return taken
            group |= _one(cards, scoring)
        taken |= group


@kernel
def _by_sums(open_cards, values, value, scoring):
    """Cards that one worth the value takes: its equals, then pairs, then threes. Nearly the most."""
    taken = open_cards & rank_cards(value)
    if values[2] >> value & 1:
        rest = open_cards & (1 << 4 * (value - 1)) - 1
        below = values[0] & (1 << value) - 1, values[1] & -1 << 16 - value
        taken |= _pairs(rest, below, value, scoring)
        if value > 2:
            taken |= _triples(rest & ~taken, below, value, scoring)
    return taken


@kernel
def _bundle(v, r, seat, value):
    """Stealing Bundles: the equal cards on the table, or the pile of an equal top."""
    rank = rank_cards(value)
    best = v.layout & rank
    for other in range(r.players):
        top = v.pile_top[other]
        if other != seat and top >= 0 and rank >> top & 1 and popcount(v.piles[other]) > popcount(best):
            best = v.piles[other]
    return best


@kernel
def _courts(v, r, value):
    cards = v.layout & rank_cards(value)
    if r.court_take and popcount(cards) > 1 and not (r.court_take == 1 and popcount(cards) > 2):
        return 1 << lowest(cards)
    return cards


@kernel
def taken_by(v, r, seat, value, open_cards, values):
    """What a hand card of this value would take for the seat.

    open_cards: loose cards and tops that go into sums; values: of these (sums_of).
    """
    if r.bundles:
        return _bundle(v, r, seat, value)
    if not rank_cards(value) & r.numeric:
        return _courts(v, r, value)
    scoring = scoring_cards(r)
    if r.multi_capture:
        taken = _by_sums(open_cards, values, value, scoring)
    else:
        equal = open_cards & rank_cards(value)
        taken = _one(equal, scoring) if equal else 0
    return taken | v.build_cards[value]


# === What each seat may hold, and what it could take from the table by that ===========================================
#
# The segments to which the features belong are in layout.py. For each seat (0 is the one that looks) and each value of
# a hand card: how likely the seat holds one, and how many cards and points one would take now.

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
def _threat(layout, row, points, cards):
    """The feature that says what would be taken by those who hold what the row says: points, and so many cards."""
    return layout.threats + (row * REACH_POINTS + min(points, REACH_POINTS - 1)) * REACH_CARDS + _bucket(cards)


@kernel
def _write_mine(v, r, layout, seat, tables, out, count):
    """What I hold and what it takes. tables: of _taken."""
    table, taken = tables
    best, most, values = 0, 0, values_of(v.hands[seat])
    if r.ace_high:
        values |= (values & 2) << 13
    values &= (2 << layout.ranks) - 1
    while values:
        value = lowest(values)
        values &= values - 1
        row = (value - 1) * CHANCES + popcount(v.hands[seat] & rank_cards(value)) - 1
        out[count] = layout.holds + row
        cards = _taken(v, r, seat, value, table, taken)
        points, many = card_points(r, cards), popcount(cards)
        out[count + 1] = _threat(layout, row, points, many)
        count += 2 if cards else 1
        best, most = max(best, points), max(most, many)
    count = fill(out, count, layout.best, min(best, BEST_POINTS))
    return fill(out, count, layout.best + BEST_POINTS, min(most, BEST_CARDS))


@kernel
def _write_other(v, r, layout, seats, tables, tally, out, count):
    """What another seat may hold and what it would take.

    seats: who looks, and the other. tally: hidden cards; by value the chance in percent that no opponent holds it, and
    what the one who wants it most would take; at 0 the points that an opponent can be sure of. tables: of _taken.
    """
    seat, other = seats
    table, taken = tables
    hidden, missed, worth = tally
    foe = side_of(r, other) != side_of(r, seat)
    odds, first = scratch(), (away(r, seat, other) * layout.ranks - 1) * CHANCES
    _find_odds(v.hidden_hand[other], popcount(hidden), odds)
    for value in range(1, layout.ranks + 1):
        chance = _holding(v, r, other, value, hidden, odds) if value < 14 or r.ace_high else 0
        if not chance:
            continue
        row = first + value * CHANCES + _level(chance)
        out[count] = layout.holds + row
        cards = _taken(v, r, other, value, table, taken)
        points, many = card_points(r, cards), popcount(cards)
        out[count + 1] = _threat(layout, row, points, many)
        count += 2 if cards else 1
        if foe:
            missed[value] = missed[value] * (_SURE - chance) // _SURE
            worth[value] = max(worth[value], min(4 * points + many, _WORTH))
            if chance == _SURE:
                worth[0] = max(worth[0], points)
    return count


@kernel
def _expected(layout, missed, worth):
    """What opponents can expect to take next, in fourths of a point: the best first."""
    expected, rest, wanted = 0.0, 1.0, 0
    for value in range(1, layout.ranks + 1):
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
def _write_danger(v, r, layout, seat, missed, out, count):
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
        count = once(out, first, count, layout.danger + 2 * row + (v.build_sets[value] > 1))
    return count


@kernel
def _write_steals(v, r, layout, seat, out, count):
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
            out[count] = layout.steals + (2 * i + (ours != 0)) * REACH_POINTS + _points(r, 1 << top)
            count += 1
    return count


@kernel
def _write_lead(v, r, layout, seat, out, count):
    """Cards taken: our side's less the best of the others'."""
    best = 0
    for side in range(r.sides):
        if side != side_of(r, seat):
            best = max(best, cards_taken(v, r, side))
    ahead = cards_taken(v, r, side_of(r, seat)) - best
    out[count] = layout.lead + max(-LEAD, min(LEAD, ahead)) + LEAD
    return count + 1


@kernel
def write_reach(v, r, layout, seat, out, count):
    """Appends the features of what the seat can work out; returns how many there are then."""
    hidden = unseen(r, v)
    missed, worth = scratch(), scratch()
    for value in range(layout.ranks + 1):
        missed[value], worth[value] = _SURE, 0
    for rank in range(layout.rows // 4):
        left = popcount(hidden & 15 << 4 * rank)
        if left:
            out[count] = layout.unseen + rank * 4 + left - 1
            count += 1
    taken = card_sets()
    table = _look_again(v, r, seat, taken)
    count = _write_mine(v, r, layout, seat, (table, taken), out, count)
    for i in range(1, r.players):
        other = seat_at(r, seat, i)
        if r.capture_tops or r.bundles:  # else all seats would take the same
            table = _look_again(v, r, other, taken)
        count = _write_other(v, r, layout, (seat, other), (table, taken), (hidden, missed, worth), out, count)
    count = fill(out, count, layout.best + BEST_POINTS + BEST_CARDS, min(worth[0], CERTAIN_POINTS))
    expected = np.int64(_expected(layout, missed, worth) / 1.5)
    count = fill(out, count, layout.best + BEST_POINTS + BEST_CARDS + CERTAIN_POINTS, min(expected, EXPECTED))
    count = _write_danger(v, r, layout, seat, missed, out, count)
    count = _write_steals(v, r, layout, seat, out, count)
    return _write_lead(v, r, layout, seat, out, count)
