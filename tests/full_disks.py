"""Simulate a full disk."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_signals: Any = signal  # Any: type checkers know only this system's signals


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """Let no file grow beyond `room` bytes."""
    resource = pytest.importorskip("resource", reason="Windows has no limits")
    before, heard = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(_signals.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(_signals.SIGXFSZ, heard)
