"""A stranger's bot for Cassino at our table, with nothing but the standard library.

    casino evaluate match "process:python examples/foreign_bot.py" greedy --variant cassino --deals 200

The upper half is the stranger: it knows cards as numbers with suits, and moves of its own. The lower half speaks for
it: a line of JSON with what its seat sees and may do comes in, a line with one of these actions goes out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

# --- the stranger ----------------------------------------------------------------------------------------------------


class Card(NamedTuple):
    rank: int  # 1 to 13
    suit: str


class Move(NamedTuple):
    """What it does with a card of its hand, and with which loose cards."""

    verb: str  # take, build, drop
    card: Card
    others: tuple[Card, ...] = ()


def worth(cards: Iterable[Card]) -> float:
    """A little for each card, more for spades, most for aces and the two that count."""
    points = {(10, "D"): 20.0, (2, "S"): 10.0}
    return sum(1.0 + (card.suit == "S") + 10.0 * (card.rank == 1) + points.get(card, 0.0) for card in cards)


def sums(table: list[Card], total: int) -> Iterator[tuple[Card, ...]]:
    """Groups of one to three loose cards that make the total."""
    for size in (1, 2, 3):
        yield from (group for group in combinations(table, size) if sum(card.rank for card in group) == total)


def think(hand: list[Card], table: list[Card]) -> list[Move]:
    """All that it can think of, the best first."""
    takes = [Move("take", card, group) for card in hand for group in sums(table, card.rank)]
    takes.sort(key=lambda move: -worth((move.card, *move.others)))
    builds = [
        Move("build", card, (other,))
        for card in hand
        for other in table
        for keeper in hand
        if keeper != card and keeper.rank == card.rank + other.rank <= 10
    ]
    drops = [Move("drop", card) for card in sorted(hand, key=lambda card: worth([card]) + card.rank / 13)]
    return [*takes, *builds, *drops]


# --- who speaks for it -----------------------------------------------------------------------------------------------

RANKS = "A23456789TJQK"


def ours(text: str) -> Card:
    return Card(RANKS.index(text[0]) + 1, text[1])


def theirs(card: Card) -> str:
    return RANKS[card.rank - 1] + card.suit


def texts(move: Move) -> list[str]:
    """The actions of our catalogue by which a move begins or goes on."""
    card = theirs(move.card)
    if move.verb == "take":
        return [f"capture {card}", *(f"card {theirs(other)}" for other in move.others)]
    if move.verb == "build":
        value = move.card.rank + move.others[0].rank
        return [f"build {value}", f"card {card}", f"card {theirs(move.others[0])}"]
    return [f"discard {card}"]


class Interpreter:
    """It says a move action by action, and remembers where it was."""

    def __init__(self) -> None:
        self.plan: list[str] = []

    def answer(self, view: dict[str, Any], legal: list[str]) -> str:
        if "turn" not in view:  # a turn begins
            moves = think([ours(card) for card in view["hands"][view["seat"]]], [ours(card) for card in view["layout"]])
            self.plan = next((texts(move) for move in moves if texts(move)[0] in legal), [])
        wished = [action for action in self.plan if action in legal]
        return wished[0] if wished else legal[0]  # more of the same, or what the rules want besides


def main() -> None:
    interpreter = Interpreter()
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"action": interpreter.answer(request["view"], request["legal"])}), flush=True)


if __name__ == "__main__":
    main()
