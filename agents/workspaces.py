"""Caches of workspaces for an agent's last few games, and a lock that admits one thread at a time."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")
Method = TypeVar("Method", bound=Callable[..., Any])

_MOST = 8  # games per agent: a network's workspace takes megabytes, and there are countless house rules


class Recent(dict[K, V]):
    """A cache of the _MOST most recently used keys (LRU)."""

    def find(self, key: K, make: Callable[[], V]) -> V:
        value = self.pop(key) if key in self else make()
        self[key] = value  # most recently used
        if len(self) > _MOST:
            del self[next(iter(self))]
        return value


class Turnstile:
    """A re-entrant lock; a copy has a lock of its own."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[Turnstile], tuple[()]]:
        return Turnstile, ()


def one_at_a_time(method: Method) -> Method:
    """Decorator for methods that use the object's workspace: hold self.entrance, so that other threads wait. Kernels
    release the GIL, and without the lock they would overwrite each other's workspace."""

    @functools.wraps(method)
    def entered(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self.entrance:
            return method(self, *args, **kwargs)

    return entered  # type: ignore[return-value]
