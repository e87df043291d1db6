"""A bot for Cassino from another program as an agent, with only the standard library.

    casino evaluate match "process:python examples/foreign_bot.py" greedy --variant cassino --deals 200

The upper half is the foreign bot, with its own cards and moves. The lower half is the adapter: it reads a line of JSON
with the view of its seat and the legal actions, and writes a line with one of these actions.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

# --- the foreign bot -------------------------------------------------------------------------------------------------


class Card(NamedTuple):
    rank: int  # 1 to 13
    suit: str


class Move(NamedTuple):
    """A move with a card of the hand, and the loose cards that it uses."""

    verb: str  # take, build, drop
    card: Card
    others: tuple[Card, ...] = ()


def worth(cards: Iterable[Card]) -> float:
    """Rate cards: a little for each, more for spades, most for aces, 10D and 2S."""
    points = {(10, "D"): 20.0, (2, "S"): 10.0}
    return sum(1.0 + (card.suit == "S") + 10.0 * (card.rank == 1) + points.get(card, 0.0) for card in cards)


def sums(table: list[Card], total: int) -> Iterator[tuple[Card, ...]]:
    """Yield groups of one to three loose cards that sum to the total."""
    for size in (1, 2, 3):
        yield from (group for group in combinations(table, size) if sum(card.rank for card in group) == total)


def think(hand: list[Card], table: list[Card]) -> list[Move]:
    """Return the moves that it considers, best first."""
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


# --- the adapter -----------------------------------------------------------------------------------------------------

RANKS = "A23456789TJQK"


def ours(text: str) -> Card:
    return Card(RANKS.index(text[0]) + 1, text[1])


def theirs(card: Card) -> str:
    return RANKS[card.rank - 1] + card.suit


def texts(move: Move) -> list[str]:
    """Return the actions of our catalogue that make up a move."""
    card = theirs(move.card)
    if move.verb == "take":
        return [f"capture {card}", *(f"card {theirs(other)}" for other in move.others)]
    if move.verb == "build":
        value = move.card.rank + move.others[0].rank
        return [f"build {value}", f"card {card}", f"card {theirs(move.others[0])}"]
    return [f"discard {card}"]


class Interpreter:
    """Plays a move action by action, and keeps the plan between decisions."""

    def __init__(self) -> None:
        self.plan: list[str] = []

    def answer(self, view: dict[str, Any], legal: list[str]) -> str:
        if "turn" not in view:  # a turn begins
            moves = think([ours(card) for card in view["hands"][view["seat"]]], [ours(card) for card in view["layout"]])
            self.plan = next((texts(move) for move in moves if texts(move)[0] in legal), [])
        wished = [action for action in self.plan if action in legal]
        return wished[0] if wished else legal[0]  # the next action of the plan, or one that the rules require besides


def main() -> None:
    interpreter = Interpreter()
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"action": interpreter.answer(request["view"], request["legal"])}), flush=True)


if __name__ == "__main__":
    main()
