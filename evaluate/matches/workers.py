"""Who plays the deals: some threads in this process, or some processes that may die without harm.

Workers play pieces of work (lists of deals) and hand the results out in the order of the pieces, so that what a match
comes to does not depend on how many workers there were.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

from casino_env.arrays import Array
from casino_env.evaluate.matches.duplicate import play_duplicate
from casino_env.evaluate.matches.pairing import A, AgentFailedError, B, Pairing, blamed, entrant
from casino_env.machine import end_with_parent
from casino_env.rules import Rules
from casino_env.validate import int_in

Piece = list[int]  # seeds of the deals
_MOST = 1024


class Workers:
    """Play pieces for any pairings; close them, or use them in a with statement."""

    def __init__(self, threads: int) -> None:
        self._own = threading.local()  # what each of them keeps
        self._count = int_in(threads, "threads", 1, _MOST)
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

    def _play_piece(self, pairing: Pairing, piece: Piece) -> Array:
        """Agents keep notes, so each thread plays with copies of its own."""
        if getattr(self._own, "pairing", None) is not pairing:
            a, b = pairing.agents
            twins = pairing.agents if self._count == 1 else (a.twin(), b.twin())
            self._own.pairing, self._own.twin = pairing, replace(pairing, agents=twins, _copies={})
        return play_duplicate(self._own.twin, piece)


class Processes(Workers):
    """Each worker is a process: right for agents that think long, and for those that nobody has tried yet.

    Agents are built there from their names. If a process dies, the agent that was asked last has failed.
    """

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self._pools: list[ProcessPoolExecutor] = []

    def _play_piece(self, pairing: Pairing, piece: Piece) -> Array:
        if getattr(self._own, "pool", None) is None:
            spawn = get_context("spawn")
            self._own.asked = spawn.Value("b", lock=False)
            self._own.pool = ProcessPoolExecutor(1, spawn, _prepare, (self._own.asked,))
            self._pools.append(self._own.pool)
        try:
            return self._own.pool.submit(_play_there, order_of(pairing), piece).result()
        except BrokenProcessPool:
            self._own.pool = None
            raise AgentFailedError(pairing.agents[self._own.asked.value].name, "its process died") from None

    def close(self) -> None:
        """At once, whatever is being thought about."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        processes = [each for pool in self._pools for each in (pool._processes or {}).values()]
        for process in processes:
            process.terminate()  # it keeps nothing
        for process in processes:
            process.join(1.0)
            if process.is_alive():  # an agent does not want to go
                process.kill()
        super().close()
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)  # what watches the process is gone before Python ends


# --- in the process -------------------------------------------------------------------------------------------------

Order = tuple[Rules, tuple[str, str], Array, int, str]


def order_of(pairing: Pairing) -> Order:
    """What another process needs to make the same pairing."""
    a, b = pairing.agents
    return pairing.rules, (a.name, b.name), pairing.seatings, pairing.seed, pairing.judge


_pairings: dict[Any, Pairing] = {}
_asked: Any = None  # shared with the parent: which agent was asked last


def _prepare(asked: Any) -> None:
    """A worker process leaves Ctrl-C and the standard output to its parent, and does not outlive it."""
    global _asked
    _asked = asked
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr  # an agent that prints spoils no JSON
    end_with_parent()


def _play_there(order: Order, piece: Piece) -> Array:
    return play_order(order, piece, _asked)


def play_order(order: Order, piece: Piece, last: Any) -> Array:
    """The agents of the last match are kept. last.value says which of them was asked last."""
    rules, names, seatings, seed, judge = order
    key = rules, names, seatings.tobytes(), seed, judge
    if key not in _pairings:
        _pairings.clear()

        def asked(who: int) -> None:
            last.value = who

        agents = []
        for who, name in enumerate(names):
            asked(who)
            with blamed(name):  # it could be made in the command, and may fail here
                agents.append(entrant(name))
        _pairings[key] = Pairing(rules, (agents[A], agents[B]), seatings, seed, judge, asked)
    return play_duplicate(_pairings[key], piece)
