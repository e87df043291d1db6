"""The one clock of these programs: how much of something is done in a second."""

from __future__ import annotations

import time
from collections.abc import Callable

from casino_env.bench import best_of_rounds

__all__ = ["best_of_rounds", "per_second"]


def per_second(work: Callable[[], int], seconds: float) -> float:
    """A second's worth of a piece of work that says how much it did; it is called again and again."""
    done, spent, began = 0, 0.0, time.perf_counter()
    while not done or spent < seconds:
        done += work()
        spent = time.perf_counter() - began
    return done / spent
