"""Neural fictitious self-play (Heinrich and Silver 2016): a best response to the average of all best responses so far.

Two networks. One learns the values of actions (deep Monte-Carlo, dmc.py, where the paper has deep Q-learning) in games
against the other; that one learns, from a sample of all decisions that the first ever took, to play like the mean of
them. In a zero-sum game of two sides it is this mean that comes near an equilibrium, so it is what plays in the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.policy.mlp import initial
from casino_env.engine.action_set import PARTS
from casino_env.train.algorithms.base import by_section
from casino_env.train.algorithms.dmc import Dmc
from casino_env.train.games.buffer import RolloutBuffer
from casino_env.train.games.pool import AS_LIKELY
from casino_env.train.games.restoring import prove_arrays, prove_decisions, prove_lists, put, whole_number
from casino_env.train.learner.fast import FastLearner
from casino_env.train.learner.gradient import LastLayer, imitation_gradient, new_sums
from casino_env.train.processes.peers import ALONE, Peers
from casino_env.train.settings import NEVER, Config

Array = np.ndarray[Any, Any]


class Nfsp(Dmc):
    """Its settings are [nfsp]; the best response learns as [dmc] says."""

    def __init__(self, config: Config, peers: Peers = ALONE) -> None:
        mean_opponent = {"bots": {}, "frozen": 1.0 - config.nfsp.anticipation, "pool": 1, "every": NEVER}
        # The mean changes after each iteration, so no games may be under way then.
        super().__init__(config.changed(opponents=mean_opponent, machine={"overlap": False}), peers)
        ppo, weights = config.ppo, self.blind(initial(self.shape, self.rng))
        self.mean = FastLearner(self.shape, weights, ppo.minibatch, ppo.ema_decay, ppo.max_grad_norm)
        self.mean.without = self.learner.without
        self.reservoir = Reservoir(config.nfsp.reservoir, self.layout.most)
        self.opponents.sampling = AS_LIKELY
        rollout = self.collector().rollout
        self.opponents.freeze("0", self.mean.average)
        rollout.seat_all()

    @property
    def best(self) -> Array:
        return self.mean.average

    def learn(self, progress: float) -> dict[str, float]:
        """The best response learns; what it played goes into the reservoir; the mean learns from the reservoir."""
        report = super().learn(progress)
        self.reservoir.add(self.collector().buffer, self.rng)
        sums, size, played = new_sums(), self.config.ppo.minibatch, self.reservoir.played
        for _ in range(self.config.nfsp.steps):
            chosen = self.rng.integers(0, len(self.reservoir), size=size)

            def loss(last: LastLayer, chosen: Array = chosen) -> None:
                imitation_gradient(last, played, chosen, self.mean.room, sums)

            self.mean.descend(played, chosen, self.config.nfsp.learning_rate, loss)
        self.opponents.networks[0] = self.mean.average
        return report | {"mean_loss": float(sums["policy_loss"][0] / sums["rows"][0])}

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        arrays, counters = super().state()
        for name, part in (("mean", self.mean), ("reservoir", self.reservoir)):
            arrays |= {f"{name}.{key}": array for key, array in part.state().items()}
        # The opponent is the mean itself: a file of it would change under the checkpoints before.
        return arrays, counters | {"frozen": [], "mean_steps": self.mean.steps, "shown": self.reservoir.shown}

    def restore(self, arrays: dict[str, Array], counters: dict[str, Any], frozen: list[Array]) -> None:
        parts = by_section(arrays)
        self.mean.restore(parts.get("mean", {}), whole_number(counters, "mean_steps"))
        self.reservoir.restore(parts.get("reservoir", {}), whole_number(counters, "shown"), self.shape.features)
        super().restore(arrays, counters | {"frozen": ["0"]}, [self.mean.average])


class Chosen(NamedTuple):
    """What was seen and played; as in a rollout buffer."""

    indices: Array
    counts: Array
    legal: Array
    chosen: Array


class Reservoir:
    """So many decisions of all that were ever shown to it, each with the same chance (Vitter 1985, "Algorithm R")."""

    def __init__(self, size: int, features: int) -> None:
        indices, legal = np.zeros((size, features), np.int16), np.zeros((size, PARTS), np.int64)
        self.played = Chosen(indices, np.zeros(size, np.int64), legal, np.zeros(size, np.int64))
        self.shown = 0

    def __len__(self) -> int:
        return min(self.shown, len(self.played.counts))

    def add(self, buffer: RolloutBuffer, rng: np.random.Generator) -> None:
        places = self.places(len(buffer.counts), rng)
        for mine, theirs in zip(self.played, (getattr(buffer, name) for name in Chosen._fields), strict=True):
            mine[places[places >= 0]] = theirs[places >= 0]  # of two for one place the later one stays

    def places(self, count: int, rng: np.random.Generator) -> Array:
        """Where the next decisions go; -1: this one is not kept."""
        numbers, size = self.shown + np.arange(count), len(self.played.counts)
        self.shown += count
        drawn = np.where(numbers < size, numbers, rng.integers(0, numbers + 1))
        return np.where(drawn < size, drawn, -1)

    def state(self) -> dict[str, Array]:
        return {name: part[: len(self)] for name, part in self.played._asdict().items()}

    def restore(self, state: dict[str, Array], shown: int, features: int) -> None:
        """features: of the observation. Raises ValueError for what cannot be."""
        self.shown = shown
        prove_arrays(self.state(), state)
        prove_lists(state, features)
        prove_decisions(state)
        put(self.state(), state)
