"""A kind of input from outside: some that are right, how they are spoilt, and what is done with them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

# A command that a spoilt input may try to run: it must never come about (runner.py looks after each case).
CANARY = os.environ.setdefault("CASINO_HOSTILE_CANARY", f"/tmp/hostile-canary-{os.getpid()}")
RUNS_IT = f"os:system:command=touch {CANARY}"


class RefusedError(Exception):
    """Raised by `use` where the refusal is no ValueError or OSError but an answer, an exit code, a status."""


@dataclass(frozen=True)
class Kind:
    """Each file of this folder that has KINDS has some.

    seeds: right inputs, made once. spoil: one of them and the worker's dice give an input. use: does with it what the
    project does with input from outside; a ValueError, an OSError or RefusedError with a message of one line is a
    refusal, any other exception a failure. count: inputs of a whole run.
    """

    name: str
    count: int
    seeds: Callable[[Random], list[Any]]
    spoil: Callable[[Any, Random], Any]
    use: Callable[[Any, Random], object]
