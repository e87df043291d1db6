"""Distillation: a student, a network over actions, learns what a teacher that judges afterstates would play.

It learns the teacher's chances of actions by cross-entropy, and its value from how the deals end (Hinton, Vinyals and
Dean 2015).
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import cycle
from typing import NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.lookahead import PlaySettings
from casino_env.agents.policy.mlp import Shape, initial
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.arrays import Array
from casino_env.engine.action_set import PARTS
from casino_env.envs.batch import WAIT
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.rules import Rules
from casino_env.train.learner.fast import FastLearner, LastLayer, Positions, distillation_gradient, new_sums, one_core
from casino_env.train.settings import OptimizerConfig

TEMPERATURE = 0.2  # points: of the teacher, whose second thoughts say more than its choice alone
DEALS = 128  # collected at a time
KEPT = 200_000  # positions in the replay buffer
REPEATS = 3.0  # how often each is learnt from, on average
OPTIMIZER = OptimizerConfig(
    minibatch=512, learning_rate=3e-3, final_learning_rate=0.02, max_grad_norm=1.0, ema_decay=0.998
)
VALUE_COEF = 0.25


class ReplayBuffer:
    """So many positions; the oldest make room for new ones."""

    def __init__(self, size: int, features: int, shape: Shape) -> None:
        self.rows = Positions(
            np.zeros((size, features), np.int16), np.zeros(size, np.int64), np.zeros((size, PARTS), np.int64),
            np.zeros((size, ACTIONS), np.float32), np.zeros((size, shape.values), np.float32),
        )  # fmt: skip
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, len(self.rows.counts))

    def add(self, new: Positions) -> None:
        places = (self.added + np.arange(len(new.counts))) % len(self.rows.counts)
        for mine, theirs in zip(self.rows, new, strict=True):
            mine[places] = theirs
        self.added += len(new.counts)


class Collected(NamedTuple):
    """What came of a deal in each game."""

    rows: Positions
    accuracy: float  # share of the positions in which teacher and student like the same action best


def collect_teacher(games: Batch, teacher: Policy, student: Policy, rng: np.random.Generator) -> Collected:
    """The teacher plays the deals to their end, on all seats; the student is asked what it would have played."""
    shape, value_scale = student.weights.shape, student.weights.value_scale
    parts: list[Positions] = []
    asked: list[tuple[Array, Array]] = []  # games and seats of each part
    points, same = np.zeros((games.num_envs, games.rules.players)), 0
    while (waiting := np.flatnonzero(games.games.legal.any(axis=1))).size:
        seats, legal = games.actor[waiting], games.games.legal[waiting]
        seen = games.rules, games.views()[waiting], seats, legal
        probs, guessed = teacher.probabilities_of_many(*seen), student.probabilities_of_many(*seen)
        lists = games.indices()[waiting]
        counts = (lists < games.layout.size).sum(axis=1)
        parts.append(
            Positions(lists, counts, legal, probs.astype(np.float32), np.zeros((len(seats), shape.values), np.float32))
        )
        asked.append((waiting, seats.copy()))
        same += int((probs.argmax(axis=1) == guessed.argmax(axis=1)).sum())
        actions = np.full(games.num_envs, WAIT)
        upto = probs.cumsum(axis=1)
        actions[waiting] = (upto > rng.random((len(upto), 1)) * upto[:, -1:]).argmax(axis=1)
        games.act(actions)
        points += games.rewards
    for part, (where, seats) in zip(parts, asked, strict=True):
        for k in range(shape.values):
            part.targets[:, k] = points[where, (seats + k) % games.rules.sides] / value_scale
    rows = Positions(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    return Collected(rows, same / len(rows.counts))


class Distillation:
    """In progress. Several games of one teacher are played by turns.

    While the student learns, the teacher plays the next deals on another core.
    """

    def __init__(
        self, teacher: Policy, games: list[Rules], hidden: tuple[int, ...], memory: str, seed: int, deals: int = DEALS
    ) -> None:
        one_core()
        self._rng, self._teacher_rng = np.random.default_rng(seed).spawn(2)
        # With as many second thoughts as a student needs; looking ahead would take seven times as long.
        self._teacher = Policy(teacher.weights, temperature=max(TEMPERATURE, teacher.play.temperature), turns=1)
        weights = teacher.weights
        self.shape, own = Shape(weights.layout.size, hidden, weights.shape.values), OPTIMIZER
        theta = initial(self.shape, self._rng)
        self._learner = FastLearner(self.shape, theta, own.minibatch, own.ema_decay, own.max_grad_norm)
        careless = teacher.play.temperature > 0.0  # one that is played with less care stays so
        play = PlaySettings(temperature=1.0 if careless else 0.0)
        self.weights = Weights(
            weights.rules, weights.layout, self.shape, self._learner.average, weights.value_scale, "the student", play
        )
        self._asked = Policy(replace(self.weights, theta=self.weights.theta.copy()), temperature=1.0)
        options = Options(layout="universal" if weights.layout.universal else "own", memory=memory)
        self._games = cycle([Batch(rules, deals, options, redeal=False) for rules in games])
        self._buffer = ReplayBuffer(KEPT, weights.layout.most, self.shape)
        self._actor = ThreadPoolExecutor(1)
        self._next = self._collect_ahead()

    @property
    def positions(self) -> int:
        """Seen so far."""
        return self._buffer.added

    def learn(self, progress: float) -> dict[str, float]:
        """Collect, and steps on what is in the buffer. progress: how much is done, 0 to 1. Returns what was seen."""
        collected, self._next = self._next.result(), self._collect_ahead()
        self._buffer.add(collected.rows)
        sums, learning_rate = new_sums(), OPTIMIZER.rate(progress)
        positions = self._buffer.rows

        def gradient(last: LastLayer, chosen: Array) -> None:
            distillation_gradient(last, positions, chosen, VALUE_COEF, self._learner.scratch, sums)

        for _ in range(max(1, round(REPEATS * len(collected.rows.counts) / OPTIMIZER.minibatch))):
            chosen = self._rng.integers(0, len(self._buffer), size=OPTIMIZER.minibatch)
            self._learner.descend(positions, chosen, learning_rate, gradient)
        rows = float(sums["rows"][0])
        return {
            "accuracy": collected.accuracy,
            "loss": float(sums["policy_loss"][0]) / rows,
            "value_loss": float(sums["value_loss"][0]) / rows,
        }

    def _collect_ahead(self) -> Future[Collected]:
        """It begins at once, and asks what the student would play as it is now."""
        games = next(self._games)
        games.deal(int(self._teacher_rng.integers(2**48)))
        self._asked.weights.theta[:] = self.weights.theta
        return self._actor.submit(collect_teacher, games, self._teacher, self._asked, self._teacher_rng)


def compile_for(teacher: Policy, games: list[Rules], hidden: tuple[int, ...], memory: str) -> None:
    """All kernels that a distillation needs, by a lesson of next to nothing."""
    Distillation(teacher, games[:1], hidden, memory, seed=0, deals=2).learn(0.0)
