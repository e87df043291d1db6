"""Reading cards and a game record: ranks and values, whose piles, whose builds, what is loose, what backs what."""

from casino_env.compiler.jit import bits_of, kernel, popcount
from casino_env.engine.state import DISCARD_ALWAYS, DISCARD_NEVER, NO_CHAIN, SEATS

# === Card arithmetic for kernels: ranks, values and suits as bits of a set of cards ===================================

SPADES = 0x1111111111111
ACES = 15
TWO_OF_SPADES, JACK_OF_SPADES = 4, 40  # cards


@kernel
def pips(card):
    """The value of a card by its rank, the ace as 1."""
    return (card >> 2) + 1


@kernel
def values_of(cards):
    """Bit v: one of the cards is worth v by its rank, an ace 1."""
    cards |= cards >> 1
    cards = (cards | cards >> 2) & SPADES
    cards = (cards | cards >> 3) & 0x3030303030303  # the bits of neighbours move together, then two and two, and so on
    cards = (cards | cards >> 6) & 0xF000F000F000F
    cards = (cards | cards >> 12) & 0xFF000000FF
    return (cards | cards >> 24) << 1 & 0x3FFE


@kernel
def cards_of_values(values):
    """All cards whose rank is worth one of the values (bit v), an ace 1: values_of backwards."""
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
    return 15 << 4 * (value - 1 if value < 14 else 0)  # no remainder: a division would take longer than all else


@kernel
def card_value(r, card):
    """Value for sums with an ace as 1; 0 for a court card that has none."""
    return pips(card) if r.numeric >> card & 1 else 0


# === Reading a game record: whose piles, whose builds, what is loose, what backs what =================================


@kernel
def side_of(r, seat):
    """Sides are single seats or pairs; a remainder would take longer than all else that is done with it."""
    return seat - r.sides if seat >= r.sides else seat


@kernel
def seat_at(r, seat, places):
    """The seat that comes so many places (fewer than there are seats) after a seat."""
    other = seat + places
    return other - r.players if other >= r.players else other


@kernel
def away(r, seat, other):
    """How many places after a seat another one comes."""
    return other - seat if other >= seat else other - seat + r.players


@kernel
def pile_of(r, seat):
    """Partners that share a pile keep it at the lower seat."""
    return seat % 2 if r.shared_pile else seat


@kernel
def partner_of(seat):
    return (seat + 2) % 4


@kernel
def owner_of(g, r, value):
    """Seat that owns the build of this value; -1 if there is none."""
    for seat in range(r.players):
        if g.owned[seat] >> value & 1:
            return seat
    return -1


@kernel
def standing(g, r):
    """Bit v: a build of v is on the table."""
    values = 0
    for seat in range(SEATS):  # nobody sits on the rest: faster than to ask how many there are
        values |= g.owned[seat]
    return values


@kernel
def side_builds(g, r, seat):
    """Bit v: the build of v belongs to the seat's side."""
    if r.partners:
        return g.owned[seat] | g.owned[partner_of(seat)]
    return g.owned[seat]


@kernel
def stock_cards(g):
    """All of the stock, which is empty in a view."""
    cards, card = 0, g.stock_top
    while card >= 0 and not cards >> card & 1:
        cards |= 1 << card
        card = g.below[card]
    return cards


@kernel
def _closed_piles(g, r, seat):
    """Bit p: the seat may not use the top of pile p: its own, its partner's unless the rules say so, and where a pile
    gives one card a turn one that has given it."""
    closed = 1 << seat
    if r.partners and not r.steal_from_partner:
        closed |= 1 << partner_of(seat)
    if r.chain == NO_CHAIN and seat == g.to_move:
        closed |= g.stolen
    return closed


@kernel
def open_piles(g, r, seat):
    """Bit p: the seat may use the top of pile p."""
    piles = 0
    for pile in range(SEATS):
        piles |= (g.pile_top[pile] >= 0) << pile
    return piles & ~_closed_piles(g, r, seat)


@kernel
def _top_of(g, pile):
    """The top as a set of cards; of an empty pile the last bit, which is no card."""
    return 1 << (g.pile_top[pile] & 63)


@kernel
def tops(g, r, seat):
    """Pile tops that the seat may use."""
    cards = 0
    for pile in range(SEATS):
        cards |= _top_of(g, pile)
    for pile in bits_of(_closed_piles(g, r, seat)):
        cards &= ~_top_of(g, pile)
    return cards & r.numeric


@kernel
def loose_cards(g, r):
    """Layout cards that may go into sets now."""
    if g.laid_now >= 0 and not r.use_discard_same_turn:
        return g.layout & ~(1 << g.laid_now) & r.numeric
    return g.layout & r.numeric


@kernel
def _beyond_need(hand, builds, value):
    """How many cards more of the value the hand has than one for each build (bit v) that they take."""
    need = 1
    if value == 1 or value == 14:  # an ace each
        need = (builds >> 1 & 1) + (builds >> 14 & 1)
    return popcount(hand & rank_cards(value)) - need


@kernel
def spare(hand, builds):
    """The cards of the hand that may leave it while every build (bit v) keeps a card of its own to take it."""
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
    """Every build (bit v) has a card of its own in the hand."""
    for value in bits_of(builds):
        if _beyond_need(hand, builds, value) < 0:
            return False
    return True


@kernel
def kept(g, r, seat):
    """The builds for which the seat must keep cards all the time."""
    return g.owned[seat] if r.keep_backing else 0


@kernel
def first_phase(g, r):
    """Before the last deal, or before the stock is drawn (a view counts it)."""
    if r.draw_hand:
        return g.stock_top >= 0 or g.hidden_stock > 0
    return g.round < r.rounds


@kernel
def build_limit(g, r):
    """Builds that a seat may own now; a number above all values if there is no limit."""
    if r.build_limit == 0 or (r.limit_first_phase_only and not first_phase(g, r)):
        return 99
    return r.build_limit


@kernel
def over_limit(g, r, seat):
    """Owns one build too many: one of them has to be captured this turn."""
    return popcount(g.owned[seat]) > build_limit(g, r)


@kernel
def owners_may_discard(g, r):
    if r.owner_discard == DISCARD_ALWAYS:
        return True
    return r.owner_discard != DISCARD_NEVER and not first_phase(g, r)
