"""A student: a network over actions that learns what a teacher, a network that judges tables, would play.

It learns the chances of actions by cross-entropy and its value from how the deals end (Hinton, Vinyals and Dean 2015).
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import cycle
from typing import Any

import numpy as np

from casino_env.agents.policy.lookahead import PlaySettings
from casino_env.agents.policy.mlp import Shape, initial
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.rules import Rules
from casino_env.train.games.lessons import Lesson, Notebook, give_lesson
from casino_env.train.learner.fast import FastLearner, one_core
from casino_env.train.learner.gradient import LastLayer, lesson_gradient, new_sums
from casino_env.train.learner.schedule import falling

Array = np.ndarray[Any, Any]

WARMTH = 0.2  # points: of the teacher, whose second thoughts say more than its choice alone
DEALS = 128  # of a lesson
KEPT = 200_000  # positions that it learns from, the last ones
REPEATS = 3.0  # how often it looks at each, on average
MINIBATCH = 512
LEARNING_RATE, FINAL = 3e-3, 0.02  # at the start, and as a share of it at the end
VALUE_COEF = 0.25
EMA_DECAY, MAX_GRAD_NORM = 0.998, 1.0


class Student:
    """A network under instruction. Several games of one teacher are taught by turns.

    While it learns from one lesson the next is given on another core.
    """

    def __init__(
        self, teacher: Policy, games: list[Rules], hidden: tuple[int, ...], memory: str, seed: int, deals: int = DEALS
    ) -> None:
        one_core()
        self._rng, self._lesson_rng = np.random.default_rng(seed).spawn(2)
        self._teacher = _warm(teacher)
        weights = teacher.weights
        self.shape = Shape(weights.layout.size, hidden, weights.shape.values)
        self._learner = FastLearner(self.shape, initial(self.shape, self._rng), MINIBATCH, EMA_DECAY, MAX_GRAD_NORM)
        careless = teacher.play.temperature > 0.0  # one that is played with less care stays so
        play = PlaySettings(temperature=1.0 if careless else 0.0)
        self.weights = Weights(
            weights.rules, weights.layout, self.shape, self._learner.average, weights.value_scale, "the student", play
        )
        self._before = Policy(replace(self.weights, theta=self.weights.theta.copy()), temperature=1.0)
        options = Options(layout="universal" if weights.layout.universal else "own", memory=memory)
        self._games = cycle([Batch(rules, deals, options, redeal=False) for rules in games])
        self._notebook = Notebook(KEPT, weights.layout.most, self.shape)
        self.positions = 0
        self._beside = ThreadPoolExecutor(1)
        self._next = self._ask_for_a_lesson()

    def learn(self, progress: float) -> dict[str, float]:
        """A lesson, and steps on what is in the notebook. progress: how much is done, 0 to 1. Returns what was seen."""
        lesson, self._next = self._next.result(), self._ask_for_a_lesson()
        self._notebook.add(lesson.rows)
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

    def _ask_for_a_lesson(self) -> Future[Lesson]:
        """It begins at once, and asks what the student would play as it is now."""
        games = next(self._games)
        games.deal(int(self._lesson_rng.integers(2**48)))
        self._before.weights.theta[:] = self.weights.theta
        return self._beside.submit(give_lesson, games, self._teacher, self._before, self._lesson_rng)

    def _step(self, rate: float, sums: Array) -> None:
        chosen = self._rng.integers(0, len(self._notebook), size=MINIBATCH)
        rows = self._notebook.rows

        def loss(last: LastLayer) -> None:
            lesson_gradient(last, rows, chosen, VALUE_COEF, self._learner.room, sums)

        self._learner.descend(rows, chosen, rate, loss)


def _warm(teacher: Policy) -> Policy:
    """The same one, with as many second thoughts as a student needs; looking ahead takes it seven times as long."""
    return Policy(teacher.weights, temperature=max(WARMTH, teacher.play.temperature), turns=1)
