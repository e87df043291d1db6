"""Whom a person can play against: levels for each game, and every agent in a line of words."""

from __future__ import annotations

from functools import cache
from typing import Any

from casino_env.agents.policy.shipped import learners
from casino_env.agents.registry import AGENTS, ladder
from casino_env.play.names import agent_title
from casino_env.presets import PRESETS
from casino_env.rules import Rules, make_rules, player_counts

_LEARNT = {
    "easy": "learnt this game, and is careless",
    "medium": "learnt this game, and slips now and then",
    "": "learnt this game by playing it against itself",
}
LEVELS = ("Easy", "Medium", "Strong", "Strongest")
_THINKING = "strongest:time=2"

_learners = cache(learners)


def levels(rules: Rules) -> list[str]:
    """The specs of the four levels of a game; where only a best policy has learnt it, bots stand below."""
    bots, trained = ladder(partners=rules.partners), _learners().get(rules)
    if not trained:
        return [*bots[1:3], bots[-1], _THINKING]
    best = trained[0]
    below = [f"{best}-easy", f"{best}-medium"]
    if not set(below) <= set(trained):
        below = [bots[2], bots[-1]]
    return [*below, best, _THINKING]


def offers(specs: tuple[str, ...]) -> dict[str, Any]:
    """What a page may offer: the four levels of every game, and every agent in words."""
    rows = {f"{name} {count}": levels(make_rules(name, count)) for name in PRESETS for count in player_counts(name)}
    known = dict.fromkeys([*specs, *(spec for row in rows.values() for spec in row)])
    return {"levels": rows, "about": {spec: introduce(spec) for spec in known}}


def line(spec: str) -> str:
    """What an agent is like."""
    head, _, rest = spec.partition(":")
    if head != "policy":
        return AGENTS[head].line if head in AGENTS else spec
    tail = rest.rpartition("-")[2]
    return _LEARNT.get(tail, _LEARNT[""])


def introduce(spec: str) -> dict[str, str]:
    """An agent as a page shows it."""
    seconds = f" ({spec.partition('time=')[2].partition(',')[0]} s a move)" if "time=" in spec else ""
    return {"agent": spec, "title": agent_title(spec), "line": line(spec) + seconds}
