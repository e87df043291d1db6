"""The rest of a turn that has been thought through: it is played without thinking again, if all comes as expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.base import Analysis, equally
from casino_env.engine.calls import act, legal
from casino_env.engine.choices import actions_of
from casino_env.observed import Observed

Array = np.ndarray[Any, Any]


class Plan:
    """By what the seat will see, what it then plays."""

    def __init__(self) -> None:
        self._steps: dict[bytes, Analysis] = {}

    def forget(self) -> None:
        self._steps.clear()

    def find(self, observation: Observed) -> Analysis | None:
        return self._steps.get(observation.view.tobytes())

    def remember(self, observation: Observed, rules: Array, actions: list[int], value: float) -> None:
        """Actions that a seat plays one after the other, the first of them now, and what it expects of them."""
        self.forget()
        view, seat = observation.view.copy(), observation.seat
        for action in actions:
            if view["actor"][0] != seat or action not in actions_of(legal(view, rules)):
                return
            self._steps[view.tobytes()] = Analysis(action, equally([action]), value, {action: value})
            act(view, rules, action)
