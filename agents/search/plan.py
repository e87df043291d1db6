"""The rest of a turn that has been thought through: it is played without thinking again, if all comes as expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.agents.base import Analysis
from casino_env.engine.action_set import actions_of
from casino_env.engine.entrypoints import act, legal
from casino_env.observed import Observed
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]


class Plan:
    """By what the seat will see, what it then plays."""

    def __init__(self) -> None:
        self._steps: dict[tuple[Rules, bytes], Analysis] = {}

    def forget(self) -> None:
        self._steps.clear()

    def find(self, observation: Observed) -> Analysis | None:
        return self._steps.get((observation.rules, observation.view.tobytes()))

    def remember(self, observation: Observed, rules: Array, steps: list[Analysis]) -> None:
        """What a seat plays one after the other, the first of it now."""
        self.forget()
        view, seat = observation.view.copy(), observation.seat
        for step in steps:
            if view["actor"][0] != seat or step.action not in actions_of(legal(view, rules)):
                return
            self._steps[observation.rules, view.tobytes()] = step
            act(view, rules, step.action)
