"""Queries of cards and of a game record: values, owners of piles and builds, usable cards, backing."""

from casino_env.compiler.jit import bits_of, kernel, popcount
from casino_env.engine.state import DISCARD_ALWAYS, DISCARD_NEVER, NO_CHAIN, SEATS

# === Card arithmetic on bitmasks ======================================================================================

SPADES = 0x1111111111111
ACES = 15
TWO_OF_SPADES, JACK_OF_SPADES = 4, 40  # cards


@kernel
def pips(card):
    """The value of a card by its rank; an ace is 1."""
    return (card >> 2) + 1


@kernel
def values_of(cards):
    """Bitmask of the values of the cards by rank; an ace is 1."""
    cards |= cards >> 1
    cards = (cards | cards >> 2) & SPADES
    cards = (cards | cards >> 3) & 0x3030303030303  # gather neighbouring bits, then pairs, and so on
    cards = (cards | cards >> 6) & 0xF000F000F000F
    cards = (cards | cards >> 12) & 0xFF000000FF
    return (cards | cards >> 24) << 1 & 0x3FFE


@kernel
def cards_of_values(values):
    """All cards of the ranks in a bitmask of values, the inverse of values_of; an ace is 1."""
    cards = values >> 1 & 0x1FFF
    cards = (cards | cards << 24) & 0xFF000000FF
    cards = (cards | cards << 12) & 0xF000F000F000F
    cards = (cards | cards << 6) & 0x3030303030303
    return ((cards | cards << 3) & SPADES) * 15


@kernel
def same_rank(card):
    """The four cards of the card's rank."""
    return 15 << (card & ~3)


@kernel
def rank_cards(value):
    """The cards that take a build of this value (an ace takes 1 and 14)."""
    return 15 << 4 * (value - 1 if value < 14 else 0)  # no %: a division would dominate the cost


@kernel
def card_value(r, card):
    """The value of a card in sums, an ace as 1; 0 for a court card without a value."""
    return pips(card) if r.numeric >> card & 1 else 0


# === Queries of a game record: owners of piles and builds, usable cards, backing ======================================


@kernel
def side_of(r, seat):
    """The side of a seat: a single seat or a pair of partners."""
    return seat - r.sides if seat >= r.sides else seat


@kernel
def seat_at(r, seat, places):
    """The seat `places` after a seat; places is less than the number of seats."""
    other = seat + places
    return other - r.players if other >= r.players else other


@kernel
def away(r, seat, other):
    """How many places after a seat the other one sits."""
    return other - seat if other >= seat else other - seat + r.players


@kernel
def pile_of(r, seat):
    """The index of the seat's pile; a shared pile is at the lower seat."""
    return seat % 2 if r.shared_pile else seat


@kernel
def partner_of(seat):
    return (seat + 2) % 4


@kernel
def owner_of(g, r, value):
    """The seat that owns the build of this value; -1 if there is no such build."""
    for seat in range(r.players):
        if g.owned[seat] >> value & 1:
            return seat
    return -1


@kernel
def standing(g, r):
    """Bitmask of the values of builds on the table."""
    values = 0
    for seat in range(SEATS):  # empty seats own nothing; a constant bound is faster than r.players
        values |= g.owned[seat]
    return values


@kernel
def side_builds(g, r, seat):
    """Bitmask of the values of builds that the seat's side owns."""
    if r.partners:
        return g.owned[seat] | g.owned[partner_of(seat)]
    return g.owned[seat]


@kernel
def stock_cards(g):
    """All cards of the stock; none in a view."""
    cards, card = 0, g.stock_top
    while card >= 0 and not cards >> card & 1:
        cards |= 1 << card
        card = g.below[card]
    return cards


@kernel
def _closed_piles(g, r, seat):
    """Bitmask of piles whose tops the seat may not use: its own, its partner's unless the rules allow it, and with
    chain = no the piles that gave a card this turn."""
    closed = 1 << seat
    if r.partners and not r.steal_from_partner:
        closed |= 1 << partner_of(seat)
    if r.chain == NO_CHAIN and seat == g.to_move:
        closed |= g.stolen
    return closed


@kernel
def open_piles(g, r, seat):
    """Bitmask of piles whose tops the seat may use."""
    piles = 0
    for pile in range(SEATS):
        piles |= (g.pile_top[pile] >= 0) << pile
    return piles & ~_closed_piles(g, r, seat)


@kernel
def _top_of(g, pile):
    """The top as a set of cards; bit 63, which is no card, if the pile is empty."""
    return 1 << (g.pile_top[pile] & 63)


@kernel
def tops(g, r, seat):
    """The pile tops that the seat may use."""
    cards = 0
    for pile in range(SEATS):
        cards |= _top_of(g, pile)
    for pile in bits_of(_closed_piles(g, r, seat)):
        cards &= ~_top_of(g, pile)
    return cards & r.numeric


@kernel
def loose_cards(g, r):
    """The loose cards that may go into sets now."""
    if g.laid_now >= 0 and not r.use_discard_same_turn:
        return g.layout & ~(1 << g.laid_now) & r.numeric
    return g.layout & r.numeric


@kernel
def _beyond_need(hand, builds, value):
    """How many more cards of the value the hand has than the builds (a bitmask) of its rank need."""
    need = 1
    if value == 1 or value == 14:  # each needs its own ace
        need = (builds >> 1 & 1) + (builds >> 14 & 1)
    return popcount(hand & rank_cards(value)) - need


@kernel
def spare(hand, builds):
    """The hand cards of which any one may leave while each build (a bitmask) keeps a card of its own that takes it."""
    free = hand
    for value in bits_of(builds):
        more = _beyond_need(hand, builds, value)
        if more < 0:
            return 0
        if more == 0:
            free &= ~rank_cards(value)
    return free


@kernel
def backed(hand, builds):
    """Whether the hand has a card of its own for each build (a bitmask)."""
    for value in bits_of(builds):
        if _beyond_need(hand, builds, value) < 0:
            return False
    return True


@kernel
def kept(g, r, seat):
    """Bitmask of builds that the seat must back at all times."""
    return g.owned[seat] if r.keep_backing else 0


@kernel
def first_phase(g, r):
    """Whether it is before the last deal, or before the stock is drawn (a view counts the stock)."""
    if r.draw_hand:
        return g.stock_top >= 0 or g.hidden_stock > 0
    return g.round < r.rounds


@kernel
def build_limit(g, r):
    """How many builds a seat may own now; 99 if there is no limit."""
    if r.build_limit == 0 or (r.limit_first_phase_only and not first_phase(g, r)):
        return 99
    return r.build_limit


@kernel
def over_limit(g, r, seat):
    """Whether the seat owns more builds than the limit, so one must be captured this turn."""
    return popcount(g.owned[seat]) > build_limit(g, r)


@kernel
def owners_may_discard(g, r):
    if r.owner_discard == DISCARD_ALWAYS:
        return True
    return r.owner_discard != DISCARD_NEVER and not first_phase(g, r)
