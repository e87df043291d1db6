"""Confidence intervals of means, and a sequential test that stops a match early. Deals, not games, are the independent
samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from casino_env.arrays import Array

LEVEL = 0.95
_FEW = 20  # weight of the prior of _best_share, in values
Verdict = Literal["better", "worse", "open"]


class Interval(NamedTuple):
    mean: float
    low: float
    high: float

    def to_json(self) -> dict[str, float | None]:
        """JSON knows no infinity: the interval of few values has no bounds."""
        return {name: value if math.isfinite(value) else None for name, value in self._asdict().items()}


def interval(values: Array, level: float = LEVEL) -> Interval:
    """Return Student's interval for the mean of independent values; infinite for a single value."""
    count = len(values)
    if count == 0:
        raise ValueError("no deals, so there is no mean")
    mean = float(np.mean(values))
    if count == 1:
        return Interval(mean, -np.inf, np.inf)
    half = float(stdtrit(count - 1, (1 + level) / 2) * np.std(values, ddof=1) / np.sqrt(count))
    return Interval(mean, mean - half, mean + half)


def controlled(values: Array, control: Array) -> Array:
    """Return values less the multiple of a control variate (of mean zero) that minimises the variance. Each half uses
    the factor estimated from the other half, so that there is no bias."""
    shares = np.zeros(len(values))
    for half in (0, 1):
        shares[half::2] = _best_share(values[1 - half :: 2], control[1 - half :: 2])
    return values - shares * control


def _best_share(values: Array, control: Array) -> float:
    """Return the best factor of the control variate, from 0 to 1, shrunk towards 1/2 for few values."""
    spread = np.var(control) if len(control) else 0.0
    if spread == 0:
        return 0.0
    seen = np.clip(np.mean((values - values.mean()) * control) / spread, 0.0, 1.0)
    return float((len(values) * seen + _FEW * 0.5) / (len(values) + _FEW))


@dataclass(frozen=True)
class SequentialTest:
    """A sequential probability ratio test. Hypotheses: a is better by `worse` points a deal, or by `better`.

    The likelihood ratio is that of normally distributed means with the variance seen so far: the generalised SPRT of
    chess engine testing. After a few dozen deals the mean is close to normal.
    """

    worse: float  # points a deal
    better: float  # points a deal
    alpha: float = 0.05  # probability of the verdict `better` if `worse` is true
    beta: float = 0.05  # probability of the verdict `worse` if `better` is true
    least: int = 50  # deals before any verdict

    def __post_init__(self) -> None:
        if not (self.worse < self.better and math.isfinite(self.worse) and math.isfinite(self.better)):
            raise ValueError(f"sprt: the first bound must be below the second, not {self.worse:g} and {self.better:g}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"sprt: {name} = {getattr(self, name):g}; it must be between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which the test ends with `worse` and with `better`."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, differences: Array) -> float:
        """The log likelihood ratio of `better` to `worse`."""
        return float(ratios(differences[None, :], self.worse, self.better)[0, -1]) if len(differences) else 0.0

    def verdict(self, differences: Array) -> Verdict:
        if len(differences) < self.least:
            return "open"
        low, high = self.bounds
        ratio = self.ratio(differences)
        return "better" if ratio >= high else "worse" if ratio <= low else "open"

    def to_json(self, differences: Array) -> dict[str, Any]:
        """Return the test as plain data; an infinite ratio, which JSON lacks, is null, and the verdict has its sign."""
        ratio = self.ratio(differences)
        known = ratio if math.isfinite(ratio) else None
        return {**self.__dict__, "ratio": known, "verdict": self.verdict(differences)}


def ratios(differences: Array, worse: float, better: float) -> Array:
    """Return the log likelihood ratio after each deal, [match, deal]."""
    count = np.arange(1, differences.shape[1] + 1)
    mean = np.cumsum(differences, axis=1) / count
    variance = np.cumsum(differences**2, axis=1) / count - mean**2
    gain = count * (better - worse) * (2 * mean - better - worse)
    # Without variance the ratio is infinite, with the sign of the nearer hypothesis, and 0 in the middle.
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 1e-12, gain / (2 * variance), np.where(gain == 0, 0.0, np.copysign(np.inf, gain)))
