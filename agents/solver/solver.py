"""The exact value and the best moves of a position in which all hands are open and nothing is left to deal."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Literal, get_args

from agents.limits import real, whole
from agents.solver.alpha_beta import Knowledge, first_bounds, new_history, new_stack, put_question, resume
from agents.solver.stakes import facts_of
from agents.solver.transpositions import NO_MOVE, new_transpositions
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.rules import Rules

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
    """Keeps what it has learnt between calls: positions of one deal share most of it. One thread at a time."""

    def __init__(self, table_mb: int = 64) -> None:
        self._stack = new_stack()
        self._known = Knowledge(new_transpositions(whole("table_mb", table_mb, 1, _MOST_MB)), new_history())
        self._rules: Rules | None = None

    def clear(self) -> None:
        """Forget everything: the next call is as of a new Solver."""
        for array in (*self._known.table, self._known.history):
            array[:] = 0
        self._rules = None

    def solve(
        self, game: Game, *, seconds: float | None = None, nodes: int | None = None, want: Want = "best"
    ) -> Solution:
        """want: the value with one best move, all best moves, or the value of every action.

        A limit ends the search early with what is proven by then. Under a limit of nodes the answer is the same
        every time, given the same earlier calls.
        """
        _check_limits(seconds, nodes, want)
        _refuse(game)
        if game.rules != self._rules:
            self._begin_with(game.rules)
        self._stack.games[0] = game.record
        self._stack.games[0]["match"] = 0  # the deal is solved, not the match
        return _Search(self, game, seconds, nodes).run(want)

    def _begin_with(self, rules: Rules) -> None:
        if self._rules is not None:
            self.clear()
        self._rules = rules
        self._record = rules_record(rules)
        self._facts = facts_of(self._record)


def solve(game: Game, *, seconds: float | None = None, nodes: int | None = None, want: Want = "best") -> Solution:
    """The solution of one position; see Solver.solve."""
    return Solver().solve(game, seconds=seconds, nodes=nodes, want=want)


def _check_limits(seconds: float | None, nodes: int | None, want: str) -> None:
    if seconds is not None:
        real("seconds", seconds, 0.0, _MOST_SECONDS)
    if nodes is not None:
        whole("nodes", nodes, 0, sys.maxsize)
    if want not in get_args(Want):
        raise ValueError(f"want = {want!r}; it must be one of {', '.join(get_args(Want))}")


def _refuse(game: Game) -> None:
    """Only deals of two sides without chance or secrets have an exact value here."""
    record, rules = game.record, game.rules
    if game.over:
        raise ValueError("nothing to solve: the game is over")
    if not game.legal():
        raise ValueError(f"nothing to solve: seat {game.seat} has nothing to decide")
    if rules.sides != 2:
        raise ValueError(f"the solver plays two sides; {rules.name} with {rules.players} players has {rules.sides}")
    if record["stock_top"] >= 0:
        raise ValueError("the solver needs the last cards to be dealt; there is a stock")
    if record["hidden_hand"].any() or record["hidden_pile"].any():
        raise ValueError("the solver needs all cards to be known; this is what one seat sees")
    if rules.count_out:
        raise ValueError("the solver counts the points of whole deals; with count_out a deal may be cut short")


class _OutOfTimeError(Exception):
    """A limit is reached: of time, of positions, or the deal is longer than the stack of the search."""


class _Search:
    """One call of Solver.solve: questions to the kernels until the value lies between equal bounds.

    The kernels answer whether side 0 can reach a target, and with a bound that is often better than asked for.
    All numbers here are from the decider's side.
    """

    def __init__(self, solver: Solver, game: Game, seconds: float | None, nodes: int | None) -> None:
        self.began = time.perf_counter()
        self.deadline = None if seconds is None else self.began + seconds
        self.nodes_left = sys.maxsize if nodes is None else nodes
        self.nodes = 0
        self.arrays = solver._stack, solver._known, solver._facts, solver._record
        self.legal = game.legal()
        self.sign = -1 if game.rules.side(game.seat) else 1
        low, high = first_bounds(solver._stack, solver._record)
        self.low, self.high = (low, high) if self.sign > 0 else (-high, -low)
        self.best: list[int] = []
        self.promising = self.legal[0]

    def run(self, want: Want) -> Solution:
        values: dict[int, int] | None = None
        complete = False
        try:
            self._find_value()
            if want == "best":
                self._find_all_best()
            elif want == "values":
                values = self._find_values()
                self.best = [move for move, value in values.items() if value == self.low]
            complete = True
        except _OutOfTimeError:
            pass
        best = self.best or [self.promising]
        return Solution(self.low, self.high, best, complete, values, self.nodes, time.perf_counter() - self.began)

    def _find_value(self) -> None:
        """Ask at the edge of what is possible, beginning in the middle, until the bounds meet."""
        target = (self.low + self.high + 1) // 2
        while self.low < self.high:
            bound = self._ask(target)
            move = int(self.arrays[0].frames[0]["best_move"])
            self.promising = move if move != NO_MOVE else self.promising
            if bound >= target:
                self.low, self.best = bound, [move]
                target = self.low + 1
            else:
                self.high = min(self.high, bound)
                target = max(self.high, self.low + 1)

    def _find_all_best(self) -> None:
        """Which of the other moves reach the value as well?"""
        for move in self.legal:
            if move not in self.best and self._ask(self.low, move) >= self.low:
                self.best.append(move)
        self.best.sort()

    def _find_values(self) -> dict[int, int]:
        return {move: self._value_of(move) for move in self.legal}

    def _value_of(self, move: int) -> int:
        """The first answer is mostly yes for a good move; for others it goes down step by step."""
        target = self.low
        while True:
            bound = self._ask(target, move)
            if bound >= target:
                return bound
            target = bound

    def _ask(self, target: int, move: int = -1) -> int:
        """A bound of the value (of the move): a lower one if it is at least target, else an upper one."""
        control = self.arrays[0].control[0]
        put_question(*self.arrays, target if self.sign > 0 else 1 - target, move)
        answered = False
        while not answered:
            before = int(control["nodes"])
            budget = min(_AT_ONCE, self.nodes_left)
            if budget <= 0 or (self.deadline is not None and time.perf_counter() >= self.deadline):
                raise _OutOfTimeError
            answered = bool(resume(*self.arrays, budget))
            if control["level"] < 0:
                raise _OutOfTimeError
            spent = int(control["nodes"]) - before
            self.nodes += spent
            self.nodes_left -= spent
        return self.sign * int(control["value"])
