"""Deep Monte-Carlo: the value of every action is learnt from the results of deals (Zha et al. 2021, "DouZero").

The network outputs that are logits in PPO are Q(s, a) here: the points, in units of the value scale, by which the
seat's side wins from here on if it plays a. Play is epsilon-greedy, and Q of the action played moves towards the
return of the deal.

Two departures from the paper: a return is cut off at the last row of an iteration with the value of the position there,
which is learnt beside Q; and with dmc.td_lambda below 1 returns bootstrap from such values at every later decision.
"""

from __future__ import annotations

import numpy as np

from casino_env.arrays import Array
from casino_env.train.algorithms.algorithm import Algorithm
from casino_env.train.learner import LastLayer, new_sums, q_gradient
from casino_env.train.rollouts.by_actions import RolloutBuffer
from casino_env.train.rollouts.selfplay import Sampling


class Dmc(Algorithm):
    """Deep Monte-Carlo. Settings: [dmc] and [selfplay]."""

    def learn(self, progress: float) -> dict[str, float]:
        """Play epsilon-greedily; then move Q and the value towards the returns."""
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
