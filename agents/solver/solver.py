"""The exact value and the best moves of a position in which all hands are open and nothing is left to deal."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from casino_env.agents.solver.alpha_beta import (
    NO_MOVE,
    AlphaBeta,
    begin_search,
    new_alpha_beta,
    put_question,
    resume,
    seek_value,
)
from casino_env.agents.workspaces import Turnstile, one_at_a_time
from casino_env.engine.position_keys import names_of
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.rules import Rules
from casino_env.validate import float_in, int_in

Want = Literal["value", "best", "values"]
_MOST_MB, _MOST_SECONDS = 65_536, 1e9
_AT_ONCE = 4_000  # positions between two looks at the clock


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
        _refuse(game)
        if game.rules != self._rules or self._search is None:
            self.clear()
            self._rules, self._record = game.rules, rules_record(game.rules)
            self._search = self._search or new_alpha_beta(self._record, self._megabytes)
            self._search = self._search._replace(names=names_of(self._record))
        self._search.games[0] = game.record
        self._search.games[0]["match"] = 0  # the deal is solved, not the match
        return _Call(self._search, self._record, game.legal(), seconds, nodes).run(want)


def solve(game: Game, *, seconds: float | None = None, nodes: int | None = None, want: Want = "best") -> Solution:
    """The solution of one position; see Solver.solve."""
    return Solver().solve(game, seconds=seconds, nodes=nodes, want=want)


def _refuse(game: Game) -> None:
    """Only deals of two sides without chance or secrets have an exact value here."""
    record, rules = game.record, game.rules
    hidden = record["hidden_hand"].any() or record["hidden_pile"].any()
    sides = f"{rules.name} with {rules.players} players has {rules.sides}"
    for wrong, why in (
        (game.over, "nothing to solve: the game is over"),
        (not game.legal(), f"nothing to solve: seat {game.seat} has nothing to decide"),
        (rules.sides != 2, f"the solver plays two sides; {sides}"),
        (record["stock_top"] >= 0, "the solver needs the last cards to be dealt; there is a stock"),
        (hidden, "the solver needs all cards to be known; this is what one seat sees"),
        (rules.count_out, "the solver counts the points of whole deals; with count_out a deal may be cut short"),
    ):
        if wrong:
            raise ValueError(why)


class _OutOfTimeError(Exception):
    """A limit is reached: of time, of positions, or the deal is longer than the stack of the search."""


class _Call:
    """One call of Solver.solve: the value, then what else is wanted, in pieces between which it looks at the limits.

    The kernels answer whether side 0 can reach a target, and with a bound that is often better than asked for.
    All numbers here are from the decider's side.
    """

    def __init__(
        self, search: AlphaBeta, rules: Any, legal: list[int], seconds: float | None, nodes: int | None
    ) -> None:
        self.began = time.perf_counter()
        self.deadline = math.inf if seconds is None else self.began + seconds
        self.most = sys.maxsize if nodes is None else nodes
        self.arrays, self.legal, self.control = (search, rules), legal, search.control[0]
        begin_search(search, rules)

    def run(self, want: Want) -> Solution:
        values: dict[int, int] | None = None
        best: list[int] = []
        complete = False
        try:
            if self._low < self.control["high"]:
                self._finish(seek_value)
            if want == "best":
                proven = int(self.control["best"])
                for move in self.legal:  # which of the others reach the value as well?
                    if move == proven or self._ask(self._low, move) >= self._low:
                        best.append(move)
            elif want == "values":
                values = {move: self._value_of(move) for move in self.legal}
                best = [move for move, value in values.items() if value == self._low]
            complete = True
        except _OutOfTimeError:
            pass
        # What is proven to reach `low`, else what looks best, if there is such a move.
        promising = [int(self.control["best"]), int(self.control["promising"]), self.legal[0]]
        best = best or [next(move for move in promising if move != NO_MOVE)]
        high, nodes = int(self.control["high"]), int(self.control["nodes"])
        return Solution(self._low, high, best, complete, values, nodes, time.perf_counter() - self.began)

    @property
    def _low(self) -> int:
        return int(self.control["low"])

    def _value_of(self, move: int) -> int:
        """The first answer is mostly yes for a good move; for others it goes down step by step."""
        target = self._low
        while True:
            bound = self._ask(target, move)
            if bound >= target:
                return bound
            target = bound

    def _ask(self, target: int, move: int) -> int:
        """A bound of the value of the move: a lower one if it is at least target, else an upper one."""
        sign = int(self.control["sign"])
        put_question(*self.arrays, target if sign > 0 else 1 - target, move)
        self._finish(resume)
        return sign * int(self.control["value"])

    def _finish(self, search: Callable[..., Any]) -> None:
        """Search until it is answered."""
        answered = False
        while not answered:
            budget = min(_AT_ONCE, self.most - int(self.control["nodes"]))
            if budget <= 0 or time.perf_counter() >= self.deadline:
                raise _OutOfTimeError
            answered = search(*self.arrays, budget)
            if self.control["level"] < 0:
                raise _OutOfTimeError
