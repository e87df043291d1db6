"""Who is served next: jobs wait in two rows for a worker, so that long thinking holds up nobody's quick move."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from casino_env.play.web.crew import Answer, Worker
from casino_env.play.web.refusals import RefusedError

QUICK_SECONDS = 5.0  # of work on a request; what an agent thinks about has longer (Desk)
_REHEARSAL_SECONDS = 120.0  # an agent of one's own may have kernels to compile
_MOST_QUICK, _MOST_SLOW = 512, 64  # that wait


class _Row:
    """So many at work at once, so many waiting at most."""

    def __init__(self, at_once: int, most: int) -> None:
        self._places, self._most, self._waiting = asyncio.Semaphore(at_once), most, 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        if self._waiting >= self._most:
            raise RefusedError(503, "busy", f"{self._waiting} requests are waiting already; ask again in a moment")
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()


class Desk:
    """named: agents of the command line. patience: seconds that the slow work on a request may take.

    To be opened by a thread that lives as long as the server: the workers end with it.
    """

    def __init__(self, named: tuple[str, ...] = (), patience: float = 30.0, workers: int = 0) -> None:
        self.patience, self._named = patience, named
        self._count = max(2, workers or 1 + (os.cpu_count() or 1))
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._closed = False
        self._threads = ThreadPoolExecutor(self._count, "casino-worker")

    def open(self) -> None:
        """Start the workers; takes seconds, or minutes if kernels have to be compiled."""
        self._idle = [self._hire() for _ in range(self._count)]

    def rehearse(self, specs: list[str]) -> None:
        """A hint of each agent. Raises ValueError for one that breaks, or takes longer than its kernels can."""
        for spec in dict.fromkeys(specs):
            try:
                self._serve("warm", ([spec],), _REHEARSAL_SECONDS)
            except RefusedError as error:
                raise ValueError(f"{spec}: {error}") from None

    def attend(self) -> None:
        """Begin to serve in the running event loop."""
        self._slow, self._any = _Row(self._count - 1, _MOST_SLOW), _Row(self._count, _MOST_QUICK)

    async def ask(self, job: str, *arguments: Any, slow: bool = False) -> Answer:
        """The answer of a worker; raises RefusedError."""
        if slow:
            async with self._slow.turn():
                return await self._ask(job, arguments, self.patience)
        return await self._ask(job, arguments, QUICK_SECONDS)

    async def _ask(self, job: str, arguments: tuple[Any, ...], seconds: float) -> Answer:
        async with self._any.turn():
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._serve, job, arguments, seconds)

    def _serve(self, job: str, arguments: tuple[Any, ...], seconds: float) -> Answer:
        worker = self._idle.pop() if self._idle else self._hire()
        try:
            answer = worker.ask(job, arguments, seconds)
        except (EOFError, OSError):
            self._all.discard(worker)
            raise worker.lost(seconds) from None
        except RefusedError:
            self._idle.append(worker)
            raise
        self._idle.append(worker)
        return answer

    def _hire(self) -> Worker:
        if self._closed:
            raise RefusedError(503, "closed", "the server is ending")
        worker = Worker(self._named)
        self._all.add(worker)
        return worker

    def close(self) -> None:
        """End the workers at once, whatever they are doing."""
        self._closed = True
        for worker in list(self._all):
            worker.kill()
        self._threads.shutdown(wait=False)
