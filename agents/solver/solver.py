"""The exact solver of positions in which all cards are known and none are left to deal."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any, Literal, get_args

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
from casino_env.agents.solver.endings import NO_LIMIT
from casino_env.agents.workspaces import Turnstile, one_at_a_time
from casino_env.arrays import Array
from casino_env.compiler.types import allocate
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.rules import Rules
from casino_env.validate import checks_objects, float_in, int_in, one_of

Want = Literal["value", "best", "values"]
_MOST_MB, _MOST_SECONDS = 65_536, 1e9
_AT_ONCE = 4_000  # positions between two looks at the clock
SOLVER_MB, _SOLVER_NODES = 16, 1_000_000


@dataclass(frozen=True)
class Solution:
    """Points are those of the decider's side minus the other's at the end of the deal."""

    low: int  # proven lower bound: `best` reaches it
    high: int  # proven upper bound
    best: list[int]  # the best moves; while not `complete` those proven to reach `low`, or the most promising one
    complete: bool  # everything that was wanted is known
    values: dict[int, int] | None  # the exact value of every legal action, where wanted and known
    nodes: int  # decisions searched
    seconds: float

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def value(self) -> int:
        """The exact value, or a lower bound of it."""
        return self.low


class Solver:
    """A solver that keeps its table between calls, since positions of a deal share most of it. Thread-safe."""

    def __init__(self, table_mb: int = 64) -> None:
        self._megabytes = int_in(table_mb, "table_mb", 1, _MOST_MB)
        self._rules: Rules | None = None
        self._search: AlphaBeta | None = None
        self.entrance = Turnstile()

    @one_at_a_time
    def clear(self) -> None:
        """Forget everything, as if the Solver were new."""
        if self._search:
            self._search.table[:] = 0
            self._search.history[:] = 0
            self._search.names.same[:] = 0
        self._rules = None

    @checks_objects
    @one_at_a_time
    def solve(
        self, game: Game, *, seconds: float | None = None, nodes: int | None = None, want: Want = "best"
    ) -> Solution:
        """Solve a position. want: the value with one best move, all best moves, or the value of every action.

        A limit ends the search early, with what is proven by then. With a limit of nodes the answer is deterministic,
        given the same earlier calls.
        """
        if seconds is not None:
            float_in(seconds, "seconds", 0.0, _MOST_SECONDS)
        if nodes is not None:
            int_in(nodes, "nodes", 0, sys.maxsize)
        one_of(want, "want", get_args(Want))
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
        """Return the workspace for these rules, and the rules as a record."""
        if rules != self._rules or self._search is None:
            self.clear()
            self._rules, self._record = rules, rules_record(rules)
            self._search = self._search or allocate(AlphaBeta, levels=LEVELS, entries=entries_in(self._megabytes))
        return self._search, self._record


def entries_in(megabytes: int) -> int:
    """Return the number of table entries that fit, a power of two."""
    return 1 << (megabytes * ENTRIES).bit_length() - 1


def solve(game: Game, *, seconds: float | None = None, nodes: int | None = None, want: Want = "best") -> Solution:
    """Solve one position; see Solver.solve."""
    return Solver().solve(game, seconds=seconds, nodes=nodes, want=want)


def _solution(control: Any, complete: bool, seconds: float) -> Solution:
    low, high, nodes = int(control["low"]), int(control["high"]), int(control["nodes"])
    values = None
    if complete and control["want"] == VALUES:
        moves, worth = (control[name][: control["count"]].tolist() for name in ("moves", "values"))
        values = dict(zip(moves, worth, strict=True))
    return Solution(low, high, control["good"][: control["goods"]].tolist(), complete, values, nodes, seconds)


def ending_limits(cards: int, seconds: float = 0.0, always: int = 0) -> list[tuple[int, int, int, float]]:
    """Return the limits of two searches of an ending: cards in a hand, cards in all hands, positions, seconds. The
    second search goes on with what the first has learnt.

    cards: in a hand. seconds: for a decision; 0: a fixed number of positions. always: cards in all hands together up
    to which some positions are searched however short the time is.
    """
    first = (-1, always, POSITIONS, 1e9)
    return [first, (cards, -1, NO_LIMIT, seconds) if seconds else (cards, -1, _SOLVER_NODES, 1e9)]
