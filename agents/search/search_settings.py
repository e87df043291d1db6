"""What a search may be told, what it is where that is left open, and how much of its budget is left."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass, replace
from typing import NamedTuple

from casino_env.agents.search.horizon import HORIZONS
from casino_env.validate import closest, float_in, int_in, of_kind


class Method(NamedTuple):
    """How far the tree reaches, and who plays the deals out."""

    depth: int
    rollout: str


METHODS = {
    "flat": Method(1, "random"),  # flat Monte Carlo: root actions, random play
    "pimc": Method(1, "counter"),  # perfect-information Monte Carlo: root actions, played out by a bot
    "ismcts": Method(64, "counter"),  # information-set Monte Carlo tree search over the coming turns
}
MOST_SECONDS, MOST_SIMS = 600.0, 10_000_000  # a decision
_SIMS = 200
_MANY, _LONG = 500, 0.05  # simulations or seconds from which on a tree over several turns is better than none
_WEIGHED = 1000, 0.1  # simulations or seconds from which on importance weights of determinizations pay
_IMPORTANCE = 0.25  # of them
_CUT = 3  # decisions of a policy over actions after which it judges
_EXPLORE, _EXPLORE_JUDGED = 0.3, 0.15  # a policy's judgements are less scattered than the ends of deals

# Bounds of the settings that are numbers.
_WHOLE = {"sims": (1, MOST_SIMS), "cut": (0, 1000), "threads": (1, 256), "solve": (0, 52)}
_REAL = {"time": MOST_SECONDS, "importance": 0.9, "explore": 1000.0, "prior": 1000.0}


@dataclass(frozen=True)
class SearchSettings:
    """None: as resolved() fills it in."""

    sims: int | None = None  # simulations a decision
    time: float | None = None  # or seconds a decision
    method: str | None = None  # flat, pimc, ismcts; without one: ismcts with a large budget, else pimc
    rollout: str | None = None  # the bot or policy:PATH that plays on; the method's own
    guide: str | None = None  # whose likes come first; those of rollout
    policy: str | None = None  # a policy's name or path, as guide, as player and as judge after a few decisions
    cut: int | None = None  # after so many decisions (or turns, over afterstates) the policy that plays on judges
    horizon: str | None = None  # where play-outs end: deal of the next hands or end of the deal; whichever tells more
    importance: float | None = None  # share of the budget for importance weights; a quarter of a large one
    explore: float | None = None  # of UCB: how much unvisited actions are favoured; less where a policy judges
    prior: float = 0.5  # of the progressive bias: how much actions that the guide likes are
    threads: int = 1  # that play deals out at once; the choice does not depend on it
    solve: int | None = None  # endings in which nobody holds more cards go to the exact solver; as many as time allows

    def resolved(self) -> SearchSettings:
        """With everything filled in that can be: sims or time, method, rollout, guide, explore, importance; raises
        ValueError."""
        self._check()
        cut = _CUT if self.policy and self.cut is None else self.cut
        method = self.method or ("ismcts" if cut is not None or self._reaches(_MANY, _LONG) else "pimc")
        rollout = f"policy:{self.policy}" if self.policy else self.rollout or METHODS[method].rollout
        explore = _EXPLORE if cut is None else _EXPLORE_JUDGED
        return replace(
            self,
            sims=_SIMS if self.sims is None and self.time is None else self.sims,
            method=method,
            rollout=rollout,
            guide=self.guide or rollout,
            policy=None,
            cut=cut,
            explore=explore if self.explore is None else self.explore,
            importance=_IMPORTANCE * self._reaches(*_WEIGHED) if self.importance is None else self.importance,
        )

    @property
    def depth(self) -> int:
        """Decisions from the root that become nodes."""
        return METHODS[self.method or "ismcts"].depth

    def _reaches(self, sims: int, seconds: float) -> bool:
        """The budget is as large as this, in what it counts."""
        return (self.sims or 0) >= sims or (self.time or 0.0) >= seconds

    def _check(self) -> None:
        for name in ("method", "rollout", "guide", "policy", "horizon"):
            if (value := getattr(self, name)) is not None:
                of_kind(value, name, str)
        if self.policy and (self.rollout or self.guide):
            raise ValueError("policy stands for rollout and guide; leave those out")
        if self.method and self.method not in METHODS:
            near = closest(self.method, list(METHODS))
            raise ValueError(f"method = {self.method!r}{near}; it must be one of {', '.join(METHODS)}")
        if self.horizon and self.horizon not in HORIZONS:
            near = closest(self.horizon, list(HORIZONS))
            raise ValueError(f"horizon = {self.horizon!r}{near}; it must be one of {', '.join(HORIZONS)}")
        if self.sims is not None and self.time is not None:
            raise ValueError("give sims or time, not both")
        for name, bounds in _WHOLE.items():
            if (value := getattr(self, name)) is not None:
                int_in(value, name, *bounds)
        for name, most in _REAL.items():
            if (value := getattr(self, name)) is not None:
                float_in(value, name, 0.0, most, above=name == "time")


class Budget:
    """Of one decision: so many simulations, or what fits into the time that is left. The first share is never empty."""

    def __init__(self, sims: int | None, until: float) -> None:
        """until: as the clock will say when it has to be over; sims count instead if they are given."""
        self._sims, self._until, self._began = sims, until, clock.monotonic()
        self._first = True
        self.done = 0

    def share(self, most: int) -> int:
        """How many to do at once, at most so many; 0: enough. They count as done."""
        now = clock.monotonic()
        if self._sims is not None:
            most = min(most, self._sims - self.done)
        elif not self._first:
            most = max(0, min(most, int((self._until - now) * self.done / max(now - self._began, 1e-9))))
        self._first = False
        self.done += most
        return most

    def is_young(self, part: float) -> bool:
        """Less than this part of it is gone."""
        if self._sims is not None:
            return self.done < part * self._sims
        return clock.monotonic() - self._began < part * (self._until - self._began)
