"""Who plays the other seats: `random`, agents, functions, or names that the part `agents` knows."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from importlib import import_module
from typing import Any

import numpy as np

from casino_env.envs.options import generator
from casino_env.observed import Observed
from casino_env.rules import Rules
from casino_env.validate import short_repr


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
        return self._function(observation)


def make_opponent(spec: Any) -> Any:
    """An object with reset(seat, rng) and act(observation)."""
    if isinstance(spec, str) and spec == "random":
        return RandomOpponent()
    if isinstance(spec, str):
        return _named(spec)
    if isinstance(spec, type):
        raise ValueError(f"opponents = {spec.__name__}: that is a class; give an agent, {spec.__name__}(...)")
    if hasattr(spec, "act") and hasattr(spec, "reset"):
        return spec
    if callable(spec):
        return _FunctionOpponent(spec)
    raise ValueError(f"opponents = {short_repr(spec)}: give a name, an agent with reset and act, or a function")


def _named(spec: str) -> Any:
    """By the part of the project that knows agents; it is imported when the first name is asked for, not before."""
    return import_module("casino_env.agents").make_agent(spec)


def make_opponents(specs: Any, rules: Rules, seat: int) -> dict[int, Any]:
    """Opponents by seat: one specification for all of them, or a list with one for each other seat in turn order.

    An agent that is given for several seats is copied: each seat has its own.
    """
    others = [(seat + i) % rules.players for i in range(1, rules.players)]
    listed = list(specs) if isinstance(specs, list | tuple) else [specs] * len(others)
    if len(listed) != len(others):
        raise ValueError(f"opponents: {len(listed)} given, but there are {len(others)} other seats")
    made: dict[int, Any] = {}
    for position, (other, spec) in enumerate(zip(others, listed, strict=True)):
        known = any(spec is earlier for earlier in listed[:position])
        made[other] = make_opponent(deepcopy(spec) if known else spec)
        if hasattr(made[other], "check"):
            made[other].check(rules)  # a policy of another game
    return made


def let_watch(opponents: dict[int, Any], decides: int, observed: Callable[[int], Observed]) -> None:
    """Those who care see the table before another seat decides."""
    for seat, opponent in opponents.items():
        if seat != decides and hasattr(opponent, "watch"):
            opponent.watch(observed(seat))


def begin_episode(opponents: dict[int, Any], seed: int, episode: int) -> None:
    """A game begins for all of them: what they draw follows from the game's seed, its number and the seat alone."""
    for seat, opponent in opponents.items():
        opponent.reset(seat, generator(seed, episode, seat))
