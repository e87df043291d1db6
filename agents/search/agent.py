"""Search: think ahead in worlds that agree with what the seat knows (search_tree.py)."""

from __future__ import annotations

import time as clock
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from agents.policy.agent import Policy
from agents.search.player import Player, find_player, make_player
from agents.search.tree import SCALE, Tree, carry_back, new_tree, play_out, walk_down
from agents.solver.agent import Endings, equally
from casino_env.actions import ACTIONS
from casino_env.engine.state import GAME, rules_record
from casino_env.observed import Observed
from casino_env.rules import Rules, closest

Array = np.ndarray[Any, Any]

# How far the tree reaches, and who plays the deals out.
METHODS = {
    "flat": (1, "random"),  # root actions, random play
    "pimc": (1, "counter"),  # root actions, played out by a bot
    "ismcts": (64, "counter"),  # a tree over the coming turns
}
_MANY, _LONG = 500, 0.05  # simulations or seconds from which on a tree over several turns is better than none
_CUT = 3  # decisions of a policy after which it judges
_EXPLORE, _EXPLORE_JUDGED = 0.3, 0.15  # a policy's judgements are less scattered than the ends of deals
_TO_THE_END = 1 << 20  # decisions: more than any deal has
_BATCH = 8  # simulations at once: what one of them finds helps only the next batch
_STREAM = np.uint64(0xD1342543DE82EF95)  # takes the numbers of simulations far apart
_MOST_NODES = 1 << 16


class Search:
    """Sampling and tree search.

    sims: simulations a decision; or time: seconds a decision. method: flat, pimc or ismcts (if empty: ismcts with a
    large budget, else pimc). rollout: the bot or policy:PATH that plays on (the method's own if empty). guide: whose
    likes come first (those of rollout if empty). cut: after so many decisions the policy that plays on judges the
    position instead (below 0: it plays to the end). policy: a policy's name or path, as guide, as player and, unless
    cut says otherwise, as judge after a few decisions. explore and prior: how much unvisited and liked actions are
    favoured (explore below 0: less where a policy judges). threads: how many play deals out at once; the choice does
    not depend on it. solve: endings in which all cards are known and nobody holds more than so many go to the exact
    solver.
    """

    def __init__(
        self,
        sims: int = 0,
        time: float = 0.0,
        method: str = "",
        rollout: str = "",
        guide: str = "",
        policy: str = "",
        cut: int = -1,
        explore: float = -1.0,
        prior: float = 0.5,
        threads: int = 1,
        solve: int = 5,
    ) -> None:
        if policy and (rollout or guide):
            raise ValueError("policy stands for rollout and guide; leave those out")
        if policy and cut < 0:
            cut = _CUT
        if explore < 0:
            explore = _EXPLORE_JUDGED if cut >= 0 else _EXPLORE
        if not method:
            method = "ismcts" if cut >= 0 or sims >= _MANY or time >= _LONG else "pimc"
        if method not in METHODS:
            raise ValueError(
                f"method = {method!r}{closest(method, list(METHODS))}; it must be one of {', '.join(METHODS)}"
            )
        self._depth, own = METHODS[method]
        rollout = f"policy:{policy}" if policy else rollout
        self._rollout = self._found("rollout", rollout or own)
        self._guide = self._found("guide", guide) if guide else self._rollout
        if cut >= 0 and not isinstance(self._rollout, Policy):
            raise ValueError(f"cut = {cut}: a bot cannot judge positions; it needs policy=, or rollout=policy:PATH")
        self._cut = cut if cut >= 0 else _TO_THE_END
        if sims < 0 or time < 0 or threads < 1:
            raise ValueError("sims and time must not be negative, and threads at least 1")
        if sims and time:
            raise ValueError("give sims or time, not both")
        self._sims, self._time = sims or (0 if time else 200), time
        self._settings = np.array([explore, prior, self._depth])
        self._threads, self._endings = threads, Endings(solve, seconds=time)
        self._seed = np.uint64(0)
        self._tree = new_tree(_MOST_NODES, _BATCH)
        self._worlds, self._rngs = np.zeros(_BATCH, GAME), np.zeros(_BATCH, np.uint64)
        self._players: dict[Rules, list[Player]] = {}  # the guide, then one that plays on for each thread

    @staticmethod
    def _found(what: str, name: str) -> str | Policy:
        try:
            return find_player(name)
        except ValueError as error:
            raise ValueError(f"{what} = {error}") from None

    @property
    def digest(self) -> str | None:
        """Of the weights that it thinks with: the same path may hold others tomorrow."""
        return "-".join(who.digest for who in (self._guide, self._rollout) if isinstance(who, Policy)) or None

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._seed = np.uint64(rng.integers(2**63))
        self._endings.forget()

    def act(self, observation: Observed) -> int:
        legal = observation.legal()
        if len(legal) == 1:
            return legal[0]
        best = self._endings.best(observation)
        if best:
            return best[0]
        visits, values = self._think(observation)
        return max(legal, key=lambda action: (visits[action], values[action]))

    def probabilities(self, observation: Observed) -> Array:
        """Shares of the simulations, or all to the best moves of a solved ending."""
        best = self._endings.best(observation)
        return equally(best) if best else _shares(self._think(observation)[0])

    def weigh(self, observation: Observed) -> tuple[Array, dict[int, float]]:
        """probabilities() and values() from one search."""
        best = self._endings.best(observation)
        visits, values = self._think(observation)
        worth = {action: float(values[action]) for action in observation.legal() if visits[action]}
        return equally(best) if best else _shares(visits), worth

    def values(self, observation: Observed) -> dict[int, float]:
        """What each legal action is worth, in points more than the others."""
        visits, values = self._think(observation)
        return {action: float(values[action]) for action in observation.legal() if visits[action]}

    def _think(self, observation: Observed) -> tuple[Array, Array]:
        """Every decision begins with the same random state, so that it depends on the observation alone."""
        rules = observation.rules
        if rules not in self._players:
            likes = make_player(self._guide, rules)
            self._players[rules] = [likes, *(make_player(self._rollout, rules) for _ in range(self._threads))]
        known = observation.view, rules_record(rules), observation.seat, self._players[rules]
        self._tree.used[0] = 1
        for array in self._tree[:7]:
            array[0] = 0
        done, until = 0, clock.monotonic() + self._time
        with ThreadPoolExecutor(self._threads) as pool:
            while done < self._sims or clock.monotonic() < until:
                some = min(_BATCH, self._sims - done) if self._sims else _BATCH
                self._simulate(known, done, some, pool)
                done += some
        return _at_the_root(self._tree)

    def _simulate(self, known: tuple[Any, ...], first: int, count: int, pool: ThreadPoolExecutor) -> None:
        """A batch of simulations; each has a stream of random numbers of its own."""
        view, rules, seat, (guide, *players) = known
        self._rngs[:count] = (self._seed + np.arange(first, first + count, dtype=np.uint64)) * _STREAM
        down = walk_down(self._tree, view, rules, seat, guide, self._worlds, self._rngs, self._settings, count)
        if down < count:
            raise ValueError("no game agrees with what the seat knows")
        edges = [count * k // self._threads for k in range(self._threads + 1)]
        parts = zip(players, edges[:-1], edges[1:], strict=True)
        if self._threads == 1:
            play_out(self._tree, self._worlds, rules, players[0], self._cut, self._rngs, 0, count)
        else:
            jobs = [
                pool.submit(play_out, self._tree, self._worlds, rules, player, self._cut, self._rngs, low, high)
                for player, low, high in parts
            ]
            for job in jobs:
                job.result()
        carry_back(self._tree, rules, count)


def _at_the_root(tree: Tree) -> tuple[Array, Array]:
    """Visits and mean results in points of the root actions."""
    visits, values = np.zeros(ACTIONS), np.zeros(ACTIONS)
    child = tree.first[0]
    while child:
        visits[tree.action[child]] = tree.visits[child]
        values[tree.action[child]] = tree.value[child]
        child = tree.following[child]
    return visits, SCALE * values / np.maximum(visits, 1)


def _shares(visits: Array) -> Array:
    return np.asarray(visits / visits.sum())
