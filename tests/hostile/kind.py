"""A kind of input: how to make valid ones, how to corrupt them, and how to use them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

# A file that corrupted inputs try to create with a command: it must never exist (runner.py checks after each case).
CANARY = os.environ.setdefault("CASINO_HOSTILE_CANARY", f"/tmp/hostile-canary-{os.getpid()}")
RUNS_IT = f"os:system:command=touch {CANARY}"


class RefusedError(Exception):
    """Raised by `use` if an input is refused by an answer, an exit code or a status instead of an exception."""


@dataclass(frozen=True)
class Kind:
    """A kind of input; modules in this folder define theirs in KINDS.

    seeds: makes valid inputs, once. spoil: corrupts one with a random generator. use: does with an input what the
    project does; a ValueError, OSError or RefusedError with a message of one line is a refusal, any other exception a
    failure. count: inputs of a whole run.
    """

    name: str
    count: int
    seeds: Callable[[Random], list[Any]]
    spoil: Callable[[Any, Random], Any]
    use: Callable[[Any, Random], object]
