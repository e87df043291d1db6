"""Another agent whose endings the exact solver plays where it can."""

from __future__ import annotations

import numpy as np

from casino_env.agents.base import Analysis, analysis_of, check_agent, probabilities_of, show_to
from casino_env.agents.opening import Opened, Opening
from casino_env.agents.registry import AgentError, make_agent
from casino_env.agents.scripted.bots import BOTS
from casino_env.agents.solver.solver import ending_limits
from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.game import action_number
from casino_env.observed import Observed
from casino_env.rules import Rules
from casino_env.validate import int_in


class Solved:
    """agent: the spec of the other agent. cards: most cards in a hand at which the solver takes over."""

    def __init__(self, agent: str = "counter", cards: int = 5) -> None:
        try:
            self.agent = make_agent(agent)
        except AgentError as error:
            raise ValueError(f"agent = {error}") from None
        if isinstance(self.agent, Solved):
            raise ValueError(f"agent = {agent}: it already plays endings with the solver")
        limits = ending_limits(int_in(cards, "cards", 0, CARDS))
        self.endings = Opened(Opening("bot", BOTS["random"], {}, limits))

    def check(self, rules: Rules) -> None:
        check_agent(self.agent, rules)

    @property
    def digest(self) -> str | None:
        """The digest of the other agent's weights; None if it has none."""
        return getattr(self.agent, "digest", None)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self.agent.reset(seat, rng)
        self.endings.reset(0)

    def watch(self, observation: Observed) -> None:
        show_to(self.agent, observation)

    def act(self, observation: Observed) -> int:
        solved = self.endings.ending(observation) if len(observation.legal()) > 1 else None
        return solved.action if solved else action_number(self.agent.act(observation))

    def probabilities(self, observation: Observed) -> Array:
        solved = self.endings.ending(observation)
        return solved.chances if solved else probabilities_of(self.agent, observation)

    def analyse(self, observation: Observed) -> Analysis:
        return self.endings.ending(observation) or analysis_of(self.agent, observation)
