"""Card arithmetic for kernels: ranks, values and suits as bits of a set of cards."""

from casino_env.engine.jit import kernel

SPADES = 0x1111111111111
ACES = 15
TWO_OF_SPADES, JACK_OF_SPADES = 4, 40  # cards


@kernel
def pips(card):
    """The value of a card by its rank, the ace as 1."""
    return (card >> 2) + 1


@kernel
def same_rank(card):
    """The four cards of the card's rank."""
    return 15 << (card & ~3)


@kernel
def rank_cards(value):
    """The cards that take a build of this value (an ace takes 1 and 14)."""
    return 15 << (4 * ((value - 1) % 13))
