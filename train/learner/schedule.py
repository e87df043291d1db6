"""When a learner looks at what, and how far it steps."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def falling(begin: float, share: float, progress: float) -> float:
    """From `begin` down to that share of it, in a straight line. progress: how much is done, 0 to 1."""
    return begin * (1.0 - (1.0 - share) * min(1.0, progress))


def in_parts(rng: np.random.Generator, rows: Array, epochs: int, size: int, most: int) -> list[Array]:
    """So many of the rows in random order, in parts of equal size, those of each epoch anew; fewer than that are one
    part."""
    parts = []
    for _ in range(epochs):
        order = rng.permutation(rows)[:most]
        parts += [order[at : at + size] for at in range(0, max(1, len(order) - size + 1), size)]
    return parts
