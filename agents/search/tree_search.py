"""Search over actions by ISMCTS (ismcts.py): with bots, and with networks over actions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from casino_env.agents.base import Analysis
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.search.ismcts import (
    Bounds,
    TreeRoot,
    backup,
    new_simulations,
    new_tree,
    restart,
    root_results,
    walk_down,
)
from casino_env.agents.search.rollout_policies import make_rollout_policy
from casino_env.agents.search.rollouts import RolloutPolicy, roll_out_all
from casino_env.agents.search.search_settings import Budget, SearchSettings
from casino_env.engine.state import rules_record
from casino_env.observed import NoDeterminizationError, Observed
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]

_TO_THE_END = 1 << 20  # decisions: more than any deal has
_BATCH = 8  # simulations at once: what one of them finds helps only the next batch
_STREAM = np.uint64(0xD1342543DE82EF95)  # takes the numbers of simulations far apart
_MOST_NODES = 1 << 16


class TreeSearch:
    """Thinks about the actions of a decision."""

    def __init__(self, settings: SearchSettings, guide: str | Policy, rollout: str | Policy) -> None:
        self._settings, self._guide, self._rollout = settings, guide, rollout
        self._cut = _TO_THE_END if settings.cut is None else settings.cut
        self._bounds = Bounds(float(settings.explore or 0), float(settings.prior), settings.depth)
        self._tree, self._simulations = new_tree(_MOST_NODES), new_simulations(_BATCH)
        self._policies: dict[Rules, list[RolloutPolicy]] = {}  # the guide, then one that plays on for each thread

    def forget(self) -> None:
        """Another game begins: nothing is kept from one decision to the next."""

    def think(self, observation: Observed, budget: Budget, seed: np.uint64) -> Analysis:
        """Chances are shares of the simulations."""
        visits, values = self._simulate_all(observation, budget, seed)
        worth = {action: float(values[action]) for action in observation.legal() if visits[action]}
        if not worth:
            raise ValueError(f"seat {observation.seat} can do none of what its mask says")
        action = max(worth, key=lambda each: (visits[each], worth[each]))
        return Analysis(action, np.asarray(visits / visits.sum()), worth[action], worth)

    def _simulate_all(self, observation: Observed, budget: Budget, seed: np.uint64) -> tuple[Array, Array]:
        """Visits and values by action."""
        rules, threads = observation.rules, self._settings.threads
        if rules not in self._policies:
            who = (self._guide, *[self._rollout] * threads)
            self._policies[rules] = [make_rollout_policy(each, rules) for each in who]
        root = TreeRoot(observation.view, rules_record(rules), observation.seat)
        restart(self._tree)
        with ThreadPoolExecutor(threads) as pool:
            while some := budget.share(_BATCH):
                numbers = np.arange(budget.done - some, budget.done, dtype=np.uint64)
                self._simulate(root, self._policies[rules], (seed + numbers) * _STREAM, pool)
        return root_results(self._tree)

    def _simulate(self, root: TreeRoot, policies: list[RolloutPolicy], seeds: Array, pool: ThreadPoolExecutor) -> None:
        """A batch of simulations; each has a stream of random numbers of its own."""
        running, (guide, *others), count = self._simulations, policies, len(seeds)
        running.rollouts.rngs[:count] = seeds
        if walk_down(self._tree, running, root, guide, self._bounds, count) < count:
            raise NoDeterminizationError(f"no game agrees with what seat {root.seat} knows")
        roll_out_all(running.rollouts, root.rules, others, self._cut, count, pool)
        backup(self._tree, running, root.rules, count)
