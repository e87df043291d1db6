"""Cards as small integers: rank-major, so that comparing cards compares ranks first."""

from casino_env.validate import short_repr

RANKS = "A23456789TJQK"
SUITS = "SHDC"
CARDS = len(RANKS) * len(SUITS)

# Deck size -> number of suits (from spades on) per rank, from the ace up. Small decks serve exact research.
DECKS = {52: (4,) * 13, 40: (4,) * 10, 8: (2, 2, 1, 1, 1, 1), 7: (2, 1, 1, 1, 1, 1), 6: (2, 2, 1, 1)}

Card = int


def card_name(card: Card) -> str:
    return RANKS[card >> 2] + SUITS[card & 3]


def parse_card(text: str) -> Card:
    if isinstance(text, str) and len(text) == 2 and text[0] in RANKS and text[1] in SUITS:
        return RANKS.index(text[0]) * 4 + SUITS.index(text[1])
    raise ValueError(f"{short_repr(text)} is not a card; write its rank then its suit, e.g. TD for the ten of diamonds")


def deck_cards(size: int) -> list[Card]:
    return [rank * 4 + suit for rank, suits in enumerate(DECKS[size]) for suit in range(suits)]


def cards_of(mask: int) -> list[Card]:
    """The cards of a 52-bit set, lowest first."""
    return [card for card in range(CARDS) if mask >> card & 1]


def mask_of(cards: list[Card]) -> int:
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask
