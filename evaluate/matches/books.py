"""Deals of a match: a list of seeds, made from one seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casino_env.rules import Rules

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
    if not 1 <= deals <= MOST_DEALS:
        raise ValueError(f"deals = {deals}; it must be 1 or more, and at most {MOST_DEALS:,}")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed = {seed}; it must not be negative, and below 2^64")
    numbers = np.random.PCG64([_STREAM, seed]).random_raw(deals) >> np.uint64(64 - _JSON_BITS)
    return Book(rules, seed, tuple(numbers.tolist()))
