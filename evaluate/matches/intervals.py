"""How sure a mean is: its interval, and a sequential test that stops a match early. Deals are the independent pieces,
however many games each of them was."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from casino_env.arrays import Array

LEVEL = 0.95
_FEW = 20  # values
Verdict = Literal["better", "worse", "open"]


class Interval(NamedTuple):
    mean: float
    low: float
    high: float

    def to_json(self) -> dict[str, float | None]:
        """JSON knows no infinity: the interval of few values has no bounds."""
        return {name: value if math.isfinite(value) else None for name, value in self._asdict().items()}


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


def controlled(values: Array, control: Array) -> Array:
    """values less the share of a control variate, whose mean is known to be zero, that leaves least variance. Each
    half takes the share that the other half says, so that it does not depend on what it is taken from: no bias."""
    shares = np.zeros(len(values))
    for half in (0, 1):
        shares[half::2] = _best_share(values[1 - half :: 2], control[1 - half :: 2])
    return values - shares * control


def _best_share(values: Array, control: Array) -> float:
    """Of few values not much is known: they count beside some that say one half."""
    spread = np.var(control) if len(control) else 0.0
    if spread == 0:
        return 0.0
    seen = np.clip(np.mean((values - values.mean()) * control) / spread, 0.0, 1.0)
    return float((len(values) * seen + _FEW * 0.5) / (len(values) + _FEW))


@dataclass(frozen=True)
class SequentialTest:
    """A sequential probability ratio test. Hypotheses: a is better by `worse` points a deal, or by `better`.

    The likelihood ratio is the one of normally distributed means with the variance seen so far (the generalised test
    that chess engines are tested with); deals have many results, so after a few dozen of them the mean is as good as
    normal.
    """

    worse: float  # points a deal
    better: float
    alpha: float = 0.05  # how often `better` may be said when `worse` is true
    beta: float = 0.05  # and the other way round
    least: int = 50  # deals before anything is said

    def __post_init__(self) -> None:
        if not (self.worse < self.better and math.isfinite(self.worse) and math.isfinite(self.better)):
            raise ValueError(f"sprt: the first bound must be below the second, not {self.worse:g} and {self.better:g}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"sprt: {name} = {getattr(self, name):g}; it must be between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Where the log likelihood ratio ends the test, for `worse` and for `better`."""
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
        """JSON knows no infinity: a ratio that is certain is null, and the verdict says which way."""
        ratio = self.ratio(differences)
        known = ratio if math.isfinite(ratio) else None
        return {**self.__dict__, "ratio": known, "verdict": self.verdict(differences)}


def ratios(differences: Array, worse: float, better: float) -> Array:
    """The log likelihood ratio after each deal, a row a match."""
    count = np.arange(1, differences.shape[1] + 1)
    mean = np.cumsum(differences, axis=1) / count
    variance = np.cumsum(differences**2, axis=1) / count - mean**2
    gain = count * (better - worse) * (2 * mean - better - worse)
    # Without any spread the side on which the mean lies is certain; in the middle nothing is known.
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 1e-12, gain / (2 * variance), np.where(gain == 0, 0.0, np.copysign(np.inf, gain)))
