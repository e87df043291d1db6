"""What an agent is: two methods. It gets what its seat may know and returns an action."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]


@runtime_checkable
class Agent(Protocol):
    """The contract. Agents that can offer more implement the protocols below as well."""

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        """A game begins, on this seat; all that the agent draws comes from rng."""

    def act(self, observation: Observed) -> int:
        """A legal action; observation.legal() is not empty."""


@runtime_checkable
class Hints(Protocol):
    """An agent that can say how much it likes each action."""

    def probabilities(self, observation: Observed) -> Array:
        """How likely it plays each action of the catalogue; draws nothing."""


@runtime_checkable
class ManyGames(Protocol):
    """An agent that decides in many games of the same rules at once."""

    def act_many(self, rules: Rules, views: Array, seats: Array, words: Array) -> Array:
        """An action a game, -1 where none is legal. views and words as vector.Batch has them, seats the deciding ones.

        The same as act() on one game after the other.
        """


def probabilities_of(agent: Agent, observation: Observed) -> Array:
    """The agent's own, or certainty for the action that it chooses."""
    if isinstance(agent, Hints):
        return agent.probabilities(observation)
    certain = np.zeros(ACTIONS)
    certain[agent.act(observation)] = 1.0
    return certain


def planned_turn(agent: Agent, game: Game) -> list[int]:
    """The actions that the agent would play one after the other until somebody else decides or the turn is over."""
    ahead, seat = game.clone(), game.seat
    begun = int(game.record["turns"]), int(game.record["deals"])
    actions = []
    while not ahead.over and ahead.seat == seat and (int(ahead.record["turns"]), int(ahead.record["deals"])) == begun:
        actions.append(int(agent.act(observe(ahead))))
        ahead.apply(actions[-1])
    return actions


NO_ROWS = np.zeros((0, ACTIONS))


class InBatches:
    """Agents that decide in many games at once answer for one game as for a batch of one."""

    def act(self, observation: Observed) -> int:
        return int(self._decide(*as_batch(observation))[0])

    def act_many(self, rules: Rules, views: Array, seats: Array, words: Array) -> Array:
        return self._decide(rules, views, seats, words)

    def probabilities(self, observation: Observed) -> Array:
        liked = np.zeros((1, ACTIONS))
        self._decide(*as_batch(observation), liked)
        return liked[0]

    def _decide(self, rules: Rules, views: Array, seats: Array, words: Array, liked: Array = NO_ROWS) -> Array:
        """An action a game; where liked has rows, how likely each action was goes there instead."""
        raise NotImplementedError


def as_batch(observation: Observed) -> tuple[Rules, Array, Array, Array]:
    """An observation as a batch of one."""
    if not observation.mask.any():
        raise ValueError(f"seat {observation.seat} has nothing to decide")
    bits = np.zeros(4 * 64, np.uint8)
    bits.reshape(4, 64)[:, :52].flat[:ACTIONS] = observation.mask
    words = np.packbits(bits, bitorder="little").view(np.int64).reshape(1, 4)
    return observation.rules, observation.view, np.array([observation.seat]), words
