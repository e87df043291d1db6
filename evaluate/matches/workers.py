"""Who plays the deals: some threads in this process, or some processes that may hang or die without harm.

Workers play pieces of work (lists of deals) and hand the results out in the order of the pieces, so that what a match
comes to does not depend on how many workers there were.
"""

from __future__ import annotations

import faulthandler
import functools
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

from casino_env.arrays import Array
from casino_env.evaluate.matches.duplicate import play_duplicate
from casino_env.evaluate.matches.pairing import A, AgentFailedError, B, Pairing, TooSlowError, blamed, entrant
from casino_env.rules import Rules

Piece = list[int]  # seeds of the deals
_MOST = 1024
_LONGEST = 10**6


class Workers:
    """Play pieces for any pairings; close them, or use them in a with statement."""

    def __init__(self, threads: int = 1) -> None:
        if not 1 <= threads <= _MOST:
            raise ValueError(f"threads = {threads}; it must be 1 or more, and at most {_MOST}")
        self._count = threads
        self._pool = ThreadPoolExecutor(threads, "evaluate")

    def play(self, pairing: Pairing, pieces: Iterable[Piece]) -> Iterator[Array]:
        """What each piece came to, in order; raises AgentFailedError."""
        waiting: deque[Future[Array]] = deque()
        todo = iter(pieces)
        try:
            while True:
                while len(waiting) <= self._count and (piece := next(todo, None)) is not None:
                    waiting.append(self._pool.submit(self._play_piece, pairing, piece))
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _play_piece(self, pairing: Pairing, piece: Piece) -> Array:
        raise NotImplementedError

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Threads(Workers):
    """In this process: starts at once; right for agents that decide in many games in compiled code."""

    def __init__(self, threads: int = 1) -> None:
        super().__init__(threads)
        self._own = threading.local()

    def _play_piece(self, pairing: Pairing, piece: Piece) -> Array:
        """Agents keep notes, so each thread plays with copies of its own."""
        if getattr(self._own, "pairing", None) is not pairing:
            a, b = pairing.agents
            twins = pairing.agents if self._count == 1 else (a.twin(), b.twin())
            self._own.pairing, self._own.twin = pairing, replace(pairing, agents=twins, _copies={})
        return play_duplicate(self._own.twin, piece)


class Processes(Workers):
    """Each worker is a process: right for agents that think long, and for those that nobody has tried yet.

    Agents are built there from their names. A call of an agent that takes longer than limit seconds is its failure.
    """

    def __init__(self, threads: int = 1, limit: float = 60.0) -> None:
        super().__init__(threads)
        if not 0 < limit <= _LONGEST:
            raise ValueError(f"limit = {limit:g}; it must be more than 0 seconds, and at most {_LONGEST:,}")
        self._limit = limit
        self._own = threading.local()
        self._pools: list[ProcessPoolExecutor] = []

    def _play_piece(self, pairing: Pairing, piece: Piece) -> Array:
        if getattr(self._own, "pool", None) is None:
            spawn = get_context("spawn")
            self._own.asked = spawn.Value("b", lock=False)
            self._own.pool = ProcessPoolExecutor(1, spawn, _prepare, (self._own.asked,))
            self._pools.append(self._own.pool)
        try:
            return self._own.pool.submit(_play_there, order_of(pairing, self._limit), piece).result()
        except BrokenProcessPool:
            self._own.pool = None
            problem = f"its process died or did not answer within {self._limit:g} s"
            raise AgentFailedError(pairing.agents[self._own.asked.value].name, problem) from None

    def close(self) -> None:
        """At once, whatever is being thought about."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for pool in self._pools:
            for process in list((pool._processes or {}).values()):
                process.kill()  # it keeps nothing, and an agent may not want to go
        super().close()
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)  # what watches the process is gone before Python ends


# --- in the process -------------------------------------------------------------------------------------------------

Order = tuple[Rules, tuple[str, str], Array, int, str, float]


def order_of(pairing: Pairing, limit: float) -> Order:
    """What another process needs to make the same pairing."""
    a, b = pairing.agents
    return pairing.rules, (a.name, b.name), pairing.seatings, pairing.seed, pairing.judge, limit


_pairings: dict[Any, Pairing] = {}
_asked: Any = None  # shared with the parent: which agent was asked last


def _prepare(asked: Any) -> None:
    """A worker process leaves Ctrl-C and the standard output to its parent, and does not outlive it."""
    global _asked
    _asked = asked
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr  # an agent that prints spoils no JSON
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _play_there(order: Order, piece: Piece) -> Array:
    return play_order(order, piece, _asked)


def play_order(order: Order, piece: Piece, asked: Any) -> Array:
    """The agents of the last match are kept. asked.value says which of them was asked last."""
    rules, names, seatings, seed, judge, limit = order
    key = rules, names, seatings.tobytes(), seed, judge
    if key not in _pairings:
        _pairings.clear()

        def guard(who: int) -> AbstractContextManager[None]:
            asked.value = who
            return at_most(limit)

        agents = []
        for who, name in enumerate(names):
            asked.value = who
            with blamed(name):  # it could be made in the command, and may fail here
                agents.append(entrant(name))
        _pairings[key] = Pairing(rules, (agents[A], agents[B]), seatings, seed, judge, guard)
    return play_duplicate(_pairings[key], piece)


# --- limits of time that hold -----------------------------------------------------------------------------------------


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises TooSlowError inside when the time is up; code that does not come back ends the process. Only in the main
    thread of a process."""

    def ring(*_: Any) -> None:
        raise TooSlowError(f"no answer within {seconds:g} s")

    signal.signal(signal.SIGALRM, ring)
    _clock().set(seconds)
    try:
        yield
    finally:
        _clock().set(0.0)


class _Clock:
    """Stands still while numba compiles (an agent's own kernels, or ours that have changed): that happens once on a
    machine and is not the agent's fault."""

    def __init__(self) -> None:
        self._seconds, self._compiling = 0.0, 0
        self._nowhere = open(os.devnull, "w")  # noqa: SIM115 - as long as the process

    def set(self, seconds: float) -> None:
        """The alarm, and a watchdog that ends the process if the alarm is not heard; 0: neither."""
        self._seconds = seconds
        self._wind(seconds)

    def stop(self) -> None:
        self._compiling += 1
        self._wind(0.0)

    def go_on(self) -> None:
        self._compiling -= 1
        if self._seconds and not self._compiling:
            self._wind(self._seconds)

    def _wind(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        if seconds:
            faulthandler.dump_traceback_later(1.2 * seconds + 1, exit=True, file=self._nowhere)
        else:
            faulthandler.cancel_dump_traceback_later()


@functools.cache
def _clock() -> _Clock:
    clock = _Clock()
    with suppress(ModuleNotFoundError):  # without a compiler nothing is compiled
        from numba.core import event

        class Listener(event.Listener):  # type: ignore[misc]
            def on_start(self, _: Any) -> None:
                clock.stop()

            def on_end(self, _: Any) -> None:
                clock.go_on()

        event.register("numba:compile", Listener())
    return clock
