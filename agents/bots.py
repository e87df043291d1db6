"""The scripted bots as data: which rules each trusts (tactics.RULES), and how much."""

import numpy as np

from agents.tactics import HAND_RULES, RULES, TABLE_RULES

BOT = np.dtype(
    [(name, np.float64) for name in RULES]
    + [
        ("effort", np.int64),  # tables looked at for one action
        ("team", np.int64),  # 1: plays together with the partner
        ("blind", np.int64),  # 1: any legal action
        ("looks", np.int64),  # uses rules about the table
        ("plans", np.int64),  # uses rules about the hand
    ],
    align=True,
)

_GREEDY = dict(points=1.0, cards=1.0, spades=1.0)
_BUILDER = _GREEDY | dict(builds=0.9, high_builds=0.2, grow=0.5, rivals=0.9, chase=0.3, monopoly=0.1, effort=4)
_COUNTER = _BUILDER | dict(
    risk=1.8, raises=0.9, feed=0.7, threat=0.6, loose=0.1, hopes=0.3, top=0.7, their_tops=0.3, last=1.0, effort=8
)

BOTS: dict[str, dict[str, float]] = {
    "random": dict(blind=1),
    "greedy": _GREEDY,
    "builder": _BUILDER,
    "counter": _COUNTER,
    "partner": _COUNTER | dict(team=1, mate=0.3),
}


def bot_record(rules: dict[str, float]) -> np.ndarray:
    """A bot as an array of one record."""
    record = np.zeros(1, BOT)
    record["effort"] = 4
    for name, weight in rules.items():
        record[name] = weight
    record["looks"] = any(rules.get(name) for name in TABLE_RULES)
    record["plans"] = any(rules.get(name) for name in HAND_RULES)
    return record
