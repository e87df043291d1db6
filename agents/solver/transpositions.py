"""The transposition table: of positions seen, proven bounds and the move to try first."""

from typing import Any, NamedTuple

import numpy as np

from casino_env.compiler.jit import kernel

_ROOM = 4  # places in which a position may be
_ZERO = 2048  # stands for a bound of 0
_FIELD = 4095
WORST = 1000  # beyond any difference of points
NO_MOVE = 255


class Transpositions(NamedTuple):
    keys: np.ndarray[Any, Any]
    entries: np.ndarray[Any, Any]  # bounds, move and effort in one number


def new_transpositions(megabytes: float) -> Transpositions:
    """As many entries as fit, a power of two."""
    entries = 1 << int(megabytes * 2**20 / 16).bit_length() - 1
    return Transpositions(np.zeros(entries, np.uint64), np.zeros(entries, np.int64))


@kernel
def _written(low, high, move, effort):
    return (low + _ZERO) | (high + _ZERO) << 12 | move << 24 | effort << 32


@kernel
def _read(entry):
    """(low, high, move, effort)"""
    return (entry & _FIELD) - _ZERO, (entry >> 12 & _FIELD) - _ZERO, entry >> 24 & 255, entry >> 32


@kernel
def find(table, key):
    """(low, high, move) known of a position; nothing is known without a move and within the worst bounds."""
    first = np.int64(key & np.uint64(table.keys.shape[0] - _ROOM))
    for i in range(first, first + _ROOM):
        if table.keys[i] == key:
            low, high, move, _ = _read(table.entries[i])
            return low, high, move
    return -WORST, WORST, NO_MOVE


@kernel
def _place_for(table, key):
    """The entry of the position, or the one that cost the least of those it may replace."""
    first = np.int64(key & np.uint64(table.keys.shape[0] - _ROOM))
    cheapest = 0
    for i in range(_ROOM):
        if table.keys[first + i] == key:
            return first + i
        if table.entries[first + i] >> 32 < table.entries[first + cheapest] >> 32:
            cheapest = i
    return first + cheapest


@kernel
def store(table, key, low, high, move, effort):
    """Keep what is known of a position; bounds that it had already are kept as well."""
    i = _place_for(table, key)
    if table.keys[i] == key:
        old_low, old_high, old_move, old_effort = _read(table.entries[i])
        low, high, effort = max(low, old_low), min(high, old_high), max(effort, old_effort)
        if move == NO_MOVE:
            move = old_move
    table.keys[i] = key
    table.entries[i] = _written(low, high, move, effort)
