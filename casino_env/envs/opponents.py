"""Who plays the other seats: `random`, agents, functions, or names that the agents package has brought along."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from casino_env.observed import Observed

# The agents of the checkout are found by name once `import agents` has put its look-up here.
resolvers: list[Callable[[str], Any]] = []


class RandomOpponent:
    """Any legal action, each as likely."""

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, observation: Observed) -> int:
        legal = observation.legal()
        return legal[int(self._rng.integers(len(legal)))]


class _FunctionOpponent:
    def __init__(self, function: Callable[[Observed], int]) -> None:
        self._function = function

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: Observed) -> int:
        return int(self._function(observation))


def make_opponent(spec: Any) -> Any:
    """An object with reset(seat, rng) and act(observation)."""
    if spec == "random":
        return RandomOpponent()
    if isinstance(spec, str):
        if resolvers:
            return resolvers[-1](spec)
        raise ValueError(f"opponents = {spec!r}: casino_env knows only 'random' by name; `import agents` adds others")
    if hasattr(spec, "act") and hasattr(spec, "reset"):
        return spec
    if callable(spec):
        return _FunctionOpponent(spec)
    raise ValueError(f"opponents = {spec!r}: give a name, an agent with reset and act, or a function")


def make_opponents(specs: Any, players: int, seat: int) -> dict[int, Any]:
    """Opponents by seat: one specification for all of them, or a list with one for each other seat in turn order."""
    others = [(seat + i) % players for i in range(1, players)]
    listed = list(specs) if isinstance(specs, list | tuple) else [specs, *(deepcopy(specs) for _ in others[1:])]
    if len(listed) != len(others):
        raise ValueError(f"opponents: {len(listed)} given, but there are {len(others)} other seats")
    return {other: make_opponent(spec) for other, spec in zip(others, listed, strict=True)}
