"""PPO by self-play: one iteration, in the order of the paper (Schulman et al. 2017).

It has an entropy bonus that falls slowly, and a penalty for divergence from the policy that played (Sokota et al. 2023;
Rudolph et al. 2025); docs/design.md says why, under "Regularised PPO".

Games and advantages are in train/rollouts/by_actions.py, the loss and the step in train/torch_twin.py, the same step as
fast kernels in train/learner.py.
"""

from __future__ import annotations

import numpy as np

from casino_env.arrays import Array
from casino_env.train.algorithms.algorithm import Algorithm
from casino_env.train.learner import Aims, PpoLoss, new_sums
from casino_env.train.rollouts.by_actions import RolloutBuffer
from casino_env.train.rollouts.selfplay import AS_LIKELY


class Ppo(Algorithm):
    """PPO. Settings: [ppo] and [selfplay]."""

    in_torch = several_games = True

    def learn(self, progress: float) -> dict[str, float]:
        own, ppo, games = self.config.selfplay, self.config.ppo, self.games()
        # Rollout: the policy plays all seats except those of opponents.
        buffer: RolloutBuffer = self.collect(AS_LIKELY)
        # GAE: how much better than expected each decision was, and the targets of the value.
        advantages, targets = games.advantages(buffer, ppo.gae_lambda, ppo.value_lambda)
        aims = Aims(advantages, self.entropy_coefs(buffer), targets)
        # Clipped policy loss, KL and entropy terms, value loss: one step of Adam for each minibatch.
        loss = PpoLoss(ppo.clip, ppo.kl_coef, own.value_coef)
        learning_rate, sums, rows = own.rate(progress), new_sums(), len(buffer.counts)
        grad_norms = [
            self.learner.ppo_step(buffer, chosen, aims, loss, learning_rate, sums)
            for chosen in self.minibatches(np.arange(rows), own)
        ]
        report = {"learning_rate": learning_rate, "entropy_coef": float(aims.entropy_coef.mean())}
        return self.finish(rows, sums, grad_norms) | games.ended(buffer) | report

    def entropy_coefs(self, buffer: RolloutBuffer) -> Array:
        """Return the entropy coefficient of each row: it falls with the iterations."""
        ppo = self.config.ppo
        falling = ppo.entropy_coef * (1.0 + self.iteration / 100.0) ** -ppo.entropy_power
        coef = max(ppo.entropy_floor, falling)
        return np.where(buffer.open, coef * ppo.open_entropy, coef).astype(np.float32)
