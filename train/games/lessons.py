"""Lessons: deals that a teacher plays, with how likely it plays each action at every decision, and how they end."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape
from casino_env.agents.policy.policy_agent import Policy
from casino_env.engine.action_set import PARTS
from casino_env.envs.batch import WAIT
from casino_env.envs.vector import Batch

Array = np.ndarray[Any, Any]


class Rows(NamedTuple):
    """A row for each position."""

    indices: Array  # [row, k]: features that are on
    counts: Array  # how many
    legal: Array
    goals: Array  # [row, action]: how likely the teacher plays it
    targets: Array  # [row, side]: how the deal ended, by side from mine, in units of the network


class Notebook:
    """So many positions with what was taught there; the oldest make room for new ones."""

    def __init__(self, size: int, features: int, shape: Shape) -> None:
        self.rows = Rows(
            np.zeros((size, features), np.int16), np.zeros(size, np.int64), np.zeros((size, PARTS), np.int64),
            np.zeros((size, ACTIONS), np.float32), np.zeros((size, shape.values), np.float32),
        )  # fmt: skip
        self.shown = 0

    def __len__(self) -> int:
        return min(self.shown, len(self.rows.counts))

    def add(self, new: Rows) -> None:
        places = (self.shown + np.arange(len(new.counts))) % len(self.rows.counts)
        for mine, theirs in zip(self.rows, new, strict=True):
            mine[places] = theirs
        self.shown += len(new.counts)


class Lesson(NamedTuple):
    """What came of a deal in each game."""

    rows: Rows
    agreed: float  # share of the positions in which both like the same action best


def give_lesson(games: Batch, teacher: Policy, student: Policy, rng: np.random.Generator) -> Lesson:
    """The teacher plays the deals to their end, on all seats; the student is asked what it would have played."""
    shape, value_scale = student.weights.shape, student.weights.value_scale
    parts: list[Rows] = []
    asked: list[tuple[Array, Array]] = []  # games and seats of each part
    points, agreed = np.zeros((games.num_envs, games.rules.players)), 0
    while (waiting := np.flatnonzero(games.games.legal.any(axis=1))).size:
        seats, legal = games.actor[waiting], games.games.legal[waiting]
        seen = games.rules, games.views()[waiting], seats, legal
        goals, thought = teacher.probabilities_of_many(*seen), student.probabilities_of_many(*seen)
        lists = games.indices()[waiting]
        counts = (lists < games.layout.size).sum(axis=1)
        parts.append(Rows(lists, counts, legal, goals.astype(np.float32), np.zeros((len(seats), shape.values))))
        asked.append((waiting, seats.copy()))
        agreed += int((goals.argmax(axis=1) == thought.argmax(axis=1)).sum())
        actions = np.full(games.num_envs, WAIT)
        actions[waiting] = _drawn(goals, rng)
        games.act(actions)
        points += games.rewards
    for part, (where, seats) in zip(parts, asked, strict=True):
        for k in range(shape.values):
            part.targets[:, k] = points[where, (seats + k) % games.rules.sides] / value_scale
    rows = Rows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    return Lesson(rows, agreed / len(rows.counts))


def _drawn(chances: Array, rng: np.random.Generator) -> Array:
    """An action for each row of chances."""
    upto = chances.cumsum(axis=1)
    return np.asarray((upto > rng.random((len(upto), 1)) * upto[:, -1:]).argmax(axis=1))
