"""What an agent would do in the person's place: how likely each move, what it expects, the turn it plans."""

from __future__ import annotations

from typing import Any

from agents.base import planned_turn
from agents.protocol.answers import answer, with_forced
from agents.registry import make_agent
from casino_env.actions import action_text
from casino_env.game import Game
from casino_env.notation import turn_text


def warm_up(spec: str) -> None:
    """One hint beforehand, so that nobody at the table waits for the compiler."""
    advice(Game("mini"), make_agent(spec))


def advice(game: Game, agent: Any) -> dict[str, Any]:
    """For the seat that decides; the agent sees what this seat may know."""
    choice = Game.from_bytes(game.to_bytes(), game.rules)  # here forced actions are played by the game
    found = answer(agent, choice)
    turn = _turn_from(agent, choice, found.action)
    return {
        "value": found.value,
        "turn": turn_text(choice.records, choice.rules_record, turn),
        "plan": [action_text(action) for action in turn],
        "likely": {action_text(action): round(share, 4) for action, share in found.probabilities.items()},
    }


def _turn_from(agent: Any, game: Game, first: int) -> list[int]:
    """The first action with what the agent would let follow in the same turn, forced actions too."""
    ahead, seat = game.clone(), game.seat
    ahead.apply(first)
    same = not ahead.over and ahead.seat == seat and bool(ahead.record["acted"])
    return with_forced(game, [first, *(planned_turn(agent, ahead) if same else [])])
