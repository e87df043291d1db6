"""Deals of a match: a list of seeds, made from one seed, and what they came to for the two agents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casino_env.arrays import Array
from casino_env.evaluate.matches.intervals import controlled
from casino_env.evaluate.matches.pairing import A, B
from casino_env.rules import Rules
from casino_env.validate import int_in

NUMBERS, LUCK = ("diff", "win", "draw"), "luck"
MOST_DEALS = 10_000_000
_STREAM = 0x0B00  # apart from other streams of the same seed
_JSON_BITS = 53  # numbers that every reader of JSON keeps exactly


@dataclass(frozen=True)
class Book:
    """Deals as seeds of the game: every program with these rules deals the same cards from them."""

    rules: Rules
    seed: int
    seeds: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.seeds)


def make_book(rules: Rules, deals: int, seed: int = 0) -> Book:
    """The first deals of a seed; a longer book of the same seed begins with the same ones."""
    deals, seed = int_in(deals, "deals", 1, MOST_DEALS), int_in(seed, "seed", 0, 2**64 - 1)
    numbers = np.random.PCG64([_STREAM, seed]).random_raw(deals) >> np.uint64(64 - _JSON_BITS)
    return Book(rules, seed, tuple(numbers.tolist()))


@dataclass(frozen=True)
class PlayedDeals:
    """What each deal came to, for a: the mean of its games."""

    diff: Array  # points more than b (the means of their seats)
    win: Array  # share of the games won, a draw being half of one
    draw: Array  # share of the games drawn
    luck: Array | None = None  # points of diff, as judged (luck.py); None: by nobody

    def __len__(self) -> int:
        return len(self.diff)

    @property
    def columns(self) -> dict[str, Array]:
        known = {name: getattr(self, name) for name in NUMBERS}
        return known if self.luck is None else known | {LUCK: self.luck}

    @property
    def fair(self) -> Array:
        """diff, less the luck if it is known."""
        return self.diff if self.luck is None else controlled(self.diff, self.luck)

    @classmethod
    def none(cls, *, judged: bool = False) -> PlayedDeals:
        return cls(*np.zeros((len(NUMBERS) + judged, 0)))

    def first(self, count: int) -> PlayedDeals:
        return PlayedDeals(*(column[:count] for column in self.columns.values()))

    def and_then(self, more: PlayedDeals) -> PlayedDeals:
        pairs = zip(self.columns.values(), more.columns.values(), strict=True)
        return PlayedDeals(*(np.concatenate(pair) for pair in pairs))


def summed_up(results: Array, seatings: Array) -> PlayedDeals:
    """What each deal came to, from what play_duplicate says of its games. Of seats that are level at the top one may
    have won, where the rules break ties."""
    games, players = seatings.shape
    points, winner, luck = np.split(results, [players, players + 1], axis=2)
    winner = winner[..., 0].astype(np.int64)
    seats = (seatings[0] == A).sum() * (seatings[0] == B).sum()  # the same product in every row
    is_a = np.broadcast_to(seatings == A, points.shape)
    best_a = np.where(is_a, points, -(1 << 30)).max(axis=2)
    best_b = np.where(is_a, -(1 << 30), points).max(axis=2)
    level = best_a == best_b
    of_a = np.take_along_axis(seatings == A, np.maximum(winner, 0).T, axis=1).T
    won = ((best_a > best_b) | (level & (winner >= 0) & of_a)).sum(axis=1)
    drawn = (level & (winner < 0)).sum(axis=1)
    diff = _weighted(points, seatings).sum(axis=1) / (seats * games)
    lucky = _weighted(luck, seatings).sum(axis=1) / (seats * games) if luck.size else None
    return PlayedDeals(diff, (won + drawn / 2) / games, drawn / games, lucky)


def _weighted(points: Array, seatings: Array) -> Array:
    """By deal and game: mean points of a's seats less mean points of b's, times the number of seats of both: whole
    numbers, whose sums are exact."""
    is_a = (seatings == A)[None]
    of_a, of_b = (seatings == A).sum(axis=1), (seatings == B).sum(axis=1)
    return np.asarray((points * is_a).sum(axis=2) * of_b - (points * ~is_a).sum(axis=2) * of_a)
