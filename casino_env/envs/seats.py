"""Seats as programs give them, one for each game of a batch: kernels read whatever lies where they are told to look."""

from typing import Any

import numpy as np

from casino_env.envs.batch import first_beyond

Array = np.ndarray[Any, Any]


def checked_seats(seats: Any, games: int, players: int) -> Array:
    """As kernels want them; raises ValueError."""
    given = np.asarray(seats)
    if given.shape != (games,) or given.dtype.kind not in "iu":
        raise ValueError(f"seats must be {games} whole numbers, not {given.dtype} of shape {given.shape}")
    checked: Array = np.ascontiguousarray(given, np.int64)
    wrong = first_beyond(checked, players)
    if wrong >= 0:
        raise ValueError(f"seat {given[wrong]} in game {wrong}; it must be 0 to {players - 1}")
    return checked
