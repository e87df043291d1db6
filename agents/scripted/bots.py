"""The scripted bots as data: which rules of thumb each uses (tactics.RULES), with what weight.

The weights of counter were tuned by hill climbing: matches against itself with random changes, kept when they won.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from casino_env.agents.scripted.tactics import COUNTED, HAND, RULES, SURVEY
from casino_env.arrays import Array
from casino_env.compiler.types import Elements
from casino_env.rules import Rules

BOT = np.dtype(
    [(name, np.float64) for name in RULES]
    + [
        ("effort", np.int64),  # positions judged per action
        ("team", np.int64),  # 1: plays with its partner
        ("blind", np.int64),  # 1: plays a random legal action
        ("counts", np.int64),  # uses rules that count cards
        ("looks", np.int64),  # uses rules about the table
        ("plans", np.int64),  # uses rules about the hand
    ],
    align=True,
)
BotRows = Annotated[Array, Elements(BOT)]
NO_BOT = np.zeros(0, BOT)

Weights = dict[str, float]


@dataclass(frozen=True)
class Bot:
    """Weights for the African games, in which builds are made of table cards and grow, and for the other games."""

    african: Weights = field(default_factory=dict)
    cassino: Weights | None = None  # None: the same as african
    effort: int = 1
    team: bool = False
    blind: bool = False

    def weights(self, rules: Rules) -> Weights:
        return self.african if rules.table_builds or self.cassino is None else self.cassino


_GREEDY = dict(points=1.0, cards=1.0, spades=1.0)
_BEGINNER = dict(points=1.0, cards=1.0, spades=1.0, builds=0.5)
_BUILDER = dict(
    points=0.6, cards=1.0, spades=0.3,
    builds=1.2, risk=2.2, high_builds=0.2, monopoly=0.2, grow=0.3, rivals=0.4,
)  # fmt: skip
# Where builds grow, points are better kept in hand and builds than captured early, so `points` has a low weight.
_COUNTER_AFRICAN = dict(
    points=0.3, cards=0.1, spades=0.5, late=0.8, last=0.3,
    builds=1.7, risk=1.8, raises=1.3, high_builds=0.3, grow=0.5, rivals=0.6, chase=0.75, feed=0.8,
    threat=1.2, loose=0.2, top=1.2, their_tops=0.3, options=0.15, keep_points=1.0, keep_high=0.2,
)  # fmt: skip
_COUNTER_CASSINO = dict(
    points=1.0, cards=0.6, spades=0.2, last=0.2,
    builds=0.9, risk=1.8, raises=0.25, grow=0.3, chase=0.2,
    threat=0.8, loose=0.1, hopes=0.1, top=2.3, their_tops=0.4, keep_high=0.1,
)  # fmt: skip
_PARTNER = dict(mate=0.7, drift=1.0, their_tops=0.5, keep_high=0.5, high_builds=0.45)

BOTS: dict[str, Bot] = {
    "random": Bot(blind=True),
    "greedy": Bot(_GREEDY),
    "beginner": Bot(_BEGINNER),
    "builder": Bot(_BUILDER, effort=2),
    "counter": Bot(_COUNTER_AFRICAN, _COUNTER_CASSINO, effort=8),
    "partner": Bot(_COUNTER_AFRICAN | _PARTNER, _COUNTER_CASSINO | dict(mate=0.4), effort=8, team=True),
}


def bot_record(bot: Bot, rules: Rules) -> Array:
    """A bot as an array of one record for kernels."""
    record = np.zeros(1, BOT)
    weights = bot.weights(rules)
    for name, weight in weights.items():
        record[name] = weight
    record["effort"], record["team"], record["blind"] = bot.effort, bot.team, bot.blind
    needs = {RULES[name][0] for name, weight in weights.items() if weight}
    record["counts"], record["looks"], record["plans"] = bool(needs & {COUNTED, SURVEY}), SURVEY in needs, HAND in needs
    return record
