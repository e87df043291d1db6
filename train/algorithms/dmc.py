"""Deep Monte-Carlo: the value of every action is learnt from how the deals ended (Zha et al. 2021, "DouZero").

The outputs that are logits to PPO are values here: Q(s, a), the points (in units of the reward's scale) that the side
of the seat wins by from here on if it plays a. The best action is played, now and then any other, and Q of what was
played moves towards what the deal gave.

Two departures from the paper: what lies beyond the last row of an iteration is filled in with the value of the
position, which is learnt beside Q; and with dmc.td_lambda below 1 so is, bit by bit, what lies beyond the next
decisions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.train.algorithms.base import Algorithm
from casino_env.train.games.selfplay import Sampling
from casino_env.train.learner.fast import FastLearner
from casino_env.train.learner.gradient import LastLayer, new_sums, q_gradient
from casino_env.train.process_group import SINGLE, ProcessGroup
from casino_env.train.settings import Config

Array = np.ndarray[Any, Any]


class Dmc(Algorithm):
    """[ppo] of its config says how many games, and how fast it learns."""

    learner: FastLearner

    def __init__(self, config: Config, group: ProcessGroup = SINGLE) -> None:
        super().__init__(config.changed(ppo={"value_lambda": config.dmc.td_lambda}, machine={"device": "cpu"}), group)
        self.opponents.sampling = Sampling(0.0, 0.0)

    def learn(self, progress: float) -> dict[str, float]:
        """Play greedily but for some exploration; then move Q and the value towards the returns."""
        self.sampling = Sampling(0.0, self._epsilon(progress))
        buffer = self.collect()
        _, returns = self.collector().advantages(buffer)
        learning_rate, sums = self.learning_rate(progress), new_sums()
        value_coef, grad_norms = self.config.ppo.value_coef, []
        for chosen in self.minibatches(buffer):

            def loss(last: LastLayer, chosen: Array = chosen) -> None:
                q_gradient(last, buffer, chosen, returns, value_coef, sums)

            grad_norms.append(self.learner.descend(buffer, chosen, learning_rate, loss))
        report = {"learning_rate": learning_rate, "epsilon": self.sampling.epsilon}
        return self.finish(buffer, sums, grad_norms) | report

    def _epsilon(self, progress: float) -> float:
        dmc = self.config.dmc
        return dmc.epsilon + (dmc.final_epsilon - dmc.epsilon) * min(1.0, progress)
