"""Seeds as programs give them: a number, one for each game, or none."""

from __future__ import annotations

import operator
import secrets
from typing import Any

import numpy as np

from casino_env.game import MAX_SEED
from casino_env.validate import told

Array = np.ndarray[Any, Any]


def seed_number(seed: Any) -> int:
    """A seed as a plain number, whatever kind of whole number it is; raises ValueError."""
    try:
        if isinstance(seed, bool | np.bool_):
            raise TypeError
        number = operator.index(seed)
    except TypeError:
        raise ValueError(f"seed = {told(seed)}; it must be a whole number from 0 to 2^64 - 1") from None
    if not 0 <= number <= MAX_SEED:
        raise ValueError(f"seed {str(number)[:60]} is out of range: 0 to 2^64 - 1")
    return number


def seeds_of(seed: Any, count: int) -> list[int | None]:
    """One seed a game: consecutive ones from a number, or as listed; None where a game has none of its own."""
    if seed is None:
        return [None] * count
    if not isinstance(seed, list | tuple | np.ndarray):
        first = seed_number(seed)
        return [seed_number(first + i) for i in range(count)]
    if np.ndim(seed) != 1 or len(seed) != count:
        raise ValueError(f"{np.size(seed)} seeds for {count} games")
    return [None if each is None else seed_number(each) for each in seed]


def random_seed() -> int:
    """Of a game that nobody has given one."""
    return secrets.randbits(48)


def generator(*seed: int) -> np.random.Generator:
    """What an agent draws from. It does not say from which numbers it was made: with that of a deal go its cards."""
    known = np.random.SeedSequence(list(seed))
    bits = np.random.PCG64(np.random.SeedSequence(known.generate_state(8).tolist()))  # for what is spawned from it
    bits.state = np.random.PCG64(known).state
    return np.random.Generator(bits)
