"""What a seat can work out from its view: who may hold what, and what could be taken from the table by that."""

import numpy as np

from casino_env.compiler.jit import bits_of, kernel, lowest, popcount
from casino_env.engine.maximal_captures import with_lone_cards
from casino_env.engine.piles import scoring_cards
from casino_env.engine.reading import pips, rank_cards, tops, values_of
from casino_env.engine.state import CHAIN_ALL

# === What a hand card of a value would take: nearly as much as it can, fast ===========================================


@kernel
def _one(cards, scoring):
    """One of the cards, one that scores if there is any."""
    best = cards & scoring
    if not best:
        best = cards
    return best & -best


@kernel
def with_sums_of(sums, cards):
    """Of some cards and these: (values as bits, the same in the opposite order from bit 15 down, what two of them add
    up to, what three do)."""
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
    """The values (both ways) for which there is another one, or the same, with which they make up the value."""
    return values[0] & values[1] >> 15 - value


@kernel
def _pairs(rest, values, value, scoring):
    """Pairs that are worth the value, as many as there are. values: of the cards of rest."""
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
    """Groups of three that are worth the value, nearly as many as there are. values: as in _pairs."""
    taken = 0
    for high in bits_of(values[0] & (1 << value - 1) - (1 << (value + 2) // 3)):
        left = value - high
        for middle in bits_of(_with_partner(values, left) & (2 << high) - (1 << (left + 1) // 2)):
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
    """Cards that one worth the value takes: its equals, then pairs, then threes. Nearly the most. values: of
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
def _taken_by(v, r, seat, value, open_cards, values, scoring):
    """What a hand card of this value would take for the seat where there are no bundles.

    open_cards: loose cards and tops that go into sums; values: of these (with_sums_of). scoring: cards that do.
    """
    if not rank_cards(value) & r.numeric:
        return _courts(v, r, value)
    if r.multi_capture:
        taken = _by_sums(open_cards, values, value, scoring)
    else:
        equal = open_cards & rank_cards(value)
        taken = _one(equal, scoring) if equal else 0
    if r.capture_tops and not (r.tops_in_sums and r.chain != CHAIN_ALL):  # else none come along
        taken = with_lone_cards(v, r, seat, value, taken)
    return taken | v.build_cards[value]


# === What each seat may hold ==========================================================================================

SURE = 100  # chances are in percent


@kernel
def find_odds(held, total, odds):
    """By how many cards of a rank are hidden (0 to 4): the chance in percent that one of them is among so many held.

    total: of all hidden cards.
    """
    missed = 1.0
    odds[0] = 0
    for k in range(min(4, total)):
        missed *= max(0.0, 1.0 - held / (total - k))
        odds[k + 1] = np.int64(SURE * (1.0 - missed))


@kernel
def surely_held(v, r, seat):
    """Bit v: the seat certainly holds a card that takes v."""
    values = values_of(v.hands[seat])
    values |= (values & 2) << 13
    return values | v.owned[seat] | v.proven[seat] if r.keep_backing else values


# By chance in percent, 0 to 4: hardly, perhaps, likely, nearly sure, sure.
LEVELS = np.searchsorted([21, 46, 71, SURE], np.arange(SURE + 1), side="right").astype(np.int8)


@kernel
def loose_in_reach(v, r, built):
    """Of the loose cards that go into sums: their sums (with_sums_of); and the values that take something but those.
    built: values of builds that stand."""
    courts = v.layout & ~r.numeric
    return with_sums_of((0, 0, 0, 0), v.layout & r.numeric), built | (values_of(courts) if courts else 0)


@kernel
def _rewarding(r, values, found):
    """Bit v: a card worth v may take something; for all others it is not asked what. values: as in _taken_by. found:
    such values beside those."""
    if r.bundles:
        return -1
    found |= values[0]
    if r.multi_capture:
        found |= values[2] | values[3]
    return found | (found & 2) << 13  # an ace of 14 takes aces as well


@kernel
def cards_in_reach(v, r, seat, loose):
    """What the seat could take: the cards that a capture puts together, their sums, and the values that may take
    something. loose: of loose_in_reach."""
    open_cards, sums = v.layout & r.numeric, loose[0]
    if r.capture_tops and r.tops_in_sums:
        top = tops(v, r, seat)
        open_cards |= top
        sums = with_sums_of(sums, top)
    return open_cards, sums, _rewarding(r, sums, loose[1])


@kernel
def find_taken(v, r, seat, values, table, taken):
    """What hand cards of these values would take for the seat. table: of cards_in_reach."""
    if r.bundles:
        for value in bits_of(values):
            taken[value] = _bundle(v, r, seat, value)
        return
    scoring = scoring_cards(r)
    for value in bits_of(values):
        taken[value] = _taken_by(v, r, seat, value, table[0], table[1], scoring)


@kernel
def by_value(vector):
    """Counts of ranks (maximal_captures.py) by what they take: four bits each, aces at 1 and 14."""
    return vector << 4 | (vector & 15) << 56
