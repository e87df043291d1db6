"""PPO by self-play: one iteration, in the order of the paper (Schulman et al. 2017).

What keeps self-play in games of hidden cards from going round in circles: an entropy bonus that falls slowly (a uniform
magnet), nearness to the policy that played (kl_coef), a learning rate that goes to zero, and averaged weights for play
(Sokota et al. 2023; Rudolph et al. 2025).

Where the parts are: games in train/games/selfplay.py, advantages in train/games/gae.py, the loss in
train/learner/losses.py, the step in train/learner/torch_learner.py, and the same step fast in train/learner/fast.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.train.algorithms.base import Algorithm
from casino_env.train.games.buffer import RolloutBuffer
from casino_env.train.learner.gradient import Aims, PpoLoss, new_sums

Array = np.ndarray[Any, Any]


class Ppo(Algorithm):
    """Its settings are [ppo]."""

    def learn(self, progress: float) -> dict[str, float]:
        ppo = self.config.ppo
        # Rollout: the policy plays all seats but those of opponents.
        buffer = self.collect()
        # GAE: how much better than expected each decision was, and what the value should have said.
        advantages, targets = self.collector().advantages(buffer)
        aims = Aims(advantages, self.entropy_coefs(buffer), targets)
        # Clipped policy loss, kl and entropy terms, value loss: a step of Adam down each minibatch.
        loss = PpoLoss(ppo.clip, ppo.kl_coef, ppo.value_coef)
        learning_rate, sums = self.learning_rate(progress), new_sums()
        grad_norms = [
            self.learner.step(buffer, chosen, aims, loss, learning_rate, sums) for chosen in self.minibatches(buffer)
        ]
        report = {"learning_rate": learning_rate, "entropy_coef": float(aims.entropy_coef.mean())}
        return self.finish(buffer, sums, grad_norms) | report

    def entropy_coefs(self, buffer: RolloutBuffer) -> Array:
        """The weight of the entropy in each row: it falls with the iterations."""
        ppo = self.config.ppo
        falling = ppo.entropy_coef * (1.0 + self.iteration / 100.0) ** -ppo.entropy_power
        coef = max(ppo.entropy_floor, falling)
        return np.where(buffer.open, coef * ppo.open_entropy, coef).astype(np.float32)
