"""Moving cards onto builds and off them, and stacking piles in the order of each game (R70)."""

from casino_env.cards import CARDS
from casino_env.compiler.jit import bits_of, highest, kernel, lowest
from casino_env.engine.reading import ACES, SPADES, TWO_OF_SPADES, owner_of, pile_of, pips, same_rank
from casino_env.engine.state import AS_BUILT, CHAIN_ALL, LOWEST_ON_TOP, NO_CHAIN, SECRET

_AFTER_LOOSE = 200  # a time later than that of any loose card
_CHAINED = 8  # more than the cards that a capture takes from one pile


@kernel
def push(g, pile, card):
    g.below[card] = g.pile_top[pile]
    g.pile_top[pile] = card
    g.piles[pile] |= 1 << card
    g.starts &= ~(1 << card)


@kernel
def take_loose_and_tops(g, r, cards):
    """Remove cards from the layout or from pile tops; with chain = all perhaps several from one pile."""
    g.layout &= ~cards
    for pile in range(r.players):
        time = _AFTER_LOOSE + (pile * _CHAINED if r.chain == CHAIN_ALL else pile)
        top = g.pile_top[pile]
        while top >= 0 and cards >> top & 1:
            g.laid[top] = time
            time += 1
            g.pile_top[pile] = g.below[top]
            g.piles[pile] &= ~(1 << top)
            top = g.pile_top[pile]


@kernel
def note_stolen(g, r, cards):
    """Note that pile tops were used: with chain = no, the piles that gave the cards; otherwise a single flag."""
    if r.chain != NO_CHAIN:
        g.stolen = 1
        return
    for pile in range(r.players):
        if g.pile_top[pile] >= 0 and cards >> g.pile_top[pile] & 1:
            g.stolen |= 1 << pile


@kernel
def bottom_of(g, top):
    card = top
    for _ in range(CARDS):
        if g.below[card] < 0:
            break
        card = g.below[card]
    return card


@kernel
def set_owner(g, r, value, seat):
    """Give the build of value to the seat; -1 removes it."""
    owner = owner_of(g, r, value)
    if owner >= 0:
        g.owned[owner] &= ~(1 << value)
    if seat >= 0:
        g.owned[seat] |= 1 << value


@kernel
def clear_build(g, r, value):
    set_owner(g, r, value, -1)
    g.build_cards[value] = 0
    g.build_top[value] = -1
    g.build_sets[value] = 0


@kernel
def scoring_cards(r):
    """The cards that are worth points by themselves."""
    if r.spade_cards:
        return SPADES | ACES | 1 << r.big_card
    return ACES | 1 << TWO_OF_SPADES | 1 << r.big_card


@kernel
def next_to_stack(r, rest):
    """The card to lay on a secret pile next: scoring cards first, then the lowest (R70)."""
    scoring = rest & scoring_cards(r)
    return lowest(scoring) if scoring else lowest(rest)


@kernel
def _push_build(g, pile, value):
    """Lay the whole build on the pile in its order."""
    top = g.build_top[value]
    if top < 0:
        return
    cards = g.build_cards[value]
    g.below[bottom_of(g, top)] = g.pile_top[pile]
    g.pile_top[pile] = top
    g.piles[pile] |= cards
    g.starts &= ~cards


@kernel
def first_laid(g, cards):
    """The loose card that was laid first; cards from piles come after all loose cards."""
    first, rest = lowest(cards), cards & cards - 1
    for card in bits_of(rest):
        if g.laid[card] < g.laid[first]:
            first = card
    return first


@kernel
def _push_by_time(g, pile, cards):
    """Lay cards on the pile in the order in which they were laid on the table."""
    while cards:
        first = first_laid(g, cards)
        cards &= ~(1 << first)
        push(g, pile, first)


@kernel
def _push_falling(g, pile, cards):
    while cards:
        card = highest(cards)
        cards &= ~(1 << card)
        push(g, pile, card)


@kernel
def _slip_under(g, r, pile, cards, card):
    """Put court cards without a value beneath the numerals and above earlier court cards (R71)."""
    under, above = g.pile_top[pile], -1
    for _ in range(CARDS):
        if under < 0 or not r.numeric >> under & 1:
            break
        above = under
        under = g.below[under]
    numerals = g.pile_top[pile]
    g.pile_top[pile] = under
    _push_by_time(g, pile, cards)
    push(g, pile, card)
    if above >= 0:
        g.below[above] = g.pile_top[pile]
        g.pile_top[pile] = numerals


@kernel
def stack_capture(g, r, card, cards, value):
    """Lay the captured cards, the build of value (if value > 0) and the capturing card on the pile.

    The cards have already left the layout and the piles, the capturing card the hand.
    """
    pile = pile_of(r, g.to_move)
    everything = cards | 1 << card
    under = g.pile_top[pile]
    if value:
        everything |= g.build_cards[value]
    if r.stacking == SECRET:
        rest = everything & ~(1 << card)
        while rest:
            lower = next_to_stack(r, rest)
            rest &= ~(1 << lower)
            push(g, pile, lower)
        push(g, pile, card)
    elif r.stacking == LOWEST_ON_TOP:
        rest = everything
        while rest:
            equal = rest & same_rank(highest(rest))
            rest &= ~equal
            _push_falling(g, pile, equal & ~(1 << card))
            if equal >> card & 1:
                push(g, pile, card)
    elif r.stacking == AS_BUILT:
        if r.numeric >> card & 1:
            if value:
                _push_build(g, pile, value)
            _push_by_time(g, pile, cards)
            push(g, pile, card)
        else:
            _slip_under(g, r, pile, cards, card)
    else:
        _push_falling(g, pile, cards)
        if value:
            _push_build(g, pile, value)
        push(g, pile, card)
    _mark_batch(g, pile, under)


@kernel
def _mark_batch(g, pile, under):
    """Mark the cards above `under` as a batch of the mover: its lowest card is the start."""
    card = g.pile_top[pile]
    for _ in range(CARDS):
        if card < 0 or g.below[card] == under:
            break
        g.laid[card] = g.to_move
        card = g.below[card]
    if card >= 0:
        g.laid[card] = g.to_move
        g.starts |= 1 << card


@kernel
def steal_bundle(g, r, card, victim):
    """Put the victim's whole pile on top of the mover's, and the played card on top of it."""
    pile = g.to_move
    g.below[bottom_of(g, g.pile_top[victim])] = g.pile_top[pile]
    g.pile_top[pile] = g.pile_top[victim]
    g.piles[pile] |= g.piles[victim]
    g.pile_top[victim] = -1
    g.piles[victim] = 0
    push(g, pile, card)


@kernel
def play_hand_card(g, card):
    seat = g.to_move
    g.hands[seat] &= ~(1 << card)
    g.played = 1
    value = pips(card)
    g.proven[seat] &= ~(1 << value)
    if value == 1:
        g.proven[seat] &= ~(1 << 14)


@kernel
def mark_proven(g, r, seat, value):
    """Note that the seat is known to hold a card that takes value (R60)."""
    if r.keep_backing:
        g.proven[seat] |= 1 << value
        if r.ace_high and (value == 1 or value == 14):
            g.proven[seat] |= 1 << 1 | 1 << 14


@kernel
def source_of(g, r, card):
    """The pile whose top the card is; -1 if it is from the table or the hand."""
    for pile in range(r.players):
        if g.pile_top[pile] == card:
            return pile
    return -1
