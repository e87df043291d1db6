"""How much may still be tried: so many simulations, or what fits into the time that is left."""

from __future__ import annotations

import time as clock


class Budget:
    """Of one decision. There is always something, however short the time."""

    def __init__(self, sims: int | None, until: float) -> None:
        """until: as the clock will say when it has to be over; sims count instead if they are given."""
        self._sims, self._until, self._began = sims, until, clock.monotonic()
        self._first = True
        self.done = 0

    def share(self, most: int) -> int:
        """How many to do at once, at most so many; 0: enough. They count as done."""
        some = self._left(most)
        self._first = False
        self.done += some
        return some

    def _left(self, most: int) -> int:
        if self._sims is not None:
            return min(most, self._sims - self.done)
        if self._first:
            return most
        now = clock.monotonic()
        return max(0, min(most, int((self._until - now) * self.done / max(now - self._began, 1e-9))))

    def is_young(self, part: float) -> bool:
        """Less than this part of it is gone."""
        if self._sims is not None:
            return self.done < part * self._sims
        return clock.monotonic() - self._began < part * (self._until - self._began)
