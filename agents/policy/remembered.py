"""What looking ahead has found out of positions that come again: by other turns in another order, or when it looks
further. Two sides only."""

from typing import Any

import numpy as np

from casino_env.agents.solver.stakes import position_key, prospects
from casino_env.compiler.jit import kernel
from casino_env.engine.position_keys import mix
from casino_env.engine.state import IDLE

Array = np.ndarray[Any, Any]

NOTHING = -1
TO_THE_END = 1 << 20  # as far: everything was followed to the end of the deal
EXACT, LEAST, MOST = 0, 1, 2  # what a worth is: itself, or a bound of it
POSITION = np.dtype(
    [
        ("key", np.uint64),
        ("worth", np.float64),  # of side 0
        ("kind", np.int64),
        ("far", np.int64),  # that was looked, in parts of turns
        ("table", np.int64),  # the best of those that could be left, as they were listed
    ]
)


def new_memory(positions: int) -> Array:
    """positions: a power of two."""
    return np.zeros(positions, POSITION)


@kernel
def forget(memory):
    for i in range(memory.shape[0]):
        memory[i].key = 0


@kernel
def key_of(g, r, names):
    """Of a position at the beginning of a turn; 0: it has none."""
    if r.sides != 2 or r.count_out or g.mode != IDLE or g.acted:
        return np.uint64(0)
    safe, _, _, word = prospects(g, r)
    return mix(position_key(g, r, names, word), safe + 1000)


@kernel
def recall(memory, key):
    """Where the position is, or NOTHING."""
    i = np.int64(key & np.uint64(memory.shape[0] - 1))
    return i if key != 0 and memory[i].key == key else NOTHING


@kernel
def remember(memory, key, worth, low, high, far, table):
    """worth: what came of it between low and high; beyond them it is only a bound."""
    if key == 0:
        return
    p = memory[np.int64(key & np.uint64(memory.shape[0] - 1))]
    p.key, p.worth, p.far, p.table = key, worth, far, table
    p.kind = MOST if worth <= low else LEAST if worth >= high else EXACT


@kernel
def settles(p, low, high, far):
    """What is remembered answers for looking so far, asked for a worth between low and high."""
    if p.far < far:
        return False
    return p.kind == EXACT or (p.kind == LEAST and p.worth >= high) or (p.kind == MOST and p.worth <= low)
