"""The exact solver: of a position in which all cards are open and nothing is left to deal, of complete turns, and of
endings, with an agent that plays them by it."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from casino_env.agents.base import Analysis, analysis_of, check_agent, equally, probabilities_of, show_to
from casino_env.agents.registry import AgentError, make_agent
from casino_env.agents.solver.alpha_beta import (
    DONE,
    ENTRIES,
    LEVELS,
    OPEN,
    POSITIONS,
    REFUSALS,
    VALUES,
    AlphaBeta,
    begin_solving,
    go_on_solving,
)
from casino_env.agents.solver.endings import (
    ENDING,
    IMPOSSIBLE,
    NO_LIMIT,
    ORDERS,
    READY,
    Ending,
    begin_ending,
    go_on_ending,
)
from casino_env.agents.workspaces import Turnstile, one_at_a_time
from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.compiler.types import allocate
from casino_env.engine.state import GAME, rules_record
from casino_env.game import Game
from casino_env.observed import NoDeterminizationError, Observed
from casino_env.rules import Rules
from casino_env.validate import float_in, int_in

Want = Literal["value", "best", "values"]
_MOST_MB, _MOST_SECONDS = 65_536, 1e9
_AT_ONCE = 4_000  # positions between two looks at the clock
SOLVER_MB, _SOLVER_NODES = 16, 1_000_000


# === One position ====================================================================================================


@dataclass(frozen=True)
class Solution:
    """Points are those of the decider's side minus the other's at the end of the deal."""

    low: int  # proven: `best` reaches this much ...
    high: int  # ... and nothing reaches more than this
    best: list[int]  # the best moves; while not `complete` those proven to reach `low`, or the most promising one
    complete: bool  # all that was wanted is known
    values: dict[int, int] | None  # the exact value of every legal action, where wanted and known
    nodes: int  # decisions searched
    seconds: float

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def value(self) -> int:
        """The exact value, or what is certain of it."""
        return self.low


class Solver:
    """Keeps what it has learnt between calls: positions of one deal share most of it. Threads wait for each other."""

    def __init__(self, table_mb: int = 64) -> None:
        self._megabytes = int_in(table_mb, "table_mb", 1, _MOST_MB)
        self._rules: Rules | None = None
        self._search: AlphaBeta | None = None
        self.entrance = Turnstile()

    @one_at_a_time
    def clear(self) -> None:
        """Forget everything: the next call is as of a new Solver."""
        if self._search:
            self._search.table[:] = 0
            self._search.history[:] = 0
            self._search.names.same[:] = 0
        self._rules = None

    @one_at_a_time
    def solve(
        self, game: Game, *, seconds: float | None = None, nodes: int | None = None, want: Want = "best"
    ) -> Solution:
        """want: the value with one best move, all best moves, or the value of every action.

        A limit ends the search early with what is proven by then. Under a limit of nodes the answer is the same
        every time, given the same earlier calls.
        """
        if seconds is not None:
            float_in(seconds, "seconds", 0.0, _MOST_SECONDS)
        if nodes is not None:
            int_in(nodes, "nodes", 0, sys.maxsize)
        if want not in get_args(Want):
            raise ValueError(f"want = {want!r}; it must be one of {', '.join(get_args(Want))}")
        began, rules = time.perf_counter(), game.rules
        search, record = self.fit(rules)
        asked, most = get_args(Want).index(want), NO_LIMIT if nodes is None else nodes
        if refused := begin_solving(search, record, game.records, asked, most):
            about = {"name": rules.name, "players": rules.players, "sides": rules.sides, "seat": game.seat}
            raise ValueError(REFUSALS[refused].format(**about))
        state, budget = OPEN, 0
        while (state := go_on_solving(search, record, budget)) == OPEN:
            if seconds is not None and time.perf_counter() >= began + seconds:
                break
            budget = _AT_ONCE
        return _solution(search.control[0], state == DONE, time.perf_counter() - began)

    def fit(self, rules: Rules) -> tuple[AlphaBeta, Array]:
        """The workspace for these rules, and the rules as kernels have them."""
        if rules != self._rules or self._search is None:
            self.clear()
            self._rules, self._record = rules, rules_record(rules)
            self._search = self._search or allocate(AlphaBeta, levels=LEVELS, entries=entries_in(self._megabytes))
        return self._search, self._record


def entries_in(megabytes: int) -> int:
    """Of a table of positions: a power of two."""
    return 1 << (megabytes * ENTRIES).bit_length() - 1


def solve(game: Game, *, seconds: float | None = None, nodes: int | None = None, want: Want = "best") -> Solution:
    """The solution of one position; see Solver.solve."""
    return Solver().solve(game, seconds=seconds, nodes=nodes, want=want)


def _solution(control: Any, complete: bool, seconds: float) -> Solution:
    low, high, nodes = int(control["low"]), int(control["high"]), int(control["nodes"])
    values = None
    if complete and control["want"] == VALUES:
        moves, worth = (control[name][: control["count"]].tolist() for name in ("moves", "values"))
        values = dict(zip(moves, worth, strict=True))
    return Solution(low, high, control["good"][: control["goods"]].tolist(), complete, values, nodes, seconds)


# === Endings as a seat knows them ====================================================================================


class Endings:
    """What is exact of endings in which nobody holds more than so many cards."""

    def __init__(self, cards: int, seconds: float = 0.0, always: int = 0) -> None:
        """seconds: for a decision; 0: as many positions as always. always: cards in all hands together with which some
        positions are searched however short the time."""
        self.entrance = Turnstile()
        self._limits = [(-1, always, POSITIONS, 1e9)]  # cards in a hand, in all hands, positions, seconds
        self._limits.append((cards, -1, NO_LIMIT, seconds) if seconds else (cards, -1, _SOLVER_NODES, 1e9))
        self._games, self._state = np.zeros(ORDERS, GAME), np.zeros(1, ENDING)
        self._solver: Solver | None = None  # made when it is needed: it holds more memory than all the rest

    @one_at_a_time
    def forget(self) -> None:
        """What was learnt of the last deal; it makes no difference to the moves, but to how long they take."""
        self._solver = None

    @one_at_a_time
    def analyse(self, observation: Observed) -> Analysis | None:
        """None where cards are hidden, where the solver does not finish in time, or for a seat that need not decide."""
        if observation.hidden or not observation.mask.any():
            return None
        for in_hand, in_all, positions, seconds in self._limits:  # the second goes on with what the first has learnt
            until = time.monotonic() + seconds
            ending, rules = self._fit(observation.rules)
            begun = begin_ending(ending, rules, observation.view, observation.seat, in_hand, in_all, positions)
            if begun == IMPOSSIBLE:
                raise NoDeterminizationError(f"no game agrees with what seat {observation.seat} knows")
            budget = 0
            while begun == READY and go_on_ending(ending, rules, budget) == OPEN and time.monotonic() < until:
                budget = _AT_ONCE
            if begun == READY and (state := self._state[0])["known"]:
                worth = {int(action): float(state["worth"][action]) for action in np.flatnonzero(state["weighed"])}
                value = max(worth.values())
                best = [action for action, points in worth.items() if points == value]
                return Analysis(best[0], equally(best), value, worth)
        return None

    def _fit(self, rules: Rules) -> tuple[Ending, Array]:
        self._solver = self._solver or Solver(SOLVER_MB)
        search, record = self._solver.fit(rules)
        return Ending(search, self._games, self._state), record


class Solved:
    """Another agent, but for the endings that can be solved.

    agent: whose name or policy:PATH. cards: at most in a hand when the solver takes over.
    """

    def __init__(self, agent: str = "counter", cards: int = 5) -> None:
        try:
            self._agent = make_agent(agent)
        except AgentError as error:
            raise ValueError(f"agent = {error}") from None
        if isinstance(self._agent, Solved):
            raise ValueError(f"agent = {agent}: it plays endings by the solver already")
        self._endings = Endings(int_in(cards, "cards", 0, CARDS))

    def check(self, rules: Rules) -> None:
        """Raises ValueError if its agent cannot play these rules."""
        check_agent(self._agent, rules)

    @property
    def digest(self) -> str | None:
        """Of the agent's weights, if it has any."""
        return getattr(self._agent, "digest", None)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._agent.reset(seat, rng)
        self._endings.forget()

    def watch(self, observation: Observed) -> None:
        show_to(self._agent, observation)

    def act(self, observation: Observed) -> int:
        solved = self._endings.analyse(observation) if len(observation.legal()) > 1 else None
        return solved.action if solved else int(self._agent.act(observation))

    def probabilities(self, observation: Observed) -> Array:
        solved = self._endings.analyse(observation)
        return solved.chances if solved else probabilities_of(self._agent, observation)

    def analyse(self, observation: Observed) -> Analysis:
        return self._endings.analyse(observation) or analysis_of(self._agent, observation)
