"""Threads that share the games of a batch. Whichever plays a game, the same comes of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class ThreadPool:
    """So many threads for so many games, that which calls among them."""

    def __init__(self, threads: int, games: int) -> None:
        self.threads, self.games = min(threads, games), games
        # Rows of room to work in: every other one, so that no two threads write to one line of the cache.
        self.rows = 2 * self.threads
        self._edges = [games * k // self.threads for k in range(self.threads + 1)]  # of the parts
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0  # in which the pool was made: threads are not there after a fork

    def each(self, work: Callable[[int], Any]) -> None:
        """work(row of the thread) in all threads at once."""
        if self.threads == 1:
            work(0)
            return
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.threads - 1), os.getpid()
        others = [self._pool.submit(work, row) for row in range(2, self.rows, 2)]
        work(0)
        for done in others:
            done.result()

    def each_part(self, work: Callable[[int, int, int], Any]) -> None:
        """work(row of the thread, first game, after the last): an equal part for each."""
        self.each(lambda row: work(row, self._edges[row // 2], self._edges[row // 2 + 1]))

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has threads of its own."""
        return ThreadPool, (self.threads, self.games)
