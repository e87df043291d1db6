"""From picked cards to moves: what the picked ones may still become, and what can be picked at all."""

from __future__ import annotations

from casino_env.play.moves import Move

PLAIN = ("end", "yes", "no", "count out")  # moves without cards


def tokens(move: Move) -> list[str]:
    """What a person points at: cards by name, builds as b and their value."""
    return [*move.cards, *(f"b{value}" for value in move.builds)]


def candidates(moves: list[Move], picked: set[str]) -> list[Move]:
    """The moves with cards that hold all that is picked, the closest first."""
    fits = [move for move in moves if move.do not in PLAIN and picked <= set(tokens(move))]
    return sorted(fits, key=lambda move: (len(tokens(move)), len(move.text)))


def lit(moves: list[Move], picked: set[str]) -> set[str]:
    """All that can be picked beside what is picked."""
    return {token for move in candidates(moves, picked) for token in tokens(move)}
