"""Complete turns in words, and how likely an agent plays each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from casino_env.actions import action_text
from casino_env.agents.base import Agent, analysis_of
from casino_env.game import Game
from casino_env.notation import turn_text
from casino_env.observed import observe
from casino_env.turns import TooManyTurnsError, result_key, results_of

_DECISIONS = 40  # that an agent is asked for to answer once: the likeliest ways first
_LEAST = 0.001  # ways less likely than this are not followed


@dataclass(frozen=True)
class Turn:
    actions: list[int]
    chance: float = 0.0


def turns_of(game: Game) -> list[Turn]:
    """Every legal complete turn; raises TooManyTurnsError."""
    return [Turn(actions) for _, actions in results_of(game).values()]


def chances_of(agent: Agent, game: Game, memory: str) -> list[Turn]:
    """The legal turns, the likeliest first; on a table with too many those alone that the agent may play."""
    liked = _followed(agent, game, memory)
    try:
        known = {key: Turn(actions) for key, (_, actions) in results_of(game).items()}
    except TooManyTurnsError:
        known = {}
    return sorted((known | liked).values(), key=lambda turn: -turn.chance)


def as_data(game: Game, turn: Turn) -> dict[str, Any]:
    words = turn_text(game.records, game.rules_record, turn.actions)
    return {"text": words, "actions": [action_text(action) for action in turn.actions]}


@dataclass(frozen=True)
class _Way:
    """A turn as far as it has been followed."""

    game: Game
    actions: list[int]
    chance: float


def _followed(agent: Agent, game: Game, memory: str) -> dict[Hashable, Turn]:
    """By result: how likely the agent's own actions lead there, until somebody else decides or the turn is over."""
    ahead = game.clone()
    ahead.skip_forced = False  # what follows by itself belongs to the turn, but not what the next seat is forced to
    begun, ways, asked = _moment(game), [_Way(ahead, [], 1.0)], 0
    found: dict[Hashable, Turn] = {}
    while ways and asked < _DECISIONS:
        way = max(ways, key=lambda each: each.chance)
        ways.remove(way)
        if _moment(way.game) != begun:
            key = result_key(way.game.records, game.rules)
            before = found.get(key, Turn(way.actions))
            found[key] = Turn(before.actions, before.chance + way.chance)
            continue
        asked += len(way.game.legal()) > 1
        ways += _branches(agent, way, memory)
    return found


def _moment(game: Game) -> tuple[int, ...]:
    """Who decides, and in which turn."""
    return game.seat, game.over, int(game.record["turns"]), int(game.record["deals"])


def _branches(agent: Agent, way: _Way, memory: str) -> list[_Way]:
    legal = way.game.legal()
    if len(legal) == 1:
        return [_after(way, legal[0], 1.0)]
    chances = analysis_of(agent, observe(way.game, memory=memory)).chances
    return [_after(way, action, float(chances[action])) for action in legal if way.chance * chances[action] >= _LEAST]


def _after(way: _Way, action: int, chance: float) -> _Way:
    game = way.game.clone()
    game.apply(action)
    return _Way(game, [*way.actions, action], way.chance * chance)
