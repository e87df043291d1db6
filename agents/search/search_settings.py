"""The settings of a search, their defaults, and how much of its budget is left."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from casino_env.agents.search.horizon import HORIZONS
from casino_env.compiler.jit import kernel
from casino_env.validate import closest, float_in, int_in, of_kind

MOST_SECONDS, MOST_SIMS = 600.0, 10_000_000  # for one decision
MOST_MARGIN = 1000.0  # points: more than any two turns differ by
_SIMS = 200
_WEIGHED = 1000, 0.1  # simulations, or seconds, from which importance weights of determinizations pay
_IMPORTANCE = 0.25  # share of such a budget that goes into the weights
_ROLLOUT = "counter"
_CUT = 3  # decisions of a policy over actions before it judges
_EXPLORE, _EXPLORE_JUDGED = 0.3, 0.15  # a policy's judgements scatter less than the results of deals

# Type of each setting, and bounds of numbers.
SETTINGS: dict[str, tuple[str, float, float]] = {
    "sims": ("int", 1, MOST_SIMS),
    "time": ("float", 0.0, MOST_SECONDS),
    "rollout": ("str", 0, 0),
    "policy": ("str", 0, 0),
    "cut": ("int", 0, 1000),
    "horizon": ("str", 0, 0),
    "margin": ("float", 0.0, MOST_MARGIN),
    "importance": ("float", 0.0, 0.9),
    "explore": ("float", 0.0, 1000.0),
    "threads": ("int", 1, 256),
    "solve": ("int", 0, 52),
}


@dataclass(frozen=True)
class SearchSettings:
    """The settings of a search. None: resolved() fills it in."""

    sims: int | None = None  # simulations a decision
    time: float | None = None  # or seconds a decision
    rollout: str | None = None  # the bot or policy:PATH that plays out deals and gives the priors
    policy: str | None = None  # name or path of a policy that plays on, and judges after a few decisions
    cut: int | None = None  # decisions (over afterstates: turns) of a play-out before the policy judges
    horizon: str | None = None  # where play-outs end: "deal" (of the next hands) or "end"; None: what tells more
    margin: float | None = None  # points by which racing turns may be judged behind the best; None: all turns race
    importance: float | None = None  # share of the budget for importance weights; None: a quarter of a large one
    explore: float | None = None  # UCB constant: how much rarely tried actions are favoured; less if a policy judges
    threads: int = 1  # for play-outs; the choice does not depend on it
    solve: int | None = None  # most cards in a hand of endings that are solved exactly; None: as many as time allows

    def resolved(self) -> SearchSettings:
        """Return the settings with defaults filled in; raise ValueError if they are wrong."""
        self._check()
        cut = _CUT if self.policy and self.cut is None else self.cut
        explore = _EXPLORE if cut is None else _EXPLORE_JUDGED
        return replace(
            self,
            sims=_SIMS if self.sims is None and self.time is None else self.sims,
            rollout=f"policy:{self.policy}" if self.policy else self.rollout or _ROLLOUT,
            policy=None,
            cut=cut,
            margin=MOST_MARGIN if self.margin is None else self.margin,
            explore=explore if self.explore is None else self.explore,
            importance=_IMPORTANCE * self._reaches(*_WEIGHED) if self.importance is None else self.importance,
        )

    def _reaches(self, sims: int, seconds: float) -> bool:
        """Return whether the budget, in simulations or seconds, is at least as large as this."""
        return (self.sims or 0) >= sims or (self.time or 0.0) >= seconds

    def _check(self) -> None:
        for name, (kind, low, high) in SETTINGS.items():
            if (value := getattr(self, name)) is None:
                continue
            if kind == "str":
                of_kind(value, name, str)
            elif kind == "int":
                int_in(value, name, int(low), int(high))
            else:
                float_in(value, name, low, high, above=name == "time")
        if self.policy and self.rollout:
            raise ValueError("give policy or rollout, not both")
        if self.horizon and self.horizon not in HORIZONS:
            near = closest(self.horizon, list(HORIZONS))
            raise ValueError(f"horizon = {self.horizon!r}{near}; it must be one of {', '.join(HORIZONS)}")
        if self.sims is not None and self.time is not None:
            raise ValueError("give sims or time, not both")


# --- the budget of a decision: a number of simulations, or as many as the time allows ---------------------------------

BUDGET = np.dtype(
    [
        ("sims", np.int64),  # 0: the time is the budget
        ("done", np.int64),  # simulations so far, and what counts as such
    ]
)


@kernel
def begin_budget(budget, sims):
    budget.sims, budget.done = sims, 0


@kernel
def left_over(budget, used, left, first):
    """Return how many simulations are left, by the rate so far (none done: first). used, left: seconds."""
    if budget.sims:
        return budget.sims - budget.done
    if budget.done == 0:
        return first
    return np.int64(max(0.0, left) * budget.done / max(used, 1e-9))


@kernel
def is_young(budget, used, left, part):
    """Return whether less than this part of the budget is used."""
    if budget.sims:
        return budget.done < part * budget.sims
    return used < part * (used + left)
