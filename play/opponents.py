"""Whom a person can play against: four levels for each game."""

from __future__ import annotations

from functools import cache

from casino_env.agents.policy.shipped import learners
from casino_env.agents.registry import ladder
from casino_env.rules import Rules

LEVELS = ("easy", "medium", "strong", "strongest")
_THINKING = "strongest:time=2"

_learners = cache(learners)


def levels(rules: Rules) -> list[str]:
    """The specs of the four levels of a game; where only a best policy has learnt it, bots stand below."""
    last, trained = ladder(rules)[-1], _learners().get(rules)
    if not trained:
        return ["greedy", "builder", last, _THINKING]
    best = trained[0]
    below = [f"{best}-easy", f"{best}-medium"]
    if not set(below) <= set(trained):
        below = ["builder", last]
    return [*below, best, _THINKING]
