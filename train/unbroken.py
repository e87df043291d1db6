"""Work that Ctrl-C does not break off in the middle."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def unbroken() -> Iterator[None]:
    """Ctrl-C, or being told to stop, waits for the end of what is inside; the second time it does not."""
    if threading.current_thread() is not threading.main_thread():  # signals are for that one alone
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    heard: list[int] = []

    def hear(number: int, _: Any) -> None:
        heard.append(number)
        signal.signal(number, before[signal.Signals(number)])

    for number in _SIGNALS:
        signal.signal(number, hear)
    try:
        yield
    finally:
        for number in _SIGNALS:
            signal.signal(number, before[number])
    if heard:
        signal.raise_signal(heard[0])
