"""Arrays of a checkpoint, checked before they take the place of a run's own: no number reaches a kernel unseen."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.arrays import Array
from casino_env.cards import CARDS

Arrays = Mapping[str, Array]
Bounds = Mapping[str, tuple[int, int]]  # the least and the most of an array's whole numbers


def by_prefix(arrays: Arrays) -> dict[str, dict[str, Array]]:
    """{"a.b": x} as {"a": {"b": x}}."""
    parts: dict[str, dict[str, Array]] = {}
    for name, array in arrays.items():
        prefix, _, rest = name.partition(".")
        parts.setdefault(prefix, {})[rest] = array
    return parts


def copy_checked(mine: Arrays, theirs: Arrays, bounds: Bounds | None = None) -> None:
    """Theirs into the places of mine; raises ValueError, and changes nothing, if they do not fit."""
    check_arrays(mine, theirs, bounds)
    for name, place in mine.items():
        place[...] = theirs[name]


def check_arrays(mine: Arrays, theirs: Arrays, bounds: Bounds | None = None) -> None:
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
            _check_bounds(name, found, *bounds[name])


def _check_bounds(name: str, found: Array, low: int, high: int) -> None:
    if found.size and not low <= int(found.min()) <= int(found.max()) <= high:
        raise ValueError(f"{name}: from {found.min()} to {found.max()}, not within {low} to {high}")


def check_legal(legal: Array) -> Array:
    """How many actions are legal in each row (action_set.py); raises ValueError for bits that are no actions."""
    for part in range(legal.shape[1]):
        _check_bounds("legal", legal[:, part], 0, 2 ** min(CARDS, ACTIONS - CARDS * part) - 1)
    bits = np.unpackbits(np.ascontiguousarray(legal).view(np.uint8).reshape(len(legal), -1), axis=1)
    counts: Array = bits.sum(axis=1, dtype=np.int64)
    return counts


# --- rollout buffers: rows of which each has a list of features ------------------------------------------------------


def pack_rows(buffer: Arrays) -> dict[str, Array]:
    """For a checkpoint, which depends on nothing but the run: lists of features only as long as the longest of them,
    with zeros beyond their ends, and in rows that a deal has not used."""
    if "used" in buffer:
        rows = len(buffer["counts"]) // len(buffer["used"])
        used = np.arange(len(buffer["counts"])) % rows < np.repeat(buffer["used"], rows)
        buffer = {
            name: (array.T * used).T.astype(array.dtype) if len(array) == len(used) else array
            for name, array in buffer.items()
        }
    length = np.arange(buffer["counts"].max(initial=0))
    within = length < buffer["counts"][:, None]
    return {**buffer, "indices": np.where(within, buffer["indices"][:, : len(length)], np.int16(0))}


def unpack_rows(arrays: Arrays, buffer: Arrays, features: int, bounds: Bounds) -> None:
    """Of what pack_rows has made; features: of the observation. Raises ValueError for what no games can have left."""
    lists = arrays.get("indices")
    if lists is None or lists.ndim != 2 or lists.shape[1] > buffer["indices"].shape[1]:
        raise ValueError("indices: no lists of features")
    mine = {**buffer, "indices": buffer["indices"][:, : lists.shape[1]]}
    check_arrays(mine, arrays, bounds)
    _check_bounds("indices", lists, 0, features - 1)
    _check_bounds("counts", arrays["counts"], 0, lists.shape[1])
    if "legal" in mine:
        chosen, many = arrays["chosen"], check_legal(arrays["legal"])
        if (chosen < 0).any() or (chosen >= many).any():
            raise ValueError("chosen: not among the legal actions")
    copy_checked(mine, arrays)
