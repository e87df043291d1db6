"""Disks without room."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_signals: Any = signal  # in types it has what this system has


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """No file may grow beyond so many bytes."""
    resource = pytest.importorskip("resource", reason="Windows has no limits")
    before, heard = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(_signals.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(_signals.SIGXFSZ, heard)
