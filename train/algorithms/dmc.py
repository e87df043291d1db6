"""Deep Monte-Carlo: the value of every action is learnt from how the deals ended (Zha et al. 2021, "DouZero").

The outputs that are logits to PPO are values here: Q(s, a), the points (in units of the value scale) that the side of
the seat wins by from here on if it plays a. The best action is played, now and then any other, and Q of what was played
moves towards what the deal gave.

Two departures from the paper: what lies beyond the last row of an iteration is filled in with the value of the
position, which is learnt beside Q; and with dmc.td_lambda below 1 so is, bit by bit, what lies beyond the next
decisions.
"""

from __future__ import annotations

import numpy as np

from casino_env.arrays import Array
from casino_env.train.algorithms.algorithm import Algorithm
from casino_env.train.learner import LastLayer, new_sums, q_gradient
from casino_env.train.rollouts.by_actions import RolloutBuffer
from casino_env.train.rollouts.selfplay import Sampling


class Dmc(Algorithm):
    """Its settings are [dmc] and [selfplay]."""

    def learn(self, progress: float) -> dict[str, float]:
        """Play greedily but for some exploration; then move Q and the value towards the returns."""
        own, td_lambda, games = self.config.selfplay, self.config.dmc.td_lambda, self.games()
        epsilon = self.epsilon(progress)
        buffer: RolloutBuffer = self.collect(Sampling(0.0, epsilon))
        _, returns = games.advantages(buffer, td_lambda, td_lambda)
        learning_rate, sums, rows = own.rate(progress), new_sums(), len(buffer.counts)

        def gradient(last: LastLayer, chosen: Array) -> None:
            q_gradient(last, buffer, chosen, returns, own.value_coef, sums)

        grad_norms = [
            self.learner.descend(buffer, chosen, learning_rate, gradient)
            for chosen in self.minibatches(np.arange(rows), own)
        ]
        report = {"learning_rate": learning_rate, "epsilon": epsilon}
        return self.finish(rows, sums, grad_norms) | games.ended(buffer) | report

    def epsilon(self, progress: float) -> float:
        dmc = self.config.dmc
        return dmc.epsilon + (dmc.final_epsilon - dmc.epsilon) * min(1.0, progress)
