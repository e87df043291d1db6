"""The agent interface: reset and act. An agent gets what its seat may know and returns an action."""

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
    """The interface of every agent. The protocols below are optional."""

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        """Begin a game on this seat. Take all random numbers from rng."""

    def act(self, observation: Observed) -> int:
        """Choose a legal action; observation.legal() is not empty."""


class ForfeitError(AgentError):
    """Raised by an agent that gives up its deal. In matches its side loses by the penalty of an illegal action;
    elsewhere it is an error."""


@runtime_checkable
class Hints(Protocol):
    """An agent that knows the probability of each action."""

    def probabilities(self, observation: Observed) -> Array:
        """The probability of each action of the catalogue; uses no random numbers."""


@dataclass(frozen=True)
class Analysis:
    """An agent's analysis of a position."""

    action: int  # the action that it plays
    chances: Array  # probability of each action of the catalogue
    value: float | None = None  # expected points ahead of the others; None if unknown
    # Value of each legal action that it has considered: in points if `value` is set, else on its own scale.
    values: dict[int, float] = field(default_factory=dict)


@runtime_checkable
class Analyst(Protocol):
    """An agent that can return its whole analysis at once."""

    def analyse(self, observation: Observed) -> Analysis:
        """The action that act() would choose, with its probabilities and values."""


@runtime_checkable
class ManyGames(Protocol):
    """An agent that decides in many games of the same rules at once."""

    def act_many(self, rules: Rules, views: Array, seats: Array, legal: Array) -> Array:
        """Choose an action in each game, as act() would one game after another; -1 where none is legal.

        views and legal: as in vector.Batch. seats: the seats that decide.
        """


@runtime_checkable
class Watcher(Protocol):
    """An agent that watches the decisions of others."""

    def watch(self, observation: Observed) -> None:
        """Called before another seat decides, with the observation of the agent's own seat."""


@runtime_checkable
class Particular(Protocol):
    """An agent that cannot play every game."""

    def check(self, rules: Rules) -> None:
        """Raise ValueError if the agent cannot play these rules."""


def check_agent(agent: Any, rules: Rules) -> None:
    """Raise ValueError if the agent has `check` and cannot play these rules."""
    if isinstance(agent, Particular):
        agent.check(rules)


def show_to(agent: Any, observation: Observed) -> None:
    """Let the agent watch if it is a Watcher."""
    if isinstance(agent, Watcher):
        agent.watch(observation)


def probabilities_of(agent: Agent, observation: Observed) -> Array:
    """The agent's probabilities, or certainty for the action that it chooses."""
    return (
        agent.probabilities(observation)
        if isinstance(agent, Hints)
        else equally([action_number(agent.act(observation))])
    )


def analysis_of(agent: Agent, observation: Observed) -> Analysis:
    """The agent's analysis, or only its action and probabilities."""
    if isinstance(agent, Analyst):
        return agent.analyse(observation)
    return Analysis(action_number(agent.act(observation)), probabilities_of(agent, observation))


def equally(actions: list[int]) -> Array:
    """Probabilities of all actions if these are played equally often."""
    chances = np.zeros(ACTIONS)
    chances[actions] = 1.0 / len(actions)
    return chances


def planned_turn(agent: Agent, game: Game, *, whole: bool = False) -> list[int]:
    """The actions that the agent would play until another seat decides, the turn is over, or the seat has learnt
    something new, which later actions would give away. whole: play on in the last case."""
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
    """Mixin: act and probabilities for an agent that has analyse."""

    def act(self: Analyst, observation: Observed) -> int:
        return self.analyse(observation).action

    def probabilities(self: Analyst, observation: Observed) -> Array:
        return self.analyse(observation).chances


class InBatches:
    """Mixin: the methods of an agent that decides in batches by _decide."""

    _rng: Array  # the state of one stream

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng = np.array([self.stream(rng)], np.uint64)

    @staticmethod
    def stream(rng: np.random.Generator) -> int:
        """Draw the initial state of a game's random stream."""
        return int(rng.integers(2**63))

    def act(self, observation: Observed) -> int:
        return int(self.act_many(*as_batch(observation))[0])

    def act_many(self, rules: Rules, views: Array, seats: Array, legal: Array) -> Array:
        return self.act_each(rules, views, seats, legal, self._rng)

    def act_each(self, rules: Rules, views: Array, seats: Array, legal: Array, streams: Array) -> Array:
        """act_many with a random stream per game, each begun by stream()."""
        actions = np.empty(len(views), np.int64)
        self._decide(rules, Decisions(views, seats, legal, actions, _NO_CHANCES), streams)
        return actions

    def probabilities(self, observation: Observed) -> Array:
        return np.asarray(self.probabilities_of_many(*as_batch(observation))[0])

    def probabilities_of_many(self, rules: Rules, views: Array, seats: Array, legal: Array) -> Array:
        """The probability of each action of the catalogue in each game."""
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
