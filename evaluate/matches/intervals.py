"""A mean and how far it may be off: deals are the independent pieces, however many games each of them was."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

Array = np.ndarray[Any, Any]

LEVEL = 0.95


class Interval(NamedTuple):
    mean: float
    low: float
    high: float


def interval(values: Array, level: float = LEVEL) -> Interval:
    """Student's interval for the mean of independent values. It has no bounds for one value alone."""
    count = len(values)
    if count == 0:
        raise ValueError("no deals: there is no mean")
    mean = float(np.mean(values))
    if count == 1:
        return Interval(mean, -np.inf, np.inf)
    half = float(stdtrit(count - 1, (1 + level) / 2) * np.std(values, ddof=1) / np.sqrt(count))
    return Interval(mean, mean - half, mean + half)
