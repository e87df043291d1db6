"""Search: think ahead in worlds that agree with what the seat knows (search_tree.py)."""

from __future__ import annotations

import time as clock
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from agents.bots import BOTS, bot_record
from agents.scripted import room
from agents.search_tree import SCALE, Tree, new_tree, simulate
from agents.solver import Solver
from casino_env.actions import ACTIONS
from casino_env.game import Game
from casino_env.observed import Observed
from casino_env.rules import closest
from casino_env.state import GAME, rules_record

Array = np.ndarray[Any, Any]

# How far the tree reaches, and who plays the deals out.
METHODS = {
    "flat": (1, "random"),  # root actions, random play
    "pimc": (1, "counter"),  # root actions, played out by a bot
    "ismcts": (64, "counter"),  # a tree over the coming turns
}
_CHUNK = 32  # simulations between two looks at the clock
_MOST_NODES = 1 << 16
_SOLVER_MB, _SOLVER_NODES = 16, 1_000_000


class Search:
    """Sampling and tree search.

    sims: simulations a decision; or time: seconds a decision. method: flat, pimc or ismcts. rollout: the bot that plays
    on (the method's own if empty). explore and prior: how much unvisited and liked actions are favoured. threads: trees
    grown side by side and added up; the result depends on their number, not on their speed. solve: endings in which
    all cards are known and nobody holds more than so many go to the exact solver.
    """

    def __init__(
        self,
        sims: int = 0,
        time: float = 0.0,
        method: str = "pimc",
        rollout: str = "",
        explore: float = 0.3,
        prior: float = 0.5,
        threads: int = 1,
        solve: int = 5,
    ) -> None:
        if method not in METHODS:
            raise ValueError(
                f"method = {method!r}{closest(method, list(METHODS))}; it must be one of {', '.join(METHODS)}"
            )
        self._depth, own = METHODS[method]
        bot = rollout or own
        if bot not in BOTS:
            raise ValueError(f"rollout = {bot!r}{closest(bot, list(BOTS))}; it must be one of {', '.join(BOTS)}")
        if sims < 0 or time < 0 or threads < 1:
            raise ValueError("sims and time must not be negative, and threads at least 1")
        if sims and time:
            raise ValueError("give sims or time, not both")
        self._sims, self._time = sims or (0 if time else 200), time
        self._bot, self._settings = BOTS[bot], np.array([explore, prior, self._depth])
        self._threads, self._solve, self._solver = threads, solve, Solver(_SOLVER_MB)
        self._workers = [_Worker(seed) for seed in range(threads)]

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._workers = [_Worker(int(rng.integers(2**63))) for _ in range(self._threads)]
        self._solver.clear()

    def act(self, observation: Observed) -> int:
        legal = observation.legal()
        if len(legal) == 1:
            return legal[0]
        best = self._solved(observation)
        if best:
            return best[0]
        visits, values = self._think(observation)
        return max(legal, key=lambda action: (visits[action], values[action]))

    def probabilities(self, observation: Observed) -> Array:
        """Shares of the simulations, or all to the best moves of a solved ending."""
        best = self._solved(observation)
        return _equally(best) if best else _shares(self._think(observation)[0])

    def weigh(self, observation: Observed) -> tuple[Array, dict[int, float]]:
        """probabilities() and values() from one search."""
        best = self._solved(observation)
        visits, values = self._think(observation)
        worth = {action: float(values[action]) for action in observation.legal() if visits[action]}
        return _equally(best) if best else _shares(visits), worth

    def values(self, observation: Observed) -> dict[int, float]:
        """What each legal action is worth, in points more than the others."""
        visits, values = self._think(observation)
        return {action: float(values[action]) for action in observation.legal() if visits[action]}

    def _solved(self, observation: Observed) -> list[int]:
        """The best moves, if the solver reaches this position and finds them in time."""
        view = observation.view[0]
        unknown = int(view["hidden_hand"].sum() + view["hidden_pile"].sum() + view["hidden_stock"]) + int(
            view["shuffled"]
        )
        held = max(int(hand).bit_count() for hand in view["hands"])
        if unknown or held > self._solve or observation.rules.sides != 2 or observation.rules.count_out:
            return []
        game = Game.from_bytes(view.tobytes(), observation.rules)
        limit = {"seconds": self._time} if self._time else {"nodes": _SOLVER_NODES}
        solution = self._solver.solve(game, **limit)
        return solution.best if solution.complete else []

    def _think(self, observation: Observed) -> tuple[Array, Array]:
        arrays = (
            observation.view,
            rules_record(observation.rules),
            observation.seat,
            bot_record(self._bot, observation.rules),
        )
        share = -(-self._sims // self._threads)

        def grow(worker: _Worker) -> Tree:
            return worker.grow(arrays, self._settings, share, self._time)

        if self._threads == 1:
            trees = [grow(self._workers[0])]
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                trees = list(pool.map(grow, self._workers))
        return _added_up(trees)


class _Worker:
    """A tree and what is needed to grow it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._room = room()
        self._world = np.zeros(1, GAME)
        self._tree = new_tree(_MOST_NODES)

    def grow(self, arrays: tuple[Any, ...], settings: Array, simulations: int, seconds: float) -> Tree:
        """Every decision begins with the same random state, so that it depends on the observation alone."""
        self._room[-1][0] = self._seed
        tree = self._tree
        for array in tree[:7]:
            array[0] = 0
        tree.used[0] = 1
        done, until = 0, clock.monotonic() + seconds
        while done < simulations or clock.monotonic() < until:
            some = min(_CHUNK, simulations - done) if simulations else _CHUNK
            if simulate(tree, *arrays, self._world, *self._room, settings, some) < some:
                raise ValueError("no game agrees with what the seat knows")
            done += some
        return tree


def _added_up(trees: list[Tree]) -> tuple[Array, Array]:
    """Visits and mean results in points of the root actions."""
    visits, values = np.zeros(ACTIONS), np.zeros(ACTIONS)
    for tree in trees:
        child = tree.first[0]
        while child:
            visits[tree.action[child]] += tree.visits[child]
            values[tree.action[child]] += tree.value[child]
            child = tree.following[child]
    return visits, SCALE * values / np.maximum(visits, 1)


def _shares(visits: Array) -> Array:
    return np.asarray(visits / visits.sum())


def _equally(actions: list[int]) -> Array:
    shares = np.zeros(ACTIONS)
    shares[actions] = 1 / len(actions)
    return shares
