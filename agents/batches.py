"""Agents that decide in many games at once; a single decision is a batch of one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.base import Analysis
from casino_env.engine.action_set import PARTS, from_mask
from casino_env.observed import Observed
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]

_NO_CHANCES = np.zeros((0, ACTIONS))


class Decisions(NamedTuple):
    """Games of the same rules in which somebody decides, and where the answers go."""

    views: Array  # a record each, as the seat that decides sees it
    seats: Array
    legal: Array  # legal actions of each
    actions: Array  # -1 where none is legal
    chances: Array  # [game, action]; where it has rows they are filled in place of actions, and nothing is drawn


class InBatches:
    """The methods of an agent that has one for batches: _decide."""

    def act(self, observation: Observed) -> int:
        return int(self.act_many(*as_batch(observation))[0])

    def act_many(self, rules: Rules, views: Array, seats: Array, legal: Array) -> Array:
        actions = np.empty(len(views), np.int64)
        self._decide(rules, Decisions(views, seats, legal, actions, _NO_CHANCES))
        return actions

    def probabilities(self, observation: Observed) -> Array:
        return np.asarray(self.probabilities_of_many(*as_batch(observation))[0])

    def probabilities_of_many(self, rules: Rules, views: Array, seats: Array, legal: Array) -> Array:
        """How likely each action of the catalogue is in each game."""
        chances = np.zeros((len(views), ACTIONS))
        self._decide(rules, Decisions(views, seats, legal, np.empty(len(views), np.int64), chances))
        return chances

    def analyse(self, observation: Observed) -> Analysis:
        return Analysis(self.act(observation), self.probabilities(observation))

    def _decide(self, rules: Rules, decisions: Decisions) -> None:
        raise NotImplementedError


def as_batch(observation: Observed) -> tuple[Rules, Array, Array, Array]:
    """An observation as a batch of one."""
    if not observation.mask.any():
        raise ValueError(f"seat {observation.seat} has nothing to decide")
    legal = np.zeros((1, PARTS), np.int64)
    from_mask(observation.mask, legal[0])
    return observation.rules, observation.view, np.array([observation.seat]), legal
