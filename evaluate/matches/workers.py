"""Workers that play deals: threads in this process, or processes that may crash without harm.

Workers play pieces (lists of deals) and return results in the order of the pieces, so that the result of a match does
not depend on the number of workers.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
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
    """Play pieces of any pairings. Close them, or use them in a with statement."""

    def __init__(self, threads: int) -> None:
        self._own = threading.local()  # what each of them keeps
        self._count = int_in(threads, "threads", 1, _MOST)
        self._pool = ThreadPoolExecutor(threads, "evaluate")

    def play(self, pairing: Pairing, pieces: Iterable[Piece]) -> Iterator[Array]:
        """Yield the result of each piece, in order; raises AgentFailedError."""
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
    """Threads of this process. They start at once, and suit agents that decide in batches in compiled code."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self._over = threading.Event()

    def _play_piece(self, pairing: Pairing, piece: Piece) -> Array:
        """Play a piece with this thread's own copies of the agents, as agents have state."""
        if getattr(self._own, "pairing", None) is not pairing:
            a, b = pairing.agents
            twins = pairing.agents if self._count == 1 else (a.twin(), b.twin())
            asked = while_wanted(self._over)
            self._own.pairing, self._own.twin = pairing, replace(pairing, agents=twins, asked=asked, _copies={})
        return play_duplicate(self._own.twin, piece)

    def close(self) -> None:
        self._over.set()
        super().close()


def while_wanted(over: threading.Event) -> Callable[[int], None]:
    """Return an `asked` of a pairing that ends its games when the event is set: Ctrl-C reaches only the main thread,
    and what nobody waits for any more need not be played to its end."""

    def asked(_: int) -> None:
        if over.is_set():
            raise InterruptedError

    return asked


class Processes(Workers):
    """Worker processes. They suit slow agents and untested ones.

    They make agents from their names. If a process dies, the agent that was asked last has failed.
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
        """Stop all processes at once, even in the middle of a decision."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        processes = [each for pool in self._pools for each in (pool._processes or {}).values()]
        for process in processes:
            process.terminate()  # it has nothing to save
        for process in processes:
            process.join(1.0)
            if process.is_alive():  # an agent ignores SIGTERM
                process.kill()
        super().close()
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)  # end the pool's manager thread before Python exits


# --- in the process -------------------------------------------------------------------------------------------------

Order = tuple[Rules, tuple[str, str], Array, int, str]


def order_of(pairing: Pairing) -> Order:
    """Return the data from which another process can make the same pairing."""
    a, b = pairing.agents
    return pairing.rules, (a.name, b.name), pairing.seatings, pairing.seed, pairing.judge


_pairings: dict[Any, Pairing] = {}
_asked: Any = None  # shared with the parent: the agent that was asked last


def _prepare(asked: Any) -> None:
    """Prepare a worker process: leave Ctrl-C and standard output to the parent, and end with it."""
    global _asked
    _asked = asked
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr  # agents that print must not spoil JSON
    end_with_parent()


def _play_there(order: Order, piece: Piece) -> Array:
    return play_order(order, piece, _asked)


def play_order(order: Order, piece: Piece, last: Any) -> Array:
    """Play a piece with cached agents of the last match. last.value: set to the agent that was asked last."""
    rules, names, seatings, seed, judge = order
    key = rules, names, seatings.tobytes(), seed, judge
    if key not in _pairings:
        _pairings.clear()

        def asked(who: int) -> None:
            last.value = who

        agents = []
        for who, name in enumerate(names):
            asked(who)
            with blamed(name):  # it was made in the parent, but may fail here
                agents.append(entrant(name))
        _pairings[key] = Pairing(rules, (agents[A], agents[B]), seatings, seed, judge, asked)
    return play_duplicate(_pairings[key], piece)
