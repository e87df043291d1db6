"""What one seat may know of a game: a record of the same shape, in which hidden cards are removed and counted.

Observations, beliefs, drawings and agents are made from views, so this is the only place where a card could leak.
"""

from casino_env.cards import CARDS
from casino_env.compiler.jit import bits_of, kernel, popcount
from casino_env.engine.reading import partner_of, pile_of, rank_cards, stock_cards
from casino_env.engine.state import FACE_DOWN, GRANT, SEATS, SECRET, SORTING

PERFECT, NONE = 0, 1  # memory of face-down piles
MEMORIES = ("perfect", "none")


@kernel
def make_view(g, r, seat, memory, v):
    """Write into v, a copy of g, what the seat knows of g."""
    v.rng = 0
    for other in range(r.players):
        if other != seat:
            _hide_hand(g, v, other)
    _hide_stock(v)
    if g.mode == SORTING and g.to_move != seat:
        _unsort(r, v)
    if r.stacking == SECRET:
        for pile in range(r.players):
            _forget_order(g, v, seat, pile)
    if r.stacking == FACE_DOWN:
        _close_piles(r, seat, memory, v)
    deduce(r, seat, v)


@kernel
def shown(g):
    """The mover's hand cards that everybody sees, because they have been declared."""
    cards = g.picked
    if g.hand_card >= 0:
        cards |= 1 << g.hand_card
    return cards & g.hands[g.to_move]


@kernel
def _hide_hand(g, v, other):
    known = shown(g) if other == g.to_move else 0
    v.hidden_hand[other] = popcount(g.hands[other] & ~known)
    v.hands[other] = known


@kernel
def _hide_stock(v):
    cards, card = 0, v.stock_top
    while card >= 0:
        cards |= 1 << card
        under = v.below[card]
        v.below[card], v.laid[card] = -1, 0
        card = under
    v.starts &= ~cards
    v.stock_top = -1
    v.hidden_stock = popcount(cards)


@kernel
def _forget_places(v, cards):
    """Erase where the cards lay and when they were laid."""
    v.starts &= ~cards
    for card in bits_of(cards):
        v.below[card] = -1
        v.laid[card] = 0


@kernel
def _unsort(r, v):
    """Put the cards that the capturer is sorting face down back among the cards to sort, as the others see them. Erase
    their places, which would tell which cards are laid already."""
    pile = pile_of(r, v.to_move)
    while v.pile_top[pile] >= 0 and v.picked >> v.pile_top[pile] & 1:
        card = v.pile_top[pile]
        v.pile_top[pile] = v.below[card]
    v.piles[pile] &= ~v.picked
    v.required |= v.picked
    v.picked = 0
    _forget_places(v, v.required)


@kernel
def _forget_order(g, v, seat, pile):
    """Hide the order of each batch below its top card, except from the seat that laid it."""
    card = v.pile_top[pile]
    for _ in range(CARDS):
        if card < 0:
            break
        if v.laid[card] == seat or v.starts >> card & 1:
            card = v.below[card]  # laid by the seat itself, or the last card of a batch
            continue
        card = _sort_batch(v, card)


@kernel
def _sort_batch(v, top):
    """Put the cards below the top of a batch into a neutral order; return the next batch."""
    cards, card = 0, top
    for _ in range(CARDS):
        if v.below[card] < 0 or v.starts >> card & 1:
            break
        card = v.below[card]
        cards |= 1 << card
    under = v.below[card]
    if popcount(cards) == 1:
        return under
    v.starts &= ~cards
    last = top
    v.shuffled |= cards
    for card in bits_of(cards):
        v.below[last] = card
        last = card
    v.below[last] = under
    v.starts |= 1 << last
    return under


@kernel
def _close_piles(r, seat, memory, v):
    """Reduce face-down piles to sets, or without memory to their sizes."""
    for pile in range(r.players):
        _forget_places(v, v.piles[pile])
        v.pile_top[pile] = -1
        if memory == NONE:
            v.hidden_pile[pile] = popcount(v.piles[pile])
            v.piles[pile] = 0


# --- deductions from counting ------------------------------------------------------------------------------------


@kernel
def unseen(r, v):
    """The cards whose place the seat does not know."""
    seen = v.layout
    for seat in range(SEATS):
        seen |= v.hands[seat] | v.piles[seat]
    for value in range(1, 15):
        seen |= v.build_cards[value]
    if v.mode == SORTING:
        seen |= v.required | v.picked | 1 << v.hand_card
    return r.deck & ~(seen | stock_cards(v))


@kernel
def needed(v, r, seat, rank):
    """How many unseen cards of the rank (1 to 13) the seat must hold for its builds and proofs."""
    return _lacking(v, seat, rank, v.owned[seat]) if r.keep_backing else 0


@kernel
def needed_now(v, r, seat, rank):
    """`needed` in the present mode: a partner may ask for a build only with one more card that takes it."""
    if v.mode == GRANT and seat == partner_of(v.to_move):
        return _lacking(v, seat, rank, v.owned[seat] | 1 << v.open_value)
    return needed(v, r, seat, rank)


@kernel
def _lacking(v, seat, rank, builds):
    """How many unseen cards of the rank the seat must hold if it owns these builds."""
    if seat == v.to_move:
        builds |= 1 << v.debt & ~1
    count = builds >> rank & 1
    proven = v.proven[seat] >> rank & 1
    if rank == 1:
        count += builds >> 14 & 1
        proven |= v.proven[seat] >> 14 & 1
    held = v.hands[seat] & rank_cards(rank)
    backing = held
    if seat == v.to_move and v.hand_card >= 0 and not v.take_build:
        backing &= ~(1 << v.hand_card)  # it is leaving the hand and backs nothing
    return max(count - popcount(backing), proven - popcount(held))


@kernel
def deduce(r, seat, v):
    """Move cards that can be in only one hand into that hand."""
    if r.keep_backing:
        _deduce_claims(r, seat, v)
    _deduce_rest(r, v)


@kernel
def _deduce_claims(r, seat, v):
    """Deduce cards of ranks that some seat needs to back its builds or proofs."""
    claims = 1 << v.debt
    for other in range(r.players):
        if other != seat:
            claims |= v.owned[other] | v.proven[other]
    claims = (claims | claims >> 13) & 0x3FFE  # ranks: an ace backs a build of 14 as well
    if not claims:
        return
    cards = unseen(r, v)
    for rank in bits_of(claims):
        left = cards & rank_cards(rank)
        if left:
            _deduce_rank(r, seat, v, rank, left)


@kernel
def _deduce_rank(r, seat, v, rank, left):
    """If one other seat needs all unseen cards of the rank, it holds them."""
    owner, lacking, claims = -1, 0, 0
    for other in range(r.players):
        many = needed(v, r, other, rank) if other != seat else 0
        if many > 0:
            owner, lacking = other, many
            claims += 1
    if claims == 1 and lacking == popcount(left):
        v.hands[owner] |= left
        v.hidden_hand[owner] -= popcount(left)


@kernel
def _deduce_rest(r, v):
    """If only one hand has unseen cards and nothing else is hidden, that hand holds all unseen cards."""
    if v.hidden_stock:
        return
    holder, holders = -1, 0
    for seat in range(r.players):
        if v.hidden_hand[seat]:
            holder = seat
            holders += 1
        if v.hidden_pile[seat]:
            holders += 1
    if holders == 1 and holder >= 0:
        cards = unseen(r, v)
        if popcount(cards) == v.hidden_hand[holder]:  # a position may leave cards out of play
            v.hands[holder] |= cards
            v.hidden_hand[holder] = 0
