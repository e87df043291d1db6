"""What the other seats did since cards were last dealt, as the own seat has seen it."""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.agents.search.weighing import Turns
from casino_env.engine.state import GAME, SEATS
from casino_env.observed import Observed
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]

_MOST = 52  # turns of others in a deal: each lays a card


class Past:
    """The turns of others since cards were last dealt, as far as the seat has looked at the table before and after
    them. With two it does so in its own turns; with more it has to watch."""

    def __init__(self) -> None:
        self._left, self._came = np.zeros(_MOST, GAME), np.zeros(_MOST, GAME)
        self._last = np.zeros(1, GAME)  # the beginning of the turn that was seen last
        self._meant = False  # it is not what was seen then, but what this seat meant to leave
        self._rules: Rules | None = None
        self._seat = -1
        self._count = 0

    def forget(self) -> None:
        self._seat, self._count = -1, 0

    @property
    def turns(self) -> Turns:
        left, came, laid = self._left[: self._count], self._came[: self._count], np.zeros(self._count, np.int64)
        by_seat = [0] * SEATS
        for k in reversed(range(self._count)):
            seat = int(left["to_move"][k])
            by_seat[seat] |= _on_table(came[k]) & ~_on_table(left[k])
            laid[k] = by_seat[seat]
        return Turns(left, came, laid)

    def look(self, observation: Observed) -> None:
        """The seat sees the table: before decisions of its own, and of others if it watches them."""
        last, now, seat = self._last[0], observation.view[0], observation.seat
        if observation.rules != self._rules or seat != self._seat or not _goes_on(last, now):
            self.forget()
            self._rules, self._seat = observation.rules, seat
        elif now["actor"] != now["to_move"] or (now["turns"] == last["turns"] and not self._meant):
            return  # in the middle of a turn
        elif last["to_move"] != seat and _is_next(last, now, seat) and self._count < _MOST:
            self._left[self._count], self._came[self._count] = last, now
            self._count += 1
        self._last[0], self._meant = now, False

    def leave(self, observation: Observed, table: Array) -> None:
        """The seat will leave this table, if all comes as expected; until it sees what it has left."""
        if observation.view["actor"] == observation.view["to_move"]:
            self._last[0], self._meant = table, True


def _goes_on(last: Any, now: Any) -> bool:
    """It is the same game, and nothing has been dealt: what has been seen is seen still."""
    dealt = last["deals"] != now["deals"] or last["hidden_stock"] != now["hidden_stock"]
    return not (dealt or _seen(last) & ~_seen(now))


def _on_table(view: Any) -> int:
    """The cards that have been laid down, as far as their place is known."""
    return int(np.bitwise_or.reduce(np.hstack([view["piles"], view["build_cards"], view["layout"]])))


def _seen(view: Any) -> int:
    """The cards whose place is known."""
    return int(np.bitwise_or.reduce(view["hands"])) | _on_table(view)


def _is_next(last: Any, now: Any, seat: int) -> bool:
    """Of the seat that was to move one turn has been seen from its beginning to its end, as far as that can be told:
    who asks for advice may have done something else than was advised."""
    other = int(last["to_move"])
    left = last["hands"][seat] == now["hands"][seat]
    return bool(left and now["turns"] == last["turns"] + 1 and _held(now, other) == _held(last, other) - 1)


def _held(view: Any, seat: int) -> int:
    """The cards in a hand."""
    return int(view["hands"][seat]).bit_count() + int(view["hidden_hand"][seat])
