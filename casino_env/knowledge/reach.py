"""What a seat can work out from its view: who may hold which values, and what those would capture."""

import numpy as np

from casino_env.compiler.jit import bits_of, kernel, lowest, popcount
from casino_env.engine.maximal_captures import with_lone_cards
from casino_env.engine.piles import scoring_cards
from casino_env.engine.reading import pips, rank_cards, tops, values_of
from casino_env.engine.state import CHAIN_ALL

# === What a hand card of a value would take: a fast, nearly maximal capture ===========================================


@kernel
def _one(cards, scoring):
    """One of the cards, a scoring card if there is one."""
    best = cards & scoring
    if not best:
        best = cards
    return best & -best


@kernel
def with_sums_of(sums, cards):
    """Extend four bitmasks by these cards: (values of the cards, the same mirrored from bit 15 down, sums of two cards,
    sums of three)."""
    ones, back, twos, threes = sums
    for card in bits_of(cards):
        value = pips(card)
        threes |= twos << value
        twos |= ones << value
        ones |= 1 << value
        back |= 1 << 15 - value
    return ones, back, twos, threes


@kernel
def _with_partner(values, value):
    """Bitmask of the values whose complement to `value` is among the values too."""
    return values[0] & values[1] >> 15 - value


@kernel
def _pairs(rest, values, value, scoring):
    """All disjoint pairs worth the value. values: of the cards in `rest`."""
    taken, partners = 0, _with_partner(values, value)
    for low in bits_of(partners & (1 << (value + 1) // 2) - 1):
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
    """Groups of three worth the value, nearly as many as possible. values: as in _pairs."""
    taken = 0
    for high in bits_of(values[0] & (1 << value - 1) - (1 << (value + 2) // 3)):
        left = value - high
        for middle in bits_of(_with_partner(values, left) & (2 << high) - (1 << (left + 1) // 2)):
            taken |= _groups(rest & ~taken, (high, middle, left - middle), scoring)
    return taken


@kernel
def _groups(rest, parts, scoring):
    """As many groups as possible with one card of each of the three values."""
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
    """The cards that a card worth value takes: equals, then pairs, then triples; nearly the most possible. values: from
    with_sums_of."""
    taken = open_cards & rank_cards(value)
    if (values[2] | values[3]) >> value & 1:
        rest = open_cards & (1 << 4 * (value - 1)) - 1
        below = values[0] & (1 << value) - 1, values[1] & -1 << 16 - value
        if values[2] >> value & 1:
            taken |= _pairs(rest, below, value, scoring)
        if values[3] >> value & 1:
            taken |= _triples(rest & ~taken, below, value, scoring)
    return taken


@kernel
def _bundle(v, r, seat, value):
    """Stealing Bundles: the equal loose cards, or the largest pile with an equal top."""
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
def _taken_by(v, r, seat, value, open_cards, values, scoring):
    """What a hand card of this value would take for the seat, except in Stealing Bundles.

    open_cards: loose cards and tops that enter sums; values: their with_sums_of. scoring: cards that score.
    """
    if not rank_cards(value) & r.numeric:
        return _courts(v, r, value)
    if r.multi_capture:
        taken = _by_sums(open_cards, values, value, scoring)
    else:
        equal = open_cards & rank_cards(value)
        taken = _one(equal, scoring) if equal else 0
    if r.capture_tops and not (r.tops_in_sums and r.chain != CHAIN_ALL):  # otherwise there are no lone pile cards
        taken = with_lone_cards(v, r, seat, value, taken)
    return taken | v.build_cards[value]


# === What each seat may hold ==========================================================================================

SURE = 100  # chances in percent


@kernel
def find_odds(held, total, odds):
    """Fill odds: for k = 0 to 4 hidden cards of a rank, the percent chance that `held` hidden cards include one.

    total: number of all hidden cards.
    """
    missed = 1.0
    odds[0] = 0
    for k in range(min(4, total)):
        missed *= max(0.0, 1.0 - held / (total - k))
        odds[k + 1] = np.int64(SURE * (1.0 - missed))


@kernel
def surely_held(v, r, seat):
    """Bitmask of values for which the seat certainly holds a card that takes them."""
    values = values_of(v.hands[seat])
    values |= (values & 2) << 13
    return values | v.owned[seat] | v.proven[seat] if r.keep_backing else values


# Level by chance in percent: 0 hardly, 1 perhaps, 2 likely, 3 nearly sure, 4 sure.
LEVELS = np.searchsorted([21, 46, 71, SURE], np.arange(SURE + 1), side="right").astype(np.int8)


@kernel
def loose_in_reach(v, r, built):
    """(with_sums_of the loose cards, bitmask of values that take something else: builds or court cards). built: values
    of standing builds."""
    courts = v.layout & ~r.numeric
    return with_sums_of((0, 0, 0, 0), v.layout & r.numeric), built | (values_of(courts) if courts else 0)


@kernel
def _rewarding(r, values, found):
    """Bitmask of values with which a card may take something; `taken` is computed for these only. values: as in
    _taken_by; found: values that take something beyond sums."""
    if r.bundles:
        return -1
    found |= values[0]
    if r.multi_capture:
        found |= values[2] | values[3]
    return found | (found & 2) << 13  # an ace as 14 takes aces too


@kernel
def cards_in_reach(v, r, seat, loose):
    """(cards that enter sums for the seat, their with_sums_of, bitmask of values that may take something). loose: from
    loose_in_reach."""
    open_cards, sums = v.layout & r.numeric, loose[0]
    if r.capture_tops and r.tops_in_sums:
        top = tops(v, r, seat)
        open_cards |= top
        sums = with_sums_of(sums, top)
    return open_cards, sums, _rewarding(r, sums, loose[1])


@kernel
def find_taken(v, r, seat, values, table, taken):
    """Fill taken[value] for hand cards of these values. table: from cards_in_reach."""
    if r.bundles:
        for value in bits_of(values):
            taken[value] = _bundle(v, r, seat, value)
        return
    scoring = scoring_cards(r)
    for value in bits_of(values):
        taken[value] = _taken_by(v, r, seat, value, table[0], table[1], scoring)


@kernel
def by_value(vector):
    """Regroup counts by rank (maximal_captures.py) by value: four bits each, aces at 1 and 14."""
    return vector << 4 | (vector & 15) << 56
