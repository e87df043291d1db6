"""Points of a deal by category and seat, as plain data."""

from typing import Any

import numpy as np

from casino_env.engine import calls
from casino_env.engine.scoring import CATEGORIES
from casino_env.engine.state import rules_record
from casino_env.rules import Rules

# The categories that count only where a rule says so, and the rule; the others are aces.
_BY_RULE = {
    "cards": "cards_points",
    "spades": "spades_points",
    "five spades": "five_spades_points",
    "big ten": "big_points",
    "little two": "little_points",
    "jack of spades": "spade_cards",
    "other spades": "spade_cards",
    "sweeps": "sweeps",
}


def breakdown(records: np.ndarray[Any, Any], rules: Rules) -> dict[str, list[int]]:
    """Of the first record: final when the deal is over, else what is certain already. Partners share theirs."""
    table = np.zeros((len(CATEGORIES), rules.sides), np.int64)
    calls.points(records, rules_record(rules), table)
    by_seat = [[int(row[rules.side(seat)]) for seat in range(rules.players)] for row in table]
    return {name: row for name, row in zip(CATEGORIES, by_seat, strict=True) if _counts(rules, name) or any(row)}


def _counts(rules: Rules, category: str) -> bool:
    return bool(getattr(rules, _BY_RULE.get(category, "ace_points")))


def scores(points: dict[str, list[int]], rules: Rules) -> list[int]:
    """Of a breakdown: points by seat."""
    return [sum(row[seat] for row in points.values()) for seat in range(rules.players)]
