"""The opponents in all games of a batch: each game has its own, who begin anew with each of its episodes."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np

from casino_env.envs import batch
from casino_env.envs.batch import WAIT
from casino_env.envs.opponents import begin_episode, let_watch, make_opponents
from casino_env.envs.vector import Batch

Array = np.ndarray[Any, Any]


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
