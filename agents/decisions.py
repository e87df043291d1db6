"""A batch of decisions: the games, and arrays for the answers of agents."""

from typing import NamedTuple

from casino_env.compiler.types import I64, F64x2, I64x2
from casino_env.engine.state import Records


class Decisions(NamedTuple):
    """Decisions in games of the same rules, and arrays for the answers."""

    views: Records  # [game]: view of the seat that decides
    seats: I64
    legal: I64x2  # [game, 4]: legal actions (engine/action_set.py)
    actions: I64  # [game]: the answers; -1 where none is legal
    chances: F64x2  # [game, action]; if it has rows, they are filled instead of actions, and nothing is drawn
