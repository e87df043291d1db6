"""What the judge of reviews, or an agent, would do in the person's place: how likely each move, what it expects, the
turn it plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from casino_env.actions import END, action_text
from casino_env.agents.advise import SECONDS, advise
from casino_env.agents.base import planned_turn
from casino_env.agents.protocol.analysis import answer, with_forced
from casino_env.beliefs import done_since, has_learnt
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.play.moves import moves, turn_words
from casino_env.play.names import Names


def advice(game: Game, agent: Any, names: Names) -> dict[str, Any]:
    """For the seat that decides; the agent sees what this seat may know."""
    choice = with_forced_played(game)
    found = answer(agent, choice)
    turn = _turn_from(agent, choice, found.action)
    return {
        "value": found.value,
        "turn": turn_words(choice, turn, names),
        "plan": [action_text(action) for action in turn],
        "likely": {action_text(action): round(share, 4) for action, share in found.probabilities.items()},
        "words": _in_words(game, list(found.probabilities), names),
    }


def judged(game: Game, names: Names, seconds: float = SECONDS) -> dict[str, Any]:
    """The same by the judge: hints that no review blames."""
    found = advise(observe(game), seconds=seconds)
    best, likely = found.turns[0], dict[int, float]()
    for turn in found.turns:
        likely[turn.actions[0]] = likely.get(turn.actions[0], 0.0) + turn.chance
    plan = played_of(game, best.actions)
    return {
        "value": best.value,
        "turn": turn_words(game, plan, names),
        "plan": [action_text(action) for action in plan],
        "likely": {action_text(action): round(share, 4) for action, share in likely.items()},
        "words": _in_words(game, list(likely), names),
    }


def played_of(game: Game, turn: Sequence[int]) -> list[int]:
    """The turn as far as it is allowed in the game, and nothing that only now comes to light is made use of."""
    ahead, played = game.clone(), list[int]()
    ahead.skip_forced = False
    for action in turn:
        if ahead.over or ahead.seat != game.seat or action not in ahead.legal():
            break
        played.append(action)
        if action == END or has_learnt(game, played, game.seat):
            break
        ahead.apply(action)
    return played


def with_forced_played(game: Game) -> Game:
    """The same game, which plays forced actions by itself."""
    return Game.from_bytes(game.to_bytes(), game.rules)


def _in_words(game: Game, actions: list[int], names: Names) -> dict[str, str]:
    """An action that one move alone begins with is told by that move."""
    begun: dict[str, list[str]] = {}
    for move in moves(game, names):
        begun.setdefault(move.actions[0], []).append(move.text)
    texts = {action: begun.get(action_text(action), []) for action in actions}
    return {
        action_text(action): found[0] if len(found) == 1 else turn_words(game, [action], names)
        for action, found in texts.items()
    }


def _turn_from(agent: Any, game: Game, first: int) -> list[int]:
    """The first action with what the agent would let follow in the same turn, forced actions too."""
    ahead, seat = game.clone(), game.seat
    ahead.apply(first)
    same = not ahead.over and ahead.seat == seat and bool(ahead.record["acted"])
    same = same and not has_learnt(game, done_since(game, ahead), seat)
    return with_forced(game, [first, *(planned_turn(agent, ahead) if same else [])])
