"""Afterstates: the value of the table that each complete turn leaves behind, learnt by TD(lambda) from self-play.

The seat lists the tables that it can leave, a network judges them as that seat sees them, and one is drawn by a softmax
over their values at a temperature that falls. Each is then moved towards a lambda-return over the tables that the same
seat left (Sutton and Barto 2018, 6.8 and 12; Tesauro 1995 for a game of chance).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.agents.policy.lookahead import PlaySettings
from casino_env.agents.policy.mlp import Shape, value_outputs
from casino_env.knowledge.layout import make_layout
from casino_env.rules import Rules
from casino_env.train.algorithms.base import Algorithm
from casino_env.train.games.selfplay import Sampling
from casino_env.train.games.turn_collector import TurnCollector, filled
from casino_env.train.learner.fast import FastLearner
from casino_env.train.learner.gradient import LastLayer, new_sums, value_gradient
from casino_env.train.learner.schedule import falling, in_parts
from casino_env.train.processes.peers import ALONE, Peers
from casino_env.train.settings import Config

Array = np.ndarray[Any, Any]

AT_THEIR_BEST = Sampling(0.0, 0.0)


class Afterstates(Algorithm):
    """Its settings are [afterstates]; what it counts as decisions are turns."""

    learner: FastLearner
    play = PlaySettings(turns=5, exact=8)

    def __init__(self, config: Config, peers: Peers = ALONE) -> None:
        super().__init__(config, peers)
        self.sampling = self._temperature(0.0)
        self.opponents.sampling = AT_THEIR_BEST

    @property
    def best(self) -> Array:
        """The weights to play with. What was never seen says nothing, not what it began with."""
        best = self.learner.average.copy()
        self.shape.views(best)["layer0.weight"][self.learner.unseen()] = 0.0
        return best

    def _make_shape(self, games: list[Rules]) -> Shape:
        return Shape(self.layout.size, self.config.network.hidden, max(map(value_outputs, games)), 0)

    def _make_learner(self) -> FastLearner:
        own = self.config.afterstates
        return FastLearner(self.shape, self._first_weights(), own.minibatch, own.ema_decay, own.max_grad_norm)

    def _make_collector(self, rules: Rules) -> TurnCollector:
        seed = int(self.rng.integers(2**48))
        layout = make_layout(rules, universal=self.layout.universal)
        return TurnCollector(self.config, rules, layout, self.shape, self.opponents, 1.0 / self.scale, seed, self.peers)

    def learn(self, progress: float) -> dict[str, float]:
        """Play a deal in each game, then move the judgement of every table left towards its lambda-return."""
        own = self.config.afterstates
        self.sampling = self._temperature(progress)
        buffer = self.collect()
        rows = np.flatnonzero(filled(buffer))
        learning_rate = falling(own.learning_rate, own.final_learning_rate, progress)
        most = self.peers.least(len(rows))  # deals have turns in different numbers: all processes step as often
        sums, grad_norms = new_sums(), []
        for chosen in in_parts(self.rng, rows, own.epochs, own.minibatch, most):

            def loss(last: LastLayer, chosen: Array = chosen) -> None:
                value_gradient(last, buffer.targets, buffer.side, chosen, sums)

            grad_norms.append(self.learner.descend(buffer, chosen, learning_rate, loss))
        report = self._count(self.peers.total(len(rows)), sums, grad_norms)
        turns = max(1, len(rows))
        return report | {
            "learning_rate": learning_rate,
            "temperature": self.sampling,
            "entropy": float(buffer.entropy.sum()) / turns,
            "games": float(len(buffer.used)),
            "turns_per_game": turns / len(buffer.used),
        }

    def _temperature(self, progress: float) -> float:
        """It falls to its end by four fifths of the run, by the same factor in equal times."""
        own = self.config.afterstates
        return float(own.temperature * (own.final_temperature / own.temperature) ** min(1.0, 1.25 * progress))
