"""What a hand card of a value would take, nearly as much as it can: fast, for whoever looks at many tables."""

from casino_env.engine.jit import kernel, lowest, popcount
from casino_env.engine.piles import scoring_cards
from casino_env.engine.ranks import SPADES, rank_cards


@kernel
def _one(cards, scoring):
    """One of the cards, one that scores if there is any."""
    best = cards & scoring
    return 1 << lowest(best if best else cards)


@kernel
def _values_of(cards):
    """The values of the cards, as bits: 1 for an ace."""
    cards |= cards >> 1
    cards = (cards | cards >> 2) & SPADES
    values = 0
    while cards:
        values |= 2 << (lowest(cards) >> 2)
        cards &= cards - 1
    return values


@kernel
def _pairs(rest, values, value, scoring):
    """Pairs that are worth the value, as many as there are. values: of the cards of rest."""
    taken, low = 0, 1
    while 2 * low < value:
        if values >> low & values >> value - low & 1:
            these, those = rest & rank_cards(low), rest & rank_cards(value - low)
            while these and those:
                pair = _one(these, scoring) | _one(those, scoring)
                taken |= pair
                these &= ~pair
                those &= ~pair
        low += 1
    if value % 2 == 0 and values >> value // 2 & 1:
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
    for high in range((value + 2) // 3, value - 1):
        if not values >> high & 1:
            continue
        for middle in range((value - high + 1) // 2, min(high, value - high - 1) + 1):
            low = value - high - middle
            if not values >> middle & values >> low & 1:
                continue
            while True:
                group = 0
                for part in (high, middle, low):
                    cards = rest & rank_cards(part) & ~(taken | group)
                    if not cards:
                        break
                    group |= _one(cards, scoring)
                if popcount(group) < 3:
                    break
                taken |= group
    return taken


@kernel
def _by_sums(open_cards, value, scoring):
    """Cards that one worth the value takes: its equals, then pairs, then threes. Nearly the most."""
    taken = open_cards & rank_cards(value)
    rest = open_cards & (1 << 4 * (value - 1)) - 1
    if rest & rest - 1:
        values = _values_of(rest)
        taken |= _pairs(rest, values, value, scoring)
        if value > 2:
            taken |= _triples(rest & ~taken, values, value, scoring)
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
def taken_by(v, r, seat, value, open_cards):
    """What a hand card of this value would take for the seat; open_cards: loose cards and tops that go into sums."""
    if r.bundles:
        return _bundle(v, r, seat, value)
    if not rank_cards(value) & r.numeric:
        return _courts(v, r, value)
    scoring = scoring_cards(r)
    if r.multi_capture:
        taken = _by_sums(open_cards, value, scoring)
    else:
        equal = open_cards & rank_cards(value)
        taken = _one(equal, scoring) if equal else 0
    return taken | v.build_cards[value]
