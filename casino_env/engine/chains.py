"""Builds and piles of a record as lists: what a person would see lying there. For Python, not for kernels."""

from typing import Any

from casino_env.cards import CARDS, cards_of

Record = Any  # one record of state.GAME


def chain(game: Record, top: int) -> list[int]:
    """A linked list of cards, bottom first."""
    cards: list[int] = []
    while top >= 0 and len(cards) < CARDS:
        cards.append(int(top))
        top = game["below"][top]
    return cards[::-1]


def by_time(game: Record, mask: int) -> list[int]:
    return sorted(cards_of(mask), key=lambda card: (game["laid"][card], card))


def build_sets(game: Record, value: int) -> list[list[int]]:
    """The sets of a build in the order in which they were laid, cards bottom first."""
    sets: list[list[int]] = []
    for card in chain(game, int(game["build_top"][value])):
        if game["starts"] >> card & 1 or not sets:
            sets.append([])
        sets[-1].append(card)
    return sets
