"""A critic of its own: values from a second network, which may be shown what the policy may not see.

It judges positions only while learning, so it may know hidden cards; the policy never meets it. What the seat knows is
part of its input all the same: a value of the truth alone would be that of another game (Baisero and Amato 2022).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.policy.mlp import Shape, initial
from casino_env.knowledge.segments import Layout
from train.games.play import Rows
from train.learner.gradient import STATS
from train.learner.mlp import MlpLearner, new_stats

Array = np.ndarray[Any, Any]

_ABOUT_VALUES = [STATS.index(name) for name in ("value_loss", "value_error", "target_square", "target_sum")]


class Critic:
    """A learner of the fast kind whose policy nobody asks."""

    def __init__(
        self, layout: Layout, kind: str, hidden: tuple[int, ...], values: int, rng: np.random.Generator, *,
        minibatch: int, norm: float,
    ) -> None:  # fmt: skip
        features = layout.size * (2 if kind == "privileged" else 1)
        shape = Shape(features, hidden, values)
        self.learner = MlpLearner(shape, initial(shape, rng), minibatch, 0.0, norm)
        self.stats = new_stats()
        self._chunk = minibatch

    def judge(self, rows: Rows) -> None:
        """Put its values in the place of those of the policy."""
        self.stats[:] = 0.0
        seen = _seen(rows)
        outputs = np.concatenate(
            [self._values(seen, np.arange(lo, min(lo + self._chunk, len(seen.counts))))
             for lo in range(0, len(seen.counts), self._chunk)]
        )  # fmt: skip
        values = _by_side(outputs, rows.critic_sides, rows.values.shape[1])
        rows.values[:], rows.last[:] = values[: len(rows.values)], values[len(rows.values) :]

    def _values(self, seen: Rows, which: Array) -> Array:
        last = self.learner.forward(seen, which)
        parts = self.learner.weights.parts
        return last @ parts["value.weight"].T + parts["value.bias"]

    def step(self, rows: Rows, chosen: Array, targets: Array, rate: float) -> float:
        """One minibatch; returns the norm of its gradient."""
        nothing = np.zeros(len(rows.counts), np.float32)
        settings = np.array([1.0, 0.0, 1.0, 0.0])  # of the loss only the value remains
        return self.learner.step(_seen(rows), chosen, nothing, nothing, targets, settings, rate, self.stats)

    def report(self, stats: Array) -> Array:
        """The statistics of the policy with those of the values that count."""
        stats = stats.copy()
        stats[_ABOUT_VALUES] = self.stats[_ABOUT_VALUES]
        return stats


def _seen(rows: Rows) -> Rows:
    return rows._replace(indices=rows.critic_indices, counts=rows.critic_counts)


def _by_side(outputs: Array, mine: Array, sides: int) -> Array:
    """Outputs count the sides from the one that decides, or are its value alone where there are two."""
    if outputs.shape[1] == 1:
        return np.where(np.arange(sides) == mine[:, None], outputs, -outputs)
    return np.take_along_axis(outputs, (np.arange(sides) - mine[:, None]) % sides, 1)
