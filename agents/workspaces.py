"""What an agent keeps besides what it is: workspaces for the last few games that it played, and for one thread at a
time."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")
Method = TypeVar("Method", bound=Callable[..., Any])

_MOST = 8  # games of one agent: the workspace of a network has megabytes, and house rules are without number


class Recent(dict[K, V]):
    """What was made for some keys: those that were asked for last."""

    def find(self, key: K, make: Callable[[], V]) -> V:
        value = self.pop(key) if key in self else make()
        self[key] = value  # the last one
        if len(self) > _MOST:
            del self[next(iter(self))]
        return value


class Turnstile:
    """Lets one thread in at a time, and that one again. A copy lets in its own."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[Turnstile], tuple[()]]:
        return Turnstile, ()


def one_at_a_time(method: Method) -> Method:
    """A method of an object whose workspace holds one decision: other threads wait at its turnstile, self.entrance.
    Without it kernels, which let other threads run, would write into each other's numbers."""

    @functools.wraps(method)
    def entered(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self.entrance:
            return method(self, *args, **kwargs)

    return entered  # type: ignore[return-value]
