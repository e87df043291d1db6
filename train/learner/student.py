"""A student: a network over actions that learns what a teacher, a network that judges tables, would play.

It learns the chances of actions by cross-entropy and its value from how the deals end (Hinton, Vinyals and Dean 2015).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.policy.agent import Policy
from agents.policy.files import Play, Weights
from agents.policy.mlp import Shape, initial
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.rules import Rules
from train.games.lessons import Notebook, give_lesson
from train.learner.fast import FastLearner
from train.learner.gradient import LastLayer, lesson_gradient, new_sums
from train.learner.schedule import falling

Array = np.ndarray[Any, Any]

WARMTH = 0.2  # points: of the teacher, whose second thoughts say more than its choice alone
DEALS = 128  # of a lesson
KEPT = 200_000  # positions that it learns from, the last ones
REPEATS = 6.0  # how often it looks at each, on average
MINIBATCH = 512
LEARNING_RATE, FINAL = 3e-3, 0.02  # at the start, and as a share of it at the end
VALUE_COEF = 0.25
EMA_DECAY, MAX_GRAD_NORM = 0.998, 1.0


class Student:
    """A network under instruction. Several games of one teacher are taught by turns."""

    def __init__(
        self, teacher: Policy, games: list[Rules], hidden: tuple[int, ...], memory: str, seed: int, deals: int = DEALS
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self._teacher = _warm(teacher)
        weights = teacher.weights
        self.shape = Shape(weights.layout.size, hidden, weights.shape.values)
        self._learner = FastLearner(self.shape, initial(self.shape, self.rng), MINIBATCH, EMA_DECAY, MAX_GRAD_NORM)
        play = Play(temperature=1.0 if teacher.temperature > 0.0 else 0.0)  # one that is played with less care stays so
        self.weights = Weights(
            weights.rules, weights.layout, self.shape, self._learner.average, weights.unit, "the student", play
        )
        self._as_it_is = Policy(self.weights, temperature=1.0)
        options = Options(layout="universal" if weights.layout.universal else "own", memory=memory)
        self._games = [Batch(rules, deals, options, redeal=False) for rules in games]
        self._notebook = Notebook(KEPT, weights.layout.most, self.shape)
        self._lessons = self.positions = 0

    def learn(self, progress: float) -> dict[str, float]:
        """A lesson, and steps on what is in the notebook. progress: how much is done, 0 to 1. Returns what was seen."""
        games = self._games[self._lessons % len(self._games)]
        games.deal(int(self.rng.integers(2**48)))
        lesson = give_lesson(games, self._teacher, self._as_it_is, self.rng)
        self._notebook.add(lesson.rows)
        self._lessons += 1
        self.positions += len(lesson.rows.counts)
        sums, rate = new_sums(), falling(LEARNING_RATE, FINAL, progress)
        for _ in range(max(1, round(REPEATS * len(lesson.rows.counts) / MINIBATCH))):
            self._step(rate, sums)
        rows = float(sums["rows"][0])
        return {
            "agreed": lesson.agreed,
            "loss": float(sums["policy_loss"][0]) / rows,
            "value_loss": float(sums["value_loss"][0]) / rows,
        }

    def _step(self, rate: float, sums: Array) -> None:
        chosen = self.rng.integers(0, len(self._notebook), size=MINIBATCH)
        rows = self._notebook.rows

        def loss(last: LastLayer) -> None:
            lesson_gradient(last, rows, chosen, VALUE_COEF, self._learner.room, sums)

        self._learner.descend(rows, chosen, rate, loss)


def _warm(teacher: Policy) -> Policy:
    """The same one, with as many second thoughts as a student needs; looking ahead takes it seven times as long."""
    return Policy(teacher.weights, max(WARMTH, teacher.temperature), turns=1)
