"""A trained network as an agent: `policy:PATH`, where PATH is a name of shipped.py, a file or the folder of a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.base import Analysis
from agents.batches import Decisions, InBatches, as_batch
from agents.limits import real
from agents.policy.choice import decide_by_network
from agents.policy.files import Weights
from agents.policy.mlp import new_thought, value_outputs
from casino_env.engine.state import rules_record
from casino_env.knowledge.segments import Layout, make_layout
from casino_env.observed import Observed
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]


def make_policy(path: str, temperature: float = 0.0) -> Policy:
    """The policy of a file; raises ValueError."""
    return Policy(Weights.load(path), temperature)


class Policy(InBatches):
    """Plays as a network says; temperature 0 plays what it likes best, 1 as it was trained."""

    def __init__(self, weights: Weights, temperature: float = 0.0) -> None:
        self.weights, self.temperature = weights, real("temperature", temperature, 0.0, 100.0)
        self._rng = np.zeros(1, np.uint64)
        self._known: dict[Rules, tuple[Array, Layout]] = {}
        self._thought = new_thought(weights.shape, weights.layout.most)

    def __deepcopy__(self, memo: dict[int, Any]) -> Policy:
        """The weights are never written to: copies share them."""
        twin = Policy(self.weights, self.temperature)
        twin._rng = self._rng.copy()
        return twin

    def check(self, rules: Rules) -> None:
        """Raises ValueError if it cannot play these rules."""
        self._fit(rules)

    @property
    def digest(self) -> str:
        """Of the weights."""
        return self.weights.digest

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng = np.array([rng.integers(2**63)], np.uint64)

    def analyse(self, observation: Observed) -> Analysis:
        action, chances = self.act(observation), self.probabilities(observation)
        return Analysis(action, chances, float(self.values_by_side(observation)[0]))

    def values_by_side(self, observation: Observed) -> Array:
        """What the network expects, in points more than the others: for the side that looks, then for the others."""
        self.probabilities_of_many(*as_batch(observation))
        return self._thought.values * self.weights.unit

    def _decide(self, rules: Rules, decisions: Decisions) -> None:
        record, layout = self._fit(rules)
        theta, shape = self.weights.theta, self.weights.shape.record
        decide_by_network(decisions, record, layout.record, theta, shape, self.temperature, self._rng, self._thought)

    def layout_for_kernels(self, rules: Rules) -> Layout:
        """Of what a kernel writes for the network; raises ValueError if it cannot play these rules."""
        return self._fit(rules)[1]

    def _fit(self, rules: Rules) -> tuple[Array, Layout]:
        """The rules' record and the layout of their observation, if the network can read it."""
        if rules not in self._known:
            ours = self.weights.layout
            layout = make_layout(rules, universal=ours.universal, match=ours.match)
            same = [(s.name, s.shape) for s in layout.segments] == [(s.name, s.shape) for s in ours.segments]
            if not same or value_outputs(rules) > self.weights.shape.values:
                learnt = self.weights.rules
                raise ValueError(
                    f"{self.weights.name} plays {learnt.name} with {learnt.players} players, "
                    f"not {rules.name} with {rules.players}"
                )
            self._known[rules] = rules_record(rules), layout
        return self._known[rules]
