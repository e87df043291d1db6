"""Endings played by the exact solver, as soon as a seat can work out all cards."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from casino_env.agents.base import Analysis, analysis_of, check_agent, equally, probabilities_of, show_to
from casino_env.agents.registry import AgentError, make_agent
from casino_env.agents.solver.alpha_beta import POSITIONS
from casino_env.agents.solver.solver import Solver, Want
from casino_env.agents.workspaces import Turnstile, one_at_a_time
from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.game import Game, unchecked_game
from casino_env.observed import Observed, sample_determinizations
from casino_env.rules import Rules
from casino_env.validate import int_in

_SOLVER_MB, _SOLVER_NODES = 16, 1_000_000
_ORDERS = 4  # of piles whose order the seat does not know
_FIVE, _ONE_MORE = 0.005, 5.5  # seconds with five cards in each hand, and how many times as long it is with one more


def cards_within(seconds: float) -> int:
    """With so many cards in each hand an ending is mostly solved in this time."""
    return max(1, 5 + math.floor(math.log(seconds / _FIVE, _ONE_MORE)))


class Endings:
    """What is exact of endings in which nobody holds more than so many cards."""

    def __init__(self, cards: int, seconds: float = 0.0, always: int = 0) -> None:
        """always: cards in all hands together with which some positions are searched however short the time."""
        self.entrance = Turnstile()
        self._cards, self._always = cards, always
        self._limit = {"seconds": seconds} if seconds else {"nodes": float(_SOLVER_NODES)}
        self._solver: Solver | None = None  # made when it is needed: it holds more memory than all the rest

    @one_at_a_time
    def forget(self) -> None:
        """What was learnt of the last deal; it makes no difference to the moves, but to how long they take."""
        self._solver = None

    @one_at_a_time
    def analyse(self, observation: Observed) -> Analysis | None:
        """None where cards are hidden, where the solver does not finish in time, or for a seat that need not decide."""
        view, rules = observation.view[0], observation.rules
        if observation.hidden or rules.sides != 2 or rules.count_out or not observation.mask.any():
            return None
        records = observation.view
        if view["shuffled"]:  # the order of a captured pile is not known: some that it may have, always the same
            records = sample_determinizations(observation, _ORDERS, np.random.default_rng(0))
        games, held = [unchecked_game(one, rules) for one in records], [int(hand).bit_count() for hand in view["hands"]]
        few = [{"nodes": float(POSITIONS)}] if sum(held) <= self._always else []
        for limit in few + ([self._limit] if max(held) <= self._cards else []):  # goes on with what has been learnt
            if worth := self._exact(games, {name: most / len(games) for name, most in limit.items()}):
                value = max(worth.values())
                best = [action for action, points in worth.items() if points == value]
                return Analysis(best[0], equally(best), value, worth)
        return None

    def _exact(self, games: list[Game], limit: dict[str, float]) -> dict[int, float] | None:
        """The points that best actions reach; where an order is not known what every action does on the mean."""
        self._solver = self._solver or Solver(_SOLVER_MB)
        limits: dict[str, Any] = {name: int(most) if name == "nodes" else most for name, most in limit.items()}
        want: Want = "best" if len(games) == 1 else "values"
        worth: dict[int, float] = {}
        for game in games:
            found = self._solver.solve(game, want=want, **limits)
            values = dict.fromkeys(found.best, found.value) if len(games) == 1 and found.exact else found.values
            if not values:
                return None
            for action, points in values.items():
                worth[action] = worth.get(action, 0.0) + points / len(games)
        return worth


class Solved:
    """Another agent, but for the endings that can be solved.

    agent: whose name or policy:PATH. cards: at most in a hand when the solver takes over.
    """

    def __init__(self, agent: str = "counter", cards: int = 5) -> None:
        try:
            self._agent = make_agent(agent)
        except AgentError as error:
            raise ValueError(f"agent = {error}") from None
        if isinstance(self._agent, Solved):
            raise ValueError(f"agent = {agent}: it plays endings by the solver already")
        self._endings = Endings(int_in(cards, "cards", 0, CARDS))

    def check(self, rules: Rules) -> None:
        """Raises ValueError if its agent cannot play these rules."""
        check_agent(self._agent, rules)

    @property
    def digest(self) -> str | None:
        """Of the agent's weights, if it has any."""
        return getattr(self._agent, "digest", None)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._agent.reset(seat, rng)
        self._endings.forget()

    def watch(self, observation: Observed) -> None:
        show_to(self._agent, observation)

    def act(self, observation: Observed) -> int:
        solved = self._endings.analyse(observation) if len(observation.legal()) > 1 else None
        return solved.action if solved else int(self._agent.act(observation))

    def probabilities(self, observation: Observed) -> Array:
        solved = self._endings.analyse(observation)
        return solved.chances if solved else probabilities_of(self._agent, observation)

    def analyse(self, observation: Observed) -> Analysis:
        return self._endings.analyse(observation) or analysis_of(self._agent, observation)
