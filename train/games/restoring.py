"""What a checkpoint holds, proven before it takes the place of a run's own: no number of it reaches a kernel unseen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.cards import CARDS

Array = np.ndarray[Any, Any]
Bounds = Mapping[str, tuple[int, int]]  # the least and the most of an array's whole numbers

_MOST = 2**62


def prove_arrays(mine: Mapping[str, Array], theirs: Mapping[str, Array], bounds: Bounds | None = None) -> None:
    """Raises ValueError unless theirs have the names, shapes and types of mine, and numbers that can be."""
    for name, place in mine.items():
        if name not in theirs:
            raise ValueError(f"{name} is missing")
        found = theirs[name]
        if (found.shape, found.dtype) != (place.shape, place.dtype):
            raise ValueError(f"{name}: {found.dtype} of {found.shape}, not {place.dtype} of {place.shape}")
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            raise ValueError(f"{name}: not all of it are numbers")
        if found.dtype.kind == "b" and (found.view(np.uint8) > 1).any():
            raise ValueError(f"{name}: neither true nor false")
        if bounds and name in bounds:
            _prove_bounds(name, found, *bounds[name])


def _prove_bounds(name: str, found: Array, low: int, high: int) -> None:
    if found.size and not low <= int(found.min()) <= int(found.max()) <= high:
        raise ValueError(f"{name}: from {found.min()} to {found.max()}, not within {low} to {high}")


def put(mine: Mapping[str, Array], theirs: Mapping[str, Array], bounds: Bounds | None = None) -> None:
    """Theirs into the places of mine; raises ValueError, and changes nothing, if they do not fit."""
    prove_arrays(mine, theirs, bounds)
    for name, place in mine.items():
        place[...] = theirs[name]


def prove_legal(legal: Array) -> Array:
    """How many actions are legal in each row (choices.py); raises ValueError for bits that are no actions."""
    parts = legal.shape[1]
    for part in range(parts):
        most = min(CARDS, ACTIONS - CARDS * part)
        _prove_bounds("legal", legal[:, part], 0, 2**most - 1)
    bits = np.unpackbits(np.ascontiguousarray(legal).view(np.uint8).reshape(len(legal), -1), axis=1)
    counts: Array = bits.sum(axis=1, dtype=np.int64)
    return counts


def prove_lists(rows: Mapping[str, Array], features: int) -> None:
    """Lists of features, of so many that there are; raises ValueError."""
    _prove_bounds("indices", rows["indices"], 0, features - 1)
    _prove_bounds("counts", rows["counts"], 0, rows["indices"].shape[1])


def prove_decisions(rows: Mapping[str, Array]) -> None:
    """Rows of decisions, as buffers have them; raises ValueError for what no seat can have done."""
    many, chosen = prove_legal(rows["legal"]), rows["chosen"]
    if (chosen < 0).any() or (chosen >= many).any():
        raise ValueError("chosen: not among the legal actions")


def whole_number(counters: Mapping[str, Any], name: str) -> int:
    """A count; raises ValueError."""
    found = counters.get(name)
    if type(found) is not int or not 0 <= found < _MOST:
        raise ValueError(f"{name} = {found!r}; it must be a whole number")
    return found
