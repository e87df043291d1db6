"""Card arithmetic for kernels: ranks, values and suits as bits of a set of cards."""

from casino_env.engine.jit import kernel, lowest

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
    values = 0
    while cards:
        values |= 2 << (lowest(cards) >> 2)
        cards &= cards - 1
    return values


@kernel
def same_rank(card):
    """The four cards of the card's rank."""
    return 15 << (card & ~3)


@kernel
def rank_cards(value):
    """The cards that take a build of this value (an ace takes 1 and 14)."""
    return 15 << 4 * (value - 1 if value < 14 else 0)  # no remainder: a division would take longer than all else
