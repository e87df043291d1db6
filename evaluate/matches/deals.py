"""The deals of a match: a list of seeds made from one seed, and their results for the two agents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casino_env.arrays import Array
from casino_env.evaluate.matches.intervals import controlled
from casino_env.evaluate.matches.pairing import A, B
from casino_env.rules import Rules

NUMBERS, LUCK = ("diff", "win", "draw"), "luck"
MOST_DEALS = 10_000_000
_STREAM = 0x0B00  # separates this random stream from others of the same seed
_JSON_BITS = 53  # integers that every JSON reader keeps exactly


@dataclass(frozen=True)
class Book:
    """Deals as seeds: every program with the same rules deals the same cards from them."""

    rules: Rules
    seed: int
    seeds: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.seeds)


def make_book(rules: Rules, deals: int, seed: int = 0) -> Book:
    """Return the first deals of a seed; a longer book of the same seed begins with the same deals."""
    if not 1 <= deals <= MOST_DEALS:
        raise ValueError(f"deals = {deals}; it must be 1 or more, and at most {MOST_DEALS:,}")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed = {seed}; it must not be negative, and below 2^64")
    numbers = np.random.PCG64([_STREAM, seed]).random_raw(deals) >> np.uint64(64 - _JSON_BITS)
    return Book(rules, seed, tuple(numbers.tolist()))


@dataclass(frozen=True)
class PlayedDeals:
    """The results of each deal for agent a, as means over its games."""

    diff: Array  # points of a less points of b (means over their seats)
    win: Array  # share of the games won, a draw counting half
    draw: Array  # share of the games drawn
    luck: Array | None = None  # part of diff that is luck, in points (luck.py); None: not judged

    def __len__(self) -> int:
        return len(self.diff)

    @property
    def columns(self) -> dict[str, Array]:
        known = {name: getattr(self, name) for name in NUMBERS}
        return known if self.luck is None else known | {LUCK: self.luck}

    @property
    def fair(self) -> Array:
        """diff less the luck, if that was judged."""
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
    """Return the results of each deal from those of its games (play_duplicate). Where the rules break ties, a seat that
    is level at the top may have won."""
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
    """Return, by deal and game, mean points of a's seats less mean points of b's, times both numbers of seats: as these
    are integers, sums are exact."""
    is_a = (seatings == A)[None]
    of_a, of_b = (seatings == A).sum(axis=1), (seatings == B).sum(axis=1)
    return np.asarray((points * is_a).sum(axis=2) * of_b - (points * ~is_a).sum(axis=2) * of_a)
