"""Time limits that hold: an exception for Python code, the end of the process for code that does not come back."""

from __future__ import annotations

import faulthandler
import functools
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event


class TooSlowError(Exception):
    """No answer in time."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises TooSlowError inside when the time is up. Only in the main thread of a process."""

    def ring(*_: Any) -> None:
        raise TooSlowError(f"no answer within {seconds:g} s")

    signal.signal(signal.SIGALRM, ring)
    clock = _clock()
    clock.start(seconds)
    try:
        yield
    finally:
        clock.stop()


class _Clock(event.Listener):  # type: ignore[misc]
    """Stands still while numba compiles: that happens once on a machine and is not the agent's fault."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._compiling = 0
        self._nowhere = open(os.devnull, "w")  # noqa: SIM115 - as long as the process

    def start(self, seconds: float) -> None:
        self._seconds = seconds
        self._wind()

    def stop(self) -> None:
        self._seconds = 0.0
        self._halt()

    def on_start(self, _: Any) -> None:
        self._compiling += 1
        self._halt()

    def on_end(self, _: Any) -> None:
        self._compiling -= 1
        if self._seconds and not self._compiling:
            self._wind()

    def _wind(self) -> None:
        """The alarm, and a watchdog that ends the process if the alarm is not heard."""
        signal.setitimer(signal.ITIMER_REAL, self._seconds)
        faulthandler.dump_traceback_later(1.2 * self._seconds + 1, exit=True, file=self._nowhere)

    def _halt(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


@functools.cache
def _clock() -> _Clock:
    clock = _Clock()
    event.register("numba:compile", clock)
    return clock


def prepare_worker() -> None:
    """A worker process leaves Ctrl-C and the standard output to its parent, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr  # an agent that prints spoils no JSON
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
