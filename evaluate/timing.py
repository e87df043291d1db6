"""Time limits that hold: for Python code an exception, for compiled code that does not come back the end of the process."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_GRACE = 5.0  # seconds after which a call that ignores the alarm ends its process


class TooSlowError(Exception):
    """No answer in time."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises TooSlowError inside when the time is up. Only in the main thread of a process."""

    def ring(*_: Any) -> None:
        raise TooSlowError(f"no answer within {seconds:g} s")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    faulthandler.dump_traceback_later(seconds + _GRACE, exit=True, file=_nowhere())
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def prepare_worker() -> None:
    """A worker process leaves Ctrl-C to its parent, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


_opened: list[Any] = []


def _nowhere() -> Any:
    if not _opened:
        _opened.append(open(os.devnull, "w"))  # noqa: SIM115 - open as long as the process
    return _opened[0]
