"""The agents that search, in determinizations of what the seat knows, or exactly where nothing is hidden.

Policies that search for a moment are made here, too."""

from __future__ import annotations

import hashlib
import inspect
from copy import deepcopy
from typing import Any

import numpy as np

from casino_env.agents.base import Analysis, ByAnalysis, check_agent
from casino_env.agents.opening import Opened, Opening
from casino_env.agents.policy.policy_agent import Policy, make_policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.agents.policy.shipped import best, strongest_policy
from casino_env.agents.scripted.bots import Bot
from casino_env.agents.search.horizon import horizon_number
from casino_env.agents.search.rollouts import find_rollout_policy
from casino_env.agents.search.search_settings import MOST_SECONDS, SearchSettings
from casino_env.agents.solver.endings import cards_within
from casino_env.agents.solver.solver import ending_limits
from casino_env.agents.workspaces import Recent, Turnstile, one_at_a_time
from casino_env.observed import Observed
from casino_env.rules import Rules, make_rules
from casino_env.validate import float_in

_SOLVED = 5  # cards in a hand up to which endings are solved if there is no time limit
_TO_SOLVE = 0.75  # share of the time for the solver; if it fails, the rest looks about as far ahead as all would
_AT_MOST = 1.5  # times the time: endings for which the solver mostly takes longer are not tried
_UNSURE = 1.0  # points by which networks may misjudge the difference of two turns (`python -m benchmarks doubts`)


class Search(ByAnalysis):
    """The search agent; its parameters are those of SearchSettings. With a policy over afterstates it searches
    complete turns, else actions. Every decision begins with the same random state, so it depends on the observation
    alone, and in a search over turns on what it has planned and seen before."""

    __signature__ = inspect.signature(SearchSettings, eval_str=True)

    def __init__(self, **settings: Any) -> None:
        given = SearchSettings(**settings)
        self.settings = known = given.resolved()
        self._who = who = find_rollout_policy(known.rollout or "", "rollout")
        if known.cut is not None and not isinstance(who, Policy):
            raise ValueError(
                f"cut = {known.cut}: a bot cannot judge positions; it needs policy=, or rollout=policy:PATH"
            )
        if given.margin is not None and not _plans_turns(who):
            raise ValueError(f"margin = {given.margin}: needs a policy over afterstates")
        self.opened = Opened(_opening(given, known, who), known.threads)
        if known.time:
            self.opened.load(who.weights.rules if isinstance(who, Policy) else make_rules("mini"))

    @property
    def digest(self) -> str | None:
        """Digest of the policy's weights: the same path may hold others tomorrow."""
        return self._who.digest if isinstance(self._who, Policy) else None

    def check(self, rules: Rules) -> None:
        check_agent(self._who, rules)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self.opened.reset(int(rng.integers(2**63)))

    def watch(self, observation: Observed) -> None:
        self.opened.watch(observation)

    def analyse(self, observation: Observed) -> Analysis:
        return self.opened.analyse(observation)


def _plans_turns(who: Bot | Policy) -> bool:
    return isinstance(who, Policy) and not who.weights.shape.judges_actions


def _opening(given: SearchSettings, known: SearchSettings, who: Bot | Policy) -> Opening:
    """Return the settings of the kernels. known: given, resolved."""
    seconds, policy = known.time or 0.0, who if isinstance(who, Policy) else None
    turns = _plans_turns(who)
    cut = given.cut if turns else known.cut
    settings = {
        "sims": known.sims or 0, "seconds": seconds, "horizon": horizon_number(known.horizon),
        "cut": -1 if cut is None else cut, "explore": known.explore, "importance": known.importance,
        "margin": known.margin,
    }  # fmt: skip
    most = (cards_within(_AT_MOST * seconds) if seconds else _SOLVED) if known.solve is None else known.solve
    limits = ending_limits(most, _TO_SOLVE * seconds, policy.play.exact if policy and known.solve is None else 0)
    return Opening("turns" if turns else "tree", who, settings, limits)


class Strongest(ByAnalysis):
    """A search with the strongest shipped policy that has learnt the game; without one, with bots.

    time: seconds a decision (1); or sims as in SearchSettings. threads: number of threads.
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
        """Digest of the weights of all policies that it may use."""
        return hashlib.sha256("".join(Weights.load(name).digest for name in best()).encode()).hexdigest()

    def check(self, rules: Rules) -> None:
        """Load what this game needs, before the clock of a decision starts; it plays all games."""
        self.search(rules)

    @one_at_a_time
    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._begun = seat, deepcopy(rng)
        for search in self._searches.values():
            search.reset(seat, deepcopy(rng))

    def watch(self, observation: Observed) -> None:
        self.search(observation.rules).watch(observation)

    def analyse(self, observation: Observed) -> Analysis:
        return self.search(observation.rules).analyse(observation)

    def search(self, rules: Rules) -> Search:
        return self._search_by(strongest_policy(rules))

    @one_at_a_time
    def _search_by(self, policy: str | None) -> Search:
        return self._searches.find(policy, lambda: self._new_search(policy))

    def _new_search(self, policy: str | None) -> Search:
        search = Search(policy=policy, **self._settings)
        if self._begun:
            search.reset(self._begun[0], deepcopy(self._begun[1]))
        return search


def make_thinking_policy(
    path: str,
    temperature: float | None = None,
    turns: int | None = None,
    width: int | None = None,
    exact: int | None = None,
    think: float | None = None,
    sims: int | None = None,
) -> Policy | Search:
    """Make `policy:PATH`. think: milliseconds, or sims: simulations, for a race between the turns that it judges about
    as good as its best; with one such turn it plays at once. Raises ValueError."""
    given: dict[str, Any] = {"temperature": temperature, "turns": turns, "width": width, "exact": exact}
    policy = make_policy(path, **given)
    if think is None and sims is None:
        return policy
    if others := [name for name, value in given.items() if value is not None]:
        raise ValueError(f"{others[0]} = {given[others[0]]}: cannot be combined with think or sims; leave it out")
    if think is not None:
        think = float_in(think, "think", 0.0, 1000 * MOST_SECONDS, above=True) / 1000
    return Search(policy=path, time=think, sims=sims, margin=_UNSURE)
