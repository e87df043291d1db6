"""The strongest agent for the game that is played and the time that there is."""

from __future__ import annotations

import hashlib
from copy import deepcopy
from typing import Any

import numpy as np

from casino_env.agents.base import Analysis
from casino_env.agents.policy.files import Weights
from casino_env.agents.policy.shipped import best, strongest_policy
from casino_env.agents.search.agent import Search
from casino_env.observed import Observed
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]


class Strongest:
    """A search with the best policy that comes with the project, where one has learnt the game; else with bots.

    time: seconds a decision (1); or sims as in SearchSettings. threads: that think at once.
    """

    def __init__(self, time: float | None = None, sims: int | None = None, threads: int = 1) -> None:
        seconds = 1.0 if time is None and sims is None else time
        self._settings: dict[str, Any] = {"sims": sims, "time": seconds, "threads": threads}
        self._searches: dict[str | None, Search] = {None: Search(**self._settings)}  # by policy
        self._begun: tuple[int, np.random.Generator] | None = None

    @property
    def digest(self) -> str:
        """Of all weights that it may think with."""
        return hashlib.sha256("".join(Weights.load(name).digest for name in best()).encode()).hexdigest()

    def check(self, rules: Rules) -> None:
        """It plays all games; what it needs for this one is loaded before the time of a decision begins."""
        self._search(rules)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._begun = seat, deepcopy(rng)
        for search in self._searches.values():
            search.reset(seat, deepcopy(rng))

    def watch(self, observation: Observed) -> None:
        self._search(observation.rules).watch(observation)

    def act(self, observation: Observed) -> int:
        return self._search(observation.rules).act(observation)

    def probabilities(self, observation: Observed) -> Array:
        return self._search(observation.rules).probabilities(observation)

    def analyse(self, observation: Observed) -> Analysis:
        return self._search(observation.rules).analyse(observation)

    def _search(self, rules: Rules) -> Search:
        policy = strongest_policy(rules)
        if policy not in self._searches:
            self._searches[policy] = search = Search(policy=policy, **self._settings)
            if self._begun:
                search.reset(self._begun[0], deepcopy(self._begun[1]))
        return self._searches[policy]
