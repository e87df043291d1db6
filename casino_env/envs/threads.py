"""Threads that share the games of a batch: each has its own part, so results do not depend on their number."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Crew:
    """So many threads for so many games."""

    def __init__(self, threads: int, games: int) -> None:
        self.threads, self.games = min(threads, games), games
        edges = [games * k // self.threads for k in range(self.threads + 1)]
        # Rows of room to work in: every other one, so that no two threads write to one line of the cache.
        self.rows = 2 * self.threads
        self._parts = list(zip(range(0, self.rows, 2), edges[:-1], edges[1:], strict=True))
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0  # in which the pool was made: threads are not there after a fork

    def each_part(self, work: Callable[[int, int, int], Any]) -> None:
        """work(row of the thread, first game, after the last) for all parts at once."""
        if self.threads == 1:
            work(0, 0, self.games)
            return
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.threads), os.getpid()
        for done in [self._pool.submit(work, *part) for part in self._parts]:
            done.result()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has threads of its own."""
        return Crew, (self.threads, self.games)
