"""The exact values of complete turns, where no card is hidden from a seat and there are two sides."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence

import numpy as np

from casino_env.agents.solver.solved_agent import cards_within
from casino_env.agents.solver.solver import Solution, Solver
from casino_env.arrays import Array
from casino_env.engine.entrypoints import act
from casino_env.engine.state import OVER, rules_record
from casino_env.game import unchecked_game
from casino_env.observed import Observed, sample_determinizations
from casino_env.rules import Rules
from casino_env.turns import may_do

SOLVER_MB, ORDERS = 16, 4  # orders: of piles of which the seat does not know it; all must come to the same


class TurnSolver:
    """The workspace of one game, for one thread."""

    def __init__(self, rules: Rules) -> None:
        self._rules, self._record, self._solver = rules, rules_record(rules), Solver(SOLVER_MB)

    def solve(
        self, observed: Observed, turns: Sequence[Sequence[int]], order: Sequence[int], asked: int, seconds: float
    ) -> Array | None:
        """The values of turns, in the order in which they are wanted; NaN where the time was too short. None if it was
        too short for the position, for as many as are asked for or for a best one."""
        view, until, rules = observed.view[0], clock.monotonic() + seconds, self._rules
        if observed.hidden or rules.sides != 2 or rules.count_out or seconds <= 0.0:
            return None
        if max(int(hand).bit_count() for hand in view["hands"]) > cards_within(seconds):
            return None
        found = []
        for game in sample_determinizations(observed, ORDERS if view["shuffled"] else 1, np.random.default_rng(0)):
            values = self._solve_turns(np.array([game]), observed.seat, turns, order, asked, until)
            if values is None:
                return None
            found.append(values)
        same = all((np.isnan(each) | np.isnan(found[0]) | (each == found[0])).all() for each in found)
        return found[0] + 0.0 * np.sum(found, axis=0) if same else None

    def _solve_turns(
        self,
        game: Array,
        seat: int,
        turns: Sequence[Sequence[int]],
        order: Sequence[int],
        asked: int,
        until: float,
    ) -> Array | None:
        game["match"] = 0  # the deal at hand is what counts
        top = self._solution(game, until)
        if not top.exact:
            return None
        values, best = np.full(len(turns), np.nan), -np.inf
        promising = sorted(order[asked:], key=lambda k: turns[k][0] not in top.best)
        for number, k in enumerate([*order[:asked], *promising]):
            values[k] = self._value_after(game, seat, turns[k], until)
            if np.isnan(values[k]) and (number < asked or best < top.value):
                return None
            best = max(best, values[k]) if not np.isnan(values[k]) else best
        return values

    def _value_after(self, game: Array, seat: int, turn: Sequence[int], until: float) -> float:
        """What a turn is worth to the side of its seat; NaN if that is not found in time."""
        here, side = game.copy(), self._rules.side(seat)
        for action in turn:
            if action in may_do(here, self._record, seat):
                act(here, self._record, action)
        if here["mode"][0] == OVER:
            return float(here["deal_points"][0, side]) - float(here["deal_points"][0, 1 - side])
        found = self._solution(here, until)
        sign = 1.0 if self._rules.side(int(here["actor"][0])) == side else -1.0
        return sign * found.value if found.exact else float("nan")

    def _solution(self, here: Array, until: float) -> Solution:
        seconds = max(0.0, until - clock.monotonic())
        return self._solver.solve(unchecked_game(here[0], self._rules), seconds=seconds, want="value")
