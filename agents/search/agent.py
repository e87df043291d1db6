"""Search: think ahead in worlds that agree with what the seat knows (tree.py)."""

from __future__ import annotations

import inspect
import time as clock
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from agents.base import Analysis, check_agent, equally
from agents.policy.agent import Policy
from agents.search.named import find_player, judges_tables, make_player
from agents.search.player import Player
from agents.search.settings import SearchSettings
from agents.search.tree import (
    Bounds,
    Root,
    backup,
    new_simulations,
    new_tree,
    restart,
    roll_out,
    root_results,
    walk_down,
)
from agents.solver.agent import Endings
from agents.solver.solver import Solver
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.observed import NoSuchGameError, Observed, observe
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]

_TO_THE_END = 1 << 20  # decisions: more than any deal has
_BATCH = 8  # simulations at once: what one of them finds helps only the next batch
_STREAM = np.uint64(0xD1342543DE82EF95)  # takes the numbers of simulations far apart
_MOST_NODES = 1 << 16


class Search:
    """Sampling and tree search. Its parameters are those of SearchSettings."""

    __signature__ = inspect.signature(SearchSettings, eval_str=True)

    def __init__(self, **settings: Any) -> None:
        given = SearchSettings(**settings)
        self.settings = known = given.resolved()
        self._rollout = _found("rollout", known.rollout)
        self._guide = self._rollout if known.guide == known.rollout else _found("guide", known.guide)
        if known.cut is not None and not isinstance(self._rollout, Policy):
            raise ValueError(
                f"cut = {known.cut}: a bot cannot judge positions; it needs policy=, or rollout=policy:PATH"
            )
        if given.cut is None and known.cut and judges_tables(self._rollout):
            self.settings = known = replace(known, cut=0)  # what it judges lies a turn ahead already
        self._cut = _TO_THE_END if known.cut is None else known.cut
        self._bounds = Bounds(float(known.explore or 0), float(known.prior), known.depth)
        self._seconds = known.time or 0.0
        self._endings = Endings(known.solve, self._seconds / 2)  # where it fails there has to be time to search
        self._seed = np.uint64(0)
        self._tree, self._simulations = new_tree(_MOST_NODES), new_simulations(_BATCH)
        self._players: dict[Rules, list[Player]] = {}  # the guide, then one that plays on for each thread
        if self._seconds:
            _load_kernels()
            if isinstance(self._guide, Policy):
                self._guide.load_kernels()

    def __deepcopy__(self, memo: dict[int, Any]) -> Search:
        """What is only room to work in a copy has of its own."""
        twin = object.__new__(Search)
        twin.__dict__.update(self.__dict__)
        twin._tree, twin._simulations = new_tree(_MOST_NODES), new_simulations(_BATCH)
        twin._guide = deepcopy(self._guide, memo)
        twin._players, twin._endings = {}, Endings(self.settings.solve, self._seconds / 2)
        return twin

    @property
    def digest(self) -> str | None:
        """Of the weights that it thinks with: the same path may hold others tomorrow."""
        return "-".join(who.digest for who in (self._guide, self._rollout) if isinstance(who, Policy)) or None

    def check(self, rules: Rules) -> None:
        """Raises ValueError if a policy that it thinks with cannot play these rules."""
        for who in (self._guide, self._rollout):
            check_agent(who, rules)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._seed = np.uint64(rng.integers(2**63))
        self._endings.forget()

    def act(self, observation: Observed) -> int:
        return self.analyse(observation).action

    def probabilities(self, observation: Observed) -> Array:
        return self.analyse(observation).chances

    def analyse(self, observation: Observed) -> Analysis:
        """Chances are shares of the simulations, or all for the best moves of a solved ending."""
        until = clock.monotonic() + self._seconds
        legal = observation.legal()
        if not legal:
            raise ValueError(f"seat {observation.seat} has nothing to decide")
        if len(legal) == 1:
            return Analysis(legal[0], equally(legal))
        solved = self._endings.analyse(observation)
        if solved:
            return solved
        if isinstance(self._guide, Policy) and self._guide.looks_ahead(observation):
            return self._guide.analyse(observation)  # where nothing is hidden there are no worlds to draw
        visits, values = self._think(observation, until)
        worth = {action: float(values[action]) for action in legal if visits[action]}
        if not worth:
            raise ValueError(f"seat {observation.seat} can do none of what its mask says")
        action = max(worth, key=lambda each: (visits[each], worth[each]))
        return Analysis(action, np.asarray(visits / visits.sum()), worth[action], worth)

    def _think(self, observation: Observed, until: float) -> tuple[Array, Array]:
        """Every decision begins with the same random state, so that it depends on the observation alone."""
        rules, sims = observation.rules, self.settings.sims
        if rules not in self._players:
            players = [self._guide, *[self._rollout] * self.settings.threads]
            self._players[rules] = [make_player(who, rules) for who in players]
        root = Root(observation.view, rules_record(rules), observation.seat)
        restart(self._tree)
        done, began = 0, clock.monotonic()
        with ThreadPoolExecutor(self.settings.threads) as pool:
            while some := _first_batch(sims) if not done else _next_batch(sims, done, began, until):
                self._simulate(root, self._players[rules], done, some, pool)
                done += some
        return root_results(self._tree)

    def _simulate(self, root: Root, players: list[Player], first: int, count: int, pool: ThreadPoolExecutor) -> None:
        """A batch of simulations; each has a stream of random numbers of its own."""
        running, (guide, *others) = self._simulations, players
        running.rngs[:count] = (self._seed + np.arange(first, first + count, dtype=np.uint64)) * _STREAM
        if walk_down(self._tree, running, root, guide, self._bounds, count) < count:
            raise NoSuchGameError(f"no game agrees with what seat {root.seat} knows")
        edges = [count * k // len(others) for k in range(len(others) + 1)]
        if len(others) == 1:
            roll_out(running, root.rules, others[0], self._cut, 0, count)
        else:
            parts = zip(others, edges[:-1], edges[1:], strict=True)
            jobs = [pool.submit(roll_out, running, root.rules, who, self._cut, lo, hi) for who, lo, hi in parts]
            for job in jobs:
                job.result()
        backup(self._tree, running, root.rules, count)


@cache
def _load_kernels() -> None:
    """Beforehand, so that the first decisions of a process are not late: a decision and an ending of the least game."""
    game = Game("mini", seed=0)
    Search(sims=1).act(observe(game))
    while game.record["stock_top"] >= 0:
        game.apply(game.legal()[0])
    Solver(1).solve(game, nodes=1)


def _first_batch(sims: int | None) -> int:
    """There is one, however short the time."""
    return _BATCH if sims is None else min(_BATCH, sims)


def _next_batch(sims: int | None, done: int, began: float, until: float) -> int:
    """Simulations to be done at once: as many as are wanted, or fit into the time that is left; 0 ends the search."""
    if sims is not None:
        return min(_BATCH, sims - done)
    now = clock.monotonic()
    return max(0, min(_BATCH, int((until - now) * done / max(now - began, 1e-9))))


def _found(what: str, name: str | None) -> str | Policy:
    try:
        return find_player(name or "")
    except ValueError as error:
        raise ValueError(f"{what} = {error}") from None
