"""What an agent is: two methods. It gets what its seat may know and returns an action."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.registry import AgentError
from casino_env.arrays import Array
from casino_env.compiler.types import I64, F64x2, I64x2
from casino_env.engine.action_set import PARTS, from_mask
from casino_env.engine.state import Records
from casino_env.game import Game, action_number
from casino_env.observed import Observed, done_since, has_learnt, observe
from casino_env.rules import Rules


@runtime_checkable
class Agent(Protocol):
    """The contract. Agents that can offer more implement the protocols below as well."""

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        """A game begins, on this seat; all that the agent draws comes from rng."""

    def act(self, observation: Observed) -> int:
        """A legal action; observation.legal() is not empty."""


class ForfeitError(AgentError):
    """An agent gives its deal up: its side loses it by as many points as an illegal action costs. Matches count that;
    elsewhere it is a failure."""


@runtime_checkable
class Hints(Protocol):
    """An agent that can say how much it likes each action."""

    def probabilities(self, observation: Observed) -> Array:
        """How likely it plays each action of the catalogue; draws nothing."""


@dataclass(frozen=True)
class Analysis:
    """What an agent makes of a position."""

    action: int  # what it plays
    chances: Array  # how likely it plays each action of the catalogue
    value: float | None = None  # points more than the others that it expects; None if it has no such number
    # What it thinks of the legal actions that it has weighed: in points where there is a value, else on its own scale.
    values: dict[int, float] = field(default_factory=dict)


@runtime_checkable
class Analyst(Protocol):
    """An agent that can tell at once all that it has worked out."""

    def analyse(self, observation: Observed) -> Analysis:
        """The action as act() would choose it, with what stands behind it."""


@runtime_checkable
class ManyGames(Protocol):
    """An agent that decides in many games of the same rules at once."""

    def act_many(self, rules: Rules, views: Array, seats: Array, legal: Array) -> Array:
        """An action a game, -1 where none is legal. views and legal as vector.Batch has them, seats the deciding ones.

        The same as act() on one game after the other.
        """


@runtime_checkable
class Watcher(Protocol):
    """An agent that remembers what others did."""

    def watch(self, observation: Observed) -> None:
        """A decision that is not asked of this agent: what its own seat sees before it is taken."""


@runtime_checkable
class Particular(Protocol):
    """An agent that cannot play every game."""

    def check(self, rules: Rules) -> None:
        """Raises ValueError if it cannot play these rules."""


def check_agent(agent: Any, rules: Rules) -> None:
    """Raises ValueError if the agent says that it cannot play these rules."""
    if isinstance(agent, Particular):
        agent.check(rules)


def show_to(agent: Any, observation: Observed) -> None:
    """Let it watch, if it cares."""
    if isinstance(agent, Watcher):
        agent.watch(observation)


def probabilities_of(agent: Agent, observation: Observed) -> Array:
    """The agent's own, or certainty for the action that it chooses."""
    return (
        agent.probabilities(observation)
        if isinstance(agent, Hints)
        else equally([action_number(agent.act(observation))])
    )


def analysis_of(agent: Agent, observation: Observed) -> Analysis:
    """The agent's own, or what it plays and how likely that was."""
    if isinstance(agent, Analyst):
        return agent.analyse(observation)
    return Analysis(action_number(agent.act(observation)), probabilities_of(agent, observation))


def equally(actions: list[int]) -> Array:
    """Chances of all actions when these are played, each as often."""
    chances = np.zeros(ACTIONS)
    chances[actions] = 1.0 / len(actions)
    return chances


def planned_turn(agent: Agent, game: Game, *, whole: bool = False) -> list[int]:
    """The actions that the agent would play one after the other until somebody else decides, the turn is over, or the
    seat has learnt what it could not know before: what follows would tell of it. whole: it plays on then, too."""
    ahead, seat = game.clone(), game.seat
    begun = int(game.record["turns"]), int(game.record["deals"])
    actions = []
    while not ahead.over and ahead.seat == seat and (int(ahead.record["turns"]), int(ahead.record["deals"])) == begun:
        actions.append(action_number(agent.act(observe(ahead))))
        ahead.apply(actions[-1])
        if not whole and has_learnt(game, done_since(game, ahead), seat):
            break
    return actions


# === Agents that decide in many games at once; a single decision is a batch of one ==================================


class Decisions(NamedTuple):
    """Games of the same rules in which somebody decides, and where the answers go."""

    views: Records  # a record each, as the seat that decides sees it
    seats: I64
    legal: I64x2  # legal actions of each
    actions: I64  # -1 where none is legal
    chances: F64x2  # [game, action]; where it has rows they are filled in place of actions, and nothing is drawn


_NO_CHANCES = np.zeros((0, ACTIONS))


class ByAnalysis:
    """The other methods of an agent that has analyse."""

    def act(self: Analyst, observation: Observed) -> int:
        return self.analyse(observation).action

    def probabilities(self: Analyst, observation: Observed) -> Array:
        return self.analyse(observation).chances


class InBatches:
    """The methods of an agent that has one for batches: _decide."""

    _rng: Array  # of one stream

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng = np.array([self.stream(rng)], np.uint64)

    @staticmethod
    def stream(rng: np.random.Generator) -> int:
        """Where what it draws in a game begins."""
        return int(rng.integers(2**63))

    def act(self, observation: Observed) -> int:
        return int(self.act_many(*as_batch(observation))[0])

    def act_many(self, rules: Rules, views: Array, seats: Array, legal: Array) -> Array:
        return self.act_each(rules, views, seats, legal, self._rng)

    def act_each(self, rules: Rules, views: Array, seats: Array, legal: Array, streams: Array) -> Array:
        """The same where each game has a stream of its own, which began as stream() says."""
        actions = np.empty(len(views), np.int64)
        self._decide(rules, Decisions(views, seats, legal, actions, _NO_CHANCES), streams)
        return actions

    def probabilities(self, observation: Observed) -> Array:
        return np.asarray(self.probabilities_of_many(*as_batch(observation))[0])

    def probabilities_of_many(self, rules: Rules, views: Array, seats: Array, legal: Array) -> Array:
        """How likely each action of the catalogue is in each game."""
        chances = np.zeros((len(views), ACTIONS))
        self._decide(rules, Decisions(views, seats, legal, np.empty(len(views), np.int64), chances), self._rng)
        return chances

    def _decide(self, rules: Rules, decisions: Decisions, streams: Array) -> None:
        raise NotImplementedError


def as_batch(observation: Observed) -> tuple[Rules, Array, Array, Array]:
    """An observation as a batch of one."""
    if not observation.mask.any():
        raise ValueError(f"seat {observation.seat} has nothing to decide")
    legal = np.zeros((1, PARTS), np.int64)
    from_mask(observation.mask, legal[0])
    return observation.rules, observation.view, np.array([observation.seat], np.int64), legal
