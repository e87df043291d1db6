"""Deep Monte-Carlo: the value of every action is learnt from how the deals ended (Zha et al. 2021, "DouZero").

The outputs that are logits to PPO are values here: Q(s, a), the points (in units of the reward's scale) that the side
of the seat wins by from here on if it plays a. The best action is played, now and then any other, and Q of what was
played moves towards what the deal gave. Games, opponents, checkpoints and the loop around them are those of ppo.py.

Two departures from the paper: what lies beyond the last row of an iteration is filled in with the value of the
position, which is learnt beside Q; and with dmc.decay below 1 so is, bit by bit, what lies beyond the next decisions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.policy.mlp import dot, list_actions
from casino_env.engine.jit import fast_kernel
from train.algorithms.ppo import Ppo
from train.config import Config
from train.games.play import Manner, Rows
from train.learner.gradient import learn_values, push
from train.learner.mlp import MlpLearner, new_stats
from train.processes import ALONE, Peers

Array = np.ndarray[Any, Any]


class Dmc(Ppo):
    """A run in progress; [ppo] of its config says how many games, and how fast it learns."""

    learner: MlpLearner

    def __init__(self, config: Config, peers: Peers = ALONE) -> None:
        super().__init__(config.changed(ppo={"value_decay": config.dmc.decay}, machine={"device": "cpu"}), peers)
        self.opponents.manner = Manner(0.0, 0.0)

    def learn(self, progress: float) -> dict[str, float]:
        """Play greedily but for some care; then move Q and the value towards the returns."""
        self.manner = Manner(0.0, self._careless(progress))
        rows = self._next_rows()
        _, returns = self._arena().advantages(rows)
        stats, norms, rate = new_stats(), [], self._rate(progress)
        for _ in range(self.config.ppo.epochs):
            for chosen in self._minibatches(len(rows.counts)):
                norms.append(self._regress(rows, chosen, returns, rate, stats))
        return self._finish(rows, stats, norms) | {"rate": rate, "careless": self.manner.careless}

    def _regress(self, rows: Rows, chosen: Array, returns: Array, rate: float, stats: Array) -> float:
        """One minibatch; returns the norm of its gradient."""
        learner = self.learner

        def loss(last: Array, upstream: Array) -> None:
            q_heads(
                last, rows.words, chosen, rows.chosen, rows.log_chance, returns, rows.side,
                self.config.ppo.value_weight, learner.weights.heads, learner.gradient.heads, upstream, learner.room,
                stats,
            )  # fmt: skip

        return learner.descend(rows, chosen, rate, loss)

    def _careless(self, progress: float) -> float:
        dmc = self.config.dmc
        return dmc.careless + (dmc.final_careless - dmc.careless) * min(1.0, progress)


@fast_kernel
def q_heads(
    last, words, chosen_rows, picked, log_chance, returns, sides, value_weight, parts, gradients, upstream, room, stats
):
    """Half the squared error of Q of what was played, and of the value; what it all means is said in gradient.heads."""
    weight, bias, actions = parts[0], parts[1], room[0]
    share = 1.0 / chosen_rows.shape[0]
    for n in range(chosen_rows.shape[0]):
        row = chosen_rows[n]
        list_actions(words[row], actions)
        played = actions[picked[row]]
        error = dot(weight[played], last[n]) + bias[played] - returns[row, sides[row]]
        upstream[n, :] = 0.0
        push(np.float32(error * share), played, last[n], weight, gradients[0], gradients[1], upstream[n])
        learn_values(last[n], returns[row], sides[row], value_weight * share, parts, gradients, upstream[n], stats)
        stats[0] += 1.0
        stats[1] += 0.5 * error**2
        stats[3] -= log_chance[row]  # of what was drawn: on average the entropy of the play
