"""What the other of two players did since cards were last dealt, as the own seat has seen it."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.search.weighing import Turns
from casino_env.engine.state import GAME
from casino_env.observed import Observed
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]

_MOST = 32  # turns of the other in a deal: no preset has more


class Past:
    """The turns of the other since cards were last dealt; nothing with more than two seats, whose turns follow each
    other unseen."""

    def __init__(self) -> None:
        self._turns = Turns(np.zeros(_MOST, GAME), np.zeros(_MOST, GAME))
        self._mine = np.zeros(1, GAME)  # the table that this seat left last
        self._rules: Rules | None = None
        self._seat = -1
        self._count = 0

    def forget(self) -> None:
        self._seat, self._count = -1, 0

    @property
    def turns(self) -> Turns:
        return Turns(self._turns.left[: self._count], self._turns.came[: self._count])

    def look(self, observation: Observed) -> None:
        """The seat sees what the other has done."""
        mine, now, seat, rules = self._mine[0], observation.view[0], observation.seat, observation.rules
        if rules.players != 2 or rules != self._rules or seat != self._seat or not _goes_on(mine, now):
            self.forget()
            self._rules = rules
        elif _is_next(mine, now, seat) and self._count < _MOST:
            self._turns.left[self._count], self._turns.came[self._count] = mine, now
            self._count += 1

    def leave(self, seat: int, table: Array) -> None:
        """The seat will leave this table, if all comes as expected."""
        self._seat = seat
        self._mine[0] = table


def _goes_on(mine: Any, now: Any) -> bool:
    """It is the same game, and nothing has been dealt: what has been seen is seen still."""
    dealt = mine["deals"] != now["deals"] or mine["hidden_stock"] != now["hidden_stock"]
    return not (dealt or _seen(mine) & ~_seen(now))


def _seen(view: Any) -> int:
    """The cards whose place is known."""
    places = [view["hands"], view["piles"], view["build_cards"], view["layout"]]
    return int(np.bitwise_or.reduce(np.hstack(places)))


def _is_next(mine: Any, now: Any, seat: int) -> bool:
    """The other has had its turn at the table that the seat meant to leave, as far as that can be told."""
    left = mine["hands"][seat] == now["hands"][seat]  # whoever asks for advice may have done something else
    return bool(left and now["turns"] == mine["turns"] + 1 and _held(now, 1 - seat) == _held(mine, 1 - seat) - 1)


def _held(view: Any, seat: int) -> int:
    """The cards in a hand."""
    return int(view["hands"][seat]).bit_count() + int(view["hidden_hand"][seat])
