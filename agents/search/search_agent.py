"""The agents that search: they think ahead in determinizations of what the seat knows, or exactly where nothing is
hidden."""

from __future__ import annotations

import hashlib
import inspect
import time as clock
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from casino_env.agents.base import Analysis, ByAnalysis, check_agent, equally
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.agents.policy.shipped import best, strongest_policy
from casino_env.agents.search.ismcts import TreeSearch
from casino_env.agents.search.rollouts import find_rollout_policy
from casino_env.agents.search.search_settings import Clock, SearchSettings
from casino_env.agents.search.turn_search import TurnSearch
from casino_env.agents.solver.endings import cards_within
from casino_env.agents.solver.solver import Endings
from casino_env.agents.workspaces import Recent, Turnstile, one_at_a_time
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.rules import Rules, make_rules

_SOLVED = 5  # cards in a hand, without a limit of time
_TO_SOLVE = 0.75  # of the time: where the solver fails the rest is enough to look about as far as more would
_AT_MOST = 1.5  # times the time: where the solver would mostly take longer it is not tried


class Search(ByAnalysis):
    """Its parameters are those of SearchSettings. With a policy over afterstates it thinks about complete turns, else
    about actions."""

    __signature__ = inspect.signature(SearchSettings, eval_str=True)

    def __init__(self, **settings: Any) -> None:
        self._given = SearchSettings(**settings)
        self.settings = known = self._given.resolved()
        self._rollout = find_rollout_policy(known.rollout or "", "rollout")
        if known.cut is not None and not isinstance(self._rollout, Policy):
            raise ValueError(
                f"cut = {known.cut}: a bot cannot judge positions; it needs policy=, or rollout=policy:PATH"
            )
        self._seconds = known.time or 0.0
        self._seed = np.uint64(0)
        self._begin()
        if self._seconds:
            self._load_kernels()

    def _begin(self) -> None:
        """The workspace."""
        given, solve = self._given, self._given.solve
        most = (cards_within(_AT_MOST * self._seconds) if self._seconds else _SOLVED) if solve is None else solve
        policy = self._rollout if isinstance(self._rollout, Policy) else None
        always = policy.play.exact if policy and solve is None else 0
        self._endings = Endings(most, _TO_SOLVE * self._seconds, always)
        self.entrance = Turnstile()
        self._thinker: TreeSearch | TurnSearch = TreeSearch(self._rollout, self.settings)
        if policy and not policy.weights.shape.judges_actions:
            self._thinker = TurnSearch(policy, replace(self.settings, cut=given.cut))

    def _load_kernels(self) -> None:
        """Beforehand, so that first decisions are not late: think as little as can be, and solve a small ending."""
        rules = self._rollout.weights.rules if isinstance(self._rollout, Policy) else make_rules("mini")
        self._thinker.think(observe(Game(rules, seed=0)), Clock(1), np.uint64(0))
        if isinstance(self._thinker, TurnSearch):
            self._thinker.forget()
        game = Game("mini", seed=0)
        while game.record["stock_top"] >= 0:
            game.apply(game.legal()[0])
        Endings(_SOLVED).analyse(observe(game))

    def __deepcopy__(self, memo: dict[int, Any]) -> Search:
        """A copy has a workspace of its own."""
        twin = object.__new__(Search)
        twin.__dict__.update(self.__dict__)
        twin._rollout = deepcopy(self._rollout, memo)
        twin._begin()
        return twin

    @property
    def digest(self) -> str | None:
        """Of the weights that it thinks with: the same path may hold others tomorrow."""
        return self._rollout.digest if isinstance(self._rollout, Policy) else None

    def check(self, rules: Rules) -> None:
        """Raises ValueError if a policy that it thinks with cannot play these rules."""
        check_agent(self._rollout, rules)

    @one_at_a_time
    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._seed = np.uint64(rng.integers(2**63))
        self._endings.forget()
        if isinstance(self._thinker, TurnSearch):
            self._thinker.forget()

    @one_at_a_time
    def watch(self, observation: Observed) -> None:
        if isinstance(self._thinker, TurnSearch):
            self._thinker.watch(observation)

    @one_at_a_time
    def analyse(self, observation: Observed) -> Analysis:
        """Every decision begins with the same random state: it depends on the observation, and in a search over turns
        on what has been planned and seen before."""
        until = clock.monotonic() + self._seconds
        legal = observation.legal()
        if not legal:
            raise ValueError(f"seat {observation.seat} has nothing to decide")
        if len(legal) == 1:
            return Analysis(legal[0], equally(legal))
        if solved := self._endings.analyse(observation):
            return solved
        return self._thinker.think(observation, Clock(self.settings.sims, until), self._seed)


class Strongest(ByAnalysis):
    """A search with the best policy that comes with the project, where one has learnt the game; else with bots.

    time: seconds a decision (1); or sims as in SearchSettings. threads: that think at once.
    """

    def __init__(self, time: float | None = None, sims: int | None = None, threads: int = 1) -> None:
        seconds = 1.0 if time is None and sims is None else time
        self._settings: dict[str, Any] = {"sims": sims, "time": seconds, "threads": threads}
        self.entrance = Turnstile()
        self._begun: tuple[int, np.random.Generator] | None = None
        self._searches = Recent[str | None, Search]()  # by policy
        self._search_by(None)

    @property
    def digest(self) -> str:
        """Of all weights that it may think with."""
        return hashlib.sha256("".join(Weights.load(name).digest for name in best()).encode()).hexdigest()

    def check(self, rules: Rules) -> None:
        """It plays all games; what it needs for this one is loaded before the time of a decision begins."""
        self._search(rules)

    @one_at_a_time
    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._begun = seat, deepcopy(rng)
        for search in self._searches.values():
            search.reset(seat, deepcopy(rng))

    def watch(self, observation: Observed) -> None:
        self._search(observation.rules).watch(observation)

    def analyse(self, observation: Observed) -> Analysis:
        return self._search(observation.rules).analyse(observation)

    def _search(self, rules: Rules) -> Search:
        return self._search_by(strongest_policy(rules))

    @one_at_a_time
    def _search_by(self, policy: str | None) -> Search:
        return self._searches.find(policy, lambda: self._new_search(policy))

    def _new_search(self, policy: str | None) -> Search:
        search = Search(policy=policy, **self._settings)
        if self._begun:
            search.reset(self._begun[0], deepcopy(self._begun[1]))
        return search
