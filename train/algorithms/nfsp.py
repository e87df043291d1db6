"""Neural fictitious self-play (Heinrich and Silver 2016): a best response to the average of all best responses so far.

Two networks. One learns the values of actions (deep Monte-Carlo, dmc.py, where the paper has deep Q-learning) in games
against the other; that one learns, from a sample of all decisions that the first ever took, to play like the mean of
them. In a zero-sum game of two sides it is this mean that comes near an equilibrium, so it is what plays in the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.policy.mlp import initial
from train.algorithms.dmc import Dmc
from train.algorithms.imitation import Memory, imitate, imitation_stats, remember
from train.algorithms.ppo import by_section
from train.config import NEVER, Config
from train.games.rollout import AS_LIKELY
from train.learner.mlp import MlpLearner
from train.processes import ALONE, Peers

Array = np.ndarray[Any, Any]


class Nfsp(Dmc):
    """A run in progress."""

    def __init__(self, config: Config, peers: Peers = ALONE) -> None:
        nfsp = config.nfsp
        mean_opponent = {"bots": {}, "frozen": 1.0 - nfsp.anticipation, "pool": 1, "every": NEVER}
        # The mean changes after each iteration, so no games may be under way then.
        super().__init__(config.changed(opponents=mean_opponent, machine={"overlap": False}), peers)
        ppo = config.ppo
        self.mean = MlpLearner(self.shape, initial(self.shape, self.rng), ppo.minibatch, ppo.average, ppo.norm)
        self.memory = Memory(nfsp.memory, self.layout.most, self.rules.sides)
        self.opponents.manner = AS_LIKELY
        self.opponents.freeze("0", self.mean.average, self.rollout.control)
        self.rollout.seat_all()

    @property
    def best(self) -> Array:
        return self.mean.average

    def learn(self, progress: float) -> dict[str, float]:
        """The best response learns; what it played goes into the memory; the mean learns from the memory."""
        report = super().learn(progress)
        rows, memory = self.arenas[0].rows, self.memory
        places = memory.places(len(rows.counts), self.rng)
        remember(
            (memory.indices, memory.counts, memory.words, memory.wanted),
            (rows.indices, rows.counts, rows.words, rows.chosen), places,
        )  # fmt: skip
        stats, size = imitation_stats(), self.config.ppo.minibatch
        for _ in range(self.config.nfsp.steps):
            imitate(self.mean, memory, memory.draw(size, self.rng), self.config.nfsp.rate, 0.0, stats)
        self.opponents.pool[0] = self.mean.average
        return report | {"mean_loss": stats[1] / stats[0]}

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        arrays, counters = super().state()
        arrays |= {f"mean.{name}": array for name, array in self.mean.state().items()}
        arrays |= {f"memory.{name}": array for name, array in self.memory.state().items()}
        return arrays, counters | {"mean_steps": self.mean.steps}

    def restore(self, arrays: dict[str, Array], counters: dict[str, Any], frozen: list[Array]) -> None:
        super().restore(arrays, counters, frozen)
        parts = by_section(arrays)
        self.mean.restore(parts["mean"], counters["mean_steps"])
        self.memory.restore(parts["memory"])
        self.opponents.pool[0] = self.mean.average
