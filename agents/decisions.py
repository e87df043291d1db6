"""What agents that decide in many games at once are asked, and where they answer."""

from typing import NamedTuple

from casino_env.compiler.types import I64, F64x2, I64x2
from casino_env.engine.state import Records


class Decisions(NamedTuple):
    """Games of the same rules in which somebody decides, and where the answers go."""

    views: Records  # a record each, as the seat that decides sees it
    seats: I64
    legal: I64x2  # legal actions of each
    actions: I64  # -1 where none is legal
    chances: F64x2  # [game, action]; where it has rows they are filled in place of actions, and nothing is drawn
