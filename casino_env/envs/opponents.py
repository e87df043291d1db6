"""Who plays the other seats: `random`, agents, functions or names of agents; of one game, or of each in a batch."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from casino_env.arrays import Array
from casino_env.envs import batch
from casino_env.envs.batch import WAIT
from casino_env.envs.options import generator
from casino_env.envs.vector import Batch
from casino_env.observed import Observed
from casino_env.rules import Rules
from casino_env.validate import short_repr

# === Of one game ======================================================================================================


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


# === Of a batch: each game has its own, who begin anew with each of its episodes ======================================


def make_vector_opponents(opponents: Any, games: Batch, seat: int) -> RandomOpponents | VectorOpponents:
    """opponents: as make_opponents takes them."""
    if isinstance(opponents, str) and opponents == "random":
        return RandomOpponents(games)
    first = make_opponents(opponents, games.rules, seat)
    return VectorOpponents(games, [deepcopy(first) for _ in range(games.num_envs)])


class RandomOpponents:
    """Any legal action, each as likely, from a stream of each game's own; all in one kernel."""

    def __init__(self, games: Batch) -> None:
        self._batch = games
        self._draws = np.zeros(games.num_envs, np.uint64)

    def begin(self, which: Array) -> None:
        """The marked games have been dealt."""
        games = self._batch.games
        batch.seed_draws(games.seeds, games.episodes, which, self._draws)

    def watch(self, going_on: Array) -> None:
        """Nobody here looks."""

    def actions(self, waiting: Array) -> Array:
        """An action in each game that waits."""
        actions = np.empty(len(waiting), np.int64)
        batch.draw_actions(self._batch.games.legal, waiting, self._draws, actions)
        return actions


class VectorOpponents:
    """Agents or functions."""

    def __init__(self, games: Batch, opponents: list[dict[int, Any]]) -> None:
        self._batch, self.opponents = games, opponents
        self._watched = any(hasattr(opponent, "watch") for opponent in opponents[0].values())  # all games have the same

    def begin(self, which: Array) -> None:
        """The marked games have been dealt."""
        games = self._batch.games
        for i in np.flatnonzero(which):
            begin_episode(self.opponents[i], int(games.seeds[i]), int(games.episodes[i]))

    def watch(self, going_on: Array) -> None:
        """Those who care see the table in these games, before another seat decides."""
        for i in np.flatnonzero(going_on).tolist() if self._watched else ():
            let_watch(self.opponents[i], int(self._batch.actor[i]), partial(self._batch.observed, index=i))

    def actions(self, waiting: Array) -> Array:
        """An action in each game that waits."""
        actions = np.full(len(waiting), WAIT)
        for i in np.flatnonzero(waiting):
            seat = int(self._batch.actor[i])
            action = self.opponents[i][seat].act(self._batch.observed(seat, int(i)))
            actions[i] = self._batch.legal_number(action, int(i))  # not WAIT: the batch would wait for ever
        return actions
