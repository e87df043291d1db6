"""The scripted bots as data: which rules of thumb each trusts (tactics.RULES), and how much.

The weights of counter come from matches against itself with weights changed at random, kept when they won.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents.tactics import HAND_RULES, OPEN_RULES, RULES, TABLE_RULES
from casino_env.rules import Rules

BOT = np.dtype(
    [(name, np.float64) for name in RULES]
    + [
        ("effort", np.int64),  # tables looked at for one action
        ("team", np.int64),  # 1: plays together with the partner
        ("blind", np.int64),  # 1: any legal action
        ("counts", np.int64),  # uses rules beyond what lies open
        ("looks", np.int64),  # uses rules about the table
        ("plans", np.int64),  # uses rules about the hand
    ],
    align=True,
)

Weights = dict[str, float]


@dataclass(frozen=True)
class Bot:
    """Its weights where builds are made of table cards and grow (the African games), and in the others."""

    african: Weights = field(default_factory=dict)
    cassino: Weights | None = None  # the same as african
    effort: int = 1
    team: bool = False
    blind: bool = False

    def weights(self, rules: Rules) -> Weights:
        return self.african if rules.table_builds or self.cassino is None else self.cassino


_GREEDY = dict(points=1.0, cards=1.0, spades=1.0)
_BUILDER = _GREEDY | dict(builds=0.9, high_builds=0.2, grow=0.5, rivals=0.9, chase=0.3, monopoly=0.1)
_COUNTER = _BUILDER | dict(
    risk=1.8, raises=0.9, feed=0.7, threat=0.6, loose=0.1, hopes=0.3, top=0.7, their_tops=0.3, last=1.0
)

BOTS: dict[str, Bot] = {
    "random": Bot(blind=True),
    "greedy": Bot(_GREEDY),
    "builder": Bot(_BUILDER, effort=2),
    "counter": Bot(_COUNTER, effort=8),
    "partner": Bot(_COUNTER | dict(mate=0.3), effort=8, team=True),
}


def bot_record(bot: Bot, rules: Rules) -> np.ndarray[Any, Any]:
    """A bot as an array of one record for the kernels."""
    record = np.zeros(1, BOT)
    weights = bot.weights(rules)
    for name, weight in weights.items():
        record[name] = weight
    record["effort"], record["team"], record["blind"] = bot.effort, bot.team, bot.blind
    record["counts"] = any(weights.get(name) for name in RULES if name not in OPEN_RULES)
    record["looks"] = any(weights.get(name) for name in TABLE_RULES)
    record["plans"] = any(weights.get(name) for name in HAND_RULES)
    return record
