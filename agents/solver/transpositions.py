"""The table of positions seen: proven bounds and the move to try first."""

import numpy as np

from casino_env.engine.jit import kernel

_ROOM = 4  # places in which a position may be
_ZERO = 2048  # stands for a bound of 0
_FIELD = 4095
WORST = 1000  # beyond any difference of points


@kernel
def pack(low, high, move, effort):
    return (low + _ZERO) | (high + _ZERO) << 12 | move << 24 | effort << 32


@kernel
def unpack(entry):
    """(low, high, move, effort)"""
    return (entry & _FIELD) - _ZERO, (entry >> 12 & _FIELD) - _ZERO, entry >> 24 & 255, entry >> 32


@kernel
def find(keys, key):
    """Index of the position, or -1."""
    first = np.int64(key & np.uint64(keys.shape[0] - _ROOM))
    for i in range(first, first + _ROOM):
        if keys[i] == key:
            return i
    return -1


@kernel
def place_for(keys, entries, key):
    """The entry of the position, or the one that cost the least of those it may replace."""
    first = np.int64(key & np.uint64(keys.shape[0] - _ROOM))
    cheapest = 0
    for i in range(_ROOM):
        if keys[first + i] == key:
            return first + i
        if entries[first + i] >> 32 < entries[first + cheapest] >> 32:
            cheapest = i
    return first + cheapest


@kernel
def store(keys, entries, key, low, high, move, effort):
    """Keep what is known of a position; bounds that it had already are kept as well."""
    i = place_for(keys, entries, key)
    if keys[i] == key:
        old_low, old_high, old_move, old_effort = unpack(entries[i])
        low, high, effort = max(low, old_low), min(high, old_high), max(effort, old_effort)
        if move == 255:
            move = old_move
    keys[i] = key
    entries[i] = pack(low, high, move, effort)
