"""Room for looking ahead: a turn on each level, and where the search stands."""

from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.policy.mlp import Shape
from casino_env.agents.policy.remembered import new_memory
from casino_env.agents.policy.tables import Judged, new_judged
from casino_env.agents.solver.last_cards import LastCards, new_last_cards
from casino_env.compiler.jit import kernel
from casino_env.engine.afterstates import DEPTH, MOST, Afterstates
from casino_env.engine.state import GAME, SEATS

Array = np.ndarray[Any, Any]

_POSITIONS = 1024  # remembered in one search

# Of each turn that is looked at, by level: where it stands.
FRAME = np.dtype(
    [
        ("side", np.int64),  # that decides
        ("found", np.int64),  # tables that it can leave
        ("tried", np.int64),  # of them
        ("now", np.int64),  # the one that is being looked at
        ("best", np.float64, SEATS),  # by side, what it comes to
        ("low", np.float64),  # of two sides: what side 0 is sure of above
        ("high", np.float64),  # and what the other allows it
        ("key", np.uint64),  # of the position that is decided in (remembered.py)
        ("lowest", np.float64),  # low and high when it began
        ("highest", np.float64),
        ("opened", np.int64),  # open tables of the whole search before that
        ("choice", np.int64),  # the best table
        ("far", np.int64),  # how far to look from here, the turn itself included
        ("top", np.float64),  # the most that a table is judged to be worth
        ("known", np.int64),  # the table that was best before, or NOTHING
    ]
)
# The search as a whole.
STATE = np.dtype(
    [
        ("level", np.int64),  # that is being looked at
        ("listings", np.int64),  # seats whose turns have been listed
        ("open", np.int64),  # tables that were judged before the deal was over
        ("chosen", np.int64),  # the best table of the root so far
        ("spare", np.float64),  # how much less than it others of the root may be worth and still be told exactly
    ]
)


class Levels(NamedTuple):
    """Room for a turn on each level, as in Judged."""

    state: Array
    frames: Array
    boards: Array
    tables: Array
    walks: Array
    indices: Array
    counts: Array
    values: Array
    worth: Array
    left: Array  # [level, table]: its worth as long as it has not been tried
    memory: Array  # of positions (remembered.py)
    judged: Judged  # of tables that are not followed; the rest of this room serves all levels
    last: LastCards


def new_levels(rules: Array, shape: Shape, features: int, turns: int, memory: int = _POSITIONS) -> Levels:
    """memory: of so many positions, a power of two."""
    judged = new_judged(rules, shape, features)
    walks = np.repeat(judged.outcomes.walk, turns)
    return Levels(
        np.zeros(1, STATE), np.zeros(turns, FRAME), np.zeros((turns, DEPTH + 1), GAME), np.zeros((turns, MOST), GAME),
        walks, np.zeros((turns, MOST, features), np.int16), np.zeros((turns, MOST), np.int64),
        np.zeros((turns, MOST, SEATS), np.float32), np.zeros((turns, MOST)), np.zeros((turns, MOST)),
        new_memory(memory), judged, new_last_cards(rules),
    )  # fmt: skip


@kernel
def room_of(levels, level):
    """The room of a level."""
    rest = levels.judged
    outcomes = Afterstates(levels.boards[level], levels.tables[level], levels.walks[level : level + 1])
    return Judged(
        outcomes, levels.indices[level], levels.counts[level], levels.values[level], levels.worth[level], rest.chances,
        rest.thought, rest.changes,
    )  # fmt: skip
