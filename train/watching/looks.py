"""When a run looks how strong it has become: often enough for a curve, seldom enough to cost little."""

from __future__ import annotations

_CURVE = 12  # looks that a run has at least, as long as these take no more than
_SHARE = 0.2  # of its time
_SHORT = 0.2  # of the deals are played in those that are between the regular ones


class Looks:
    """The clock of the matches on the way."""

    def __init__(self, regular: float, seconds: float, progress: float, *, short: bool) -> None:
        """regular: seconds between two rounds of matches; short: shorter ones lie between."""
        self._every, self._short = regular, short
        self._regular = self._ended = seconds
        self._progress, self._cost, self._over = progress, 0.0, False

    def due(self, seconds: float, progress: float) -> float:
        """The share of the deals that is to be played now; all of them at the end, once."""
        if self._over:
            return 0.0
        if progress >= 1.0 or seconds - self._regular >= self._every:
            return 1.0
        affordable = seconds - self._ended >= self._cost * (1.0 / _SHARE - 1.0)
        return _SHORT if self._short and affordable and progress - self._progress >= 1.0 / _CURVE else 0.0

    def taken(self, share: float, began: float, ended: float, progress: float) -> None:
        self._regular = ended if share == 1.0 else self._regular
        self._ended, self._progress, self._cost = ended, progress, ended - began
        self._over = share == 1.0 and progress >= 1.0
