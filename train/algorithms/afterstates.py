"""Afterstates: the value of the position that a complete turn leaves behind, learnt by TD(lambda) from self-play.

A seat lists the afterstates of its turn, a network judges them as this seat sees them, and one is drawn by a softmax
over their values, at a temperature that falls. The value of each chosen afterstate then moves towards a lambda-return
over the same seat's afterstates (Sutton and Barto 2018, 6.8 and 12; Tesauro 1995 for a game of chance).
"""

from __future__ import annotations

import numpy as np

from casino_env.agents.policy.lookahead import PlaySettings
from casino_env.arrays import Array
from casino_env.train.algorithms.algorithm import Algorithm
from casino_env.train.learner import LastLayer, new_sums, value_gradient
from casino_env.train.rollouts.by_turns import TurnBuffer, filled


class Afterstates(Algorithm):
    """TD(lambda) over afterstates. Settings: [afterstates]. It counts turns as decisions."""

    by_turns = several_games = True
    play = PlaySettings(turns=5, exact=10)

    @property
    def best(self) -> Array:
        """The weights to play with. Features never seen get zero weights instead of their initial ones."""
        best = self.learner.average.copy()
        self.shape.views(best)["layer0.weight"][self.learner.unseen()] = 0.0
        return best

    def learn(self, progress: float) -> dict[str, float]:
        """Play a deal in each game, then move the value of every chosen afterstate towards its lambda-return."""
        own, temperature = self.config.afterstates, self.temperature(progress)
        buffer: TurnBuffer = self.collect(temperature)
        rows = np.flatnonzero(filled(buffer))
        learning_rate, sums = own.rate(progress), new_sums()

        def gradient(last: LastLayer, chosen: Array) -> None:
            value_gradient(last, buffer.targets, buffer.side, chosen, sums)

        grad_norms = [
            self.learner.descend(buffer, chosen, learning_rate, gradient) for chosen in self.minibatches(rows, own)
        ]
        turns = max(1, len(rows))
        return self.finish(len(rows), sums, grad_norms) | {
            "learning_rate": learning_rate,
            "temperature": temperature,
            "entropy": float(buffer.entropy.sum()) / turns,
            "games": float(len(buffer.used)),
            "turns_per_game": turns / len(buffer.used),
        }

    def temperature(self, progress: float) -> float:
        """Return the temperature: it falls exponentially and reaches its end after four fifths of the run."""
        own = self.config.afterstates
        return float(own.temperature * (own.final_temperature / own.temperature) ** min(1.0, 1.25 * progress))
