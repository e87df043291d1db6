"""Duplicate play: each deal is played with the two agents in each other's seats, so that luck cancels out.

Everything that an agent draws comes from the seed, the deal and its seat, never from who it is or which thread plays
it: an agent against itself plays the same game in every seating, and the differences of the deal add up to zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from casino_env.evaluate.matches.pairing import A, B, Pairing
from casino_env.evaluate.matches.playing import play_deals
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]

NUMBERS = ("diff", "win", "draw")


def seatings(rules: Rules, mirrored: bool = False) -> Array:
    """Who sits where, a row for each game of a deal: A (0) or B (1) by seat.

    Two sides: both ways. More singles: a in each seat, b in all the others; mirrored adds the same with a and b
    exchanged, so that what a gains is what b loses.
    """
    sides = np.eye(rules.sides, dtype=np.int64)
    rows = np.array([[1 - row[rules.side(seat)] for seat in range(rules.players)] for row in sides])
    return np.concatenate([rows, 1 - rows]) if mirrored and rules.sides > 2 else rows


def play_duplicate(pairing: Pairing, deals: list[int]) -> Array:
    """Each deal in all seatings: points by deal, seating and seat."""
    rows = len(pairing.seatings)
    points = play_deals(pairing, [deal for deal in deals for _ in range(rows)], np.tile(np.arange(rows), len(deals)))
    return points.reshape(len(deals), rows, -1)


# --- results --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deals:
    """What each deal came to, for a: the mean of its games."""

    diff: Array  # points more than b (the means of their seats)
    win: Array  # share of the games won, a draw being half of one
    draw: Array  # share of the games drawn

    def __len__(self) -> int:
        return len(self.diff)

    @classmethod
    def none(cls) -> Deals:
        return cls(*np.zeros((len(NUMBERS), 0)))

    def first(self, count: int) -> Deals:
        return Deals(self.diff[:count], self.win[:count], self.draw[:count])

    def and_then(self, more: Deals) -> Deals:
        return Deals(*(np.concatenate([getattr(self, name), getattr(more, name)]) for name in NUMBERS))


def _weighted(points: Array, seatings: Array) -> Array:
    """By deal and game: mean points of a's seats less mean points of b's, times the number of seats of both: whole
    numbers, whose sums are exact."""
    is_a = (seatings == A)[None]
    of_a, of_b = (seatings == A).sum(axis=1), (seatings == B).sum(axis=1)
    return np.asarray((points * is_a).sum(axis=2) * of_b - (points * ~is_a).sum(axis=2) * of_a)


def summed_up(points: Array, seatings: Array) -> Deals:
    games = len(seatings)
    seats = (seatings[0] == A).sum() * (seatings[0] == B).sum()  # the same product in every row
    is_a = np.broadcast_to(seatings == A, points.shape)
    best_a = np.where(is_a, points, -(1 << 30)).max(axis=2)
    best_b = np.where(is_a, -(1 << 30), points).max(axis=2)
    won, drawn = (best_a > best_b).sum(axis=1), (best_a == best_b).sum(axis=1)
    diff = _weighted(points, seatings).sum(axis=1) / (seats * games)
    return Deals(diff, (won + drawn / 2) / games, drawn / games)
