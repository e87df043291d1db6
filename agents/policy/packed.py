"""Weights in little room: the first layer in eight bits and without the features that were never seen, the rest halved.

Nearly all weights are those of the first layer, a row for each feature. A row is kept as whole numbers from -127 to 127
and one scale; rows of zeros are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.agents.policy.mlp import Shape

Array = np.ndarray[Any, Any]

_FIRST = "layer0.weight"
_ROWS, _SCALES = "layer0.rows", "layer0.scales"
_MOST = 127


def pack(shape: Shape, theta: Array) -> dict[str, Array]:
    """The parts of flat weights, for a file."""
    parts = shape.views(theta)
    first = parts[_FIRST]
    rows = np.flatnonzero(first.any(axis=1))
    scales = np.abs(first[rows]).max(axis=1) / _MOST
    packed = {name: part.astype(np.float16) for name, part in parts.items() if name != _FIRST}
    return packed | {
        _FIRST: np.rint(first[rows] / scales[:, None]).astype(np.int8),
        _ROWS: rows.astype(np.int32),
        _SCALES: scales.astype(np.float32),
    }


def unpack(shape: Shape, parts: dict[str, Array]) -> dict[str, Array]:
    """The parts of a file as floating point; those that were not packed stay as they are. Raises ValueError."""
    if _ROWS not in parts:
        return parts
    rest = {name: part for name, part in parts.items() if name not in (_ROWS, _SCALES)}
    rows, scales, first = parts[_ROWS], parts.get(_SCALES), rest.get(_FIRST)
    width = shape.hidden[0]
    if rows.dtype != np.int32 or rows.ndim != 1 or not np.all(np.diff(rows) > 0):
        raise ValueError(f"weights {_ROWS}: not the numbers of features one after the other")
    if len(rows) and not 0 <= rows[0] <= rows[-1] < shape.features:
        raise ValueError(f"weights {_ROWS}: a feature is a number from 0 to {shape.features - 1}")
    if first is None or first.dtype != np.int8 or first.shape != (len(rows), width):
        raise ValueError(f"weights {_FIRST}: not {len(rows)} rows of {width} numbers in eight bits")
    if scales is None or scales.dtype != np.float32 or scales.shape != rows.shape:
        raise ValueError(f"weights {_SCALES}: not one for each of {len(rows)} rows")
    whole = np.zeros((shape.features, width), np.float32)
    whole[rows] = first * scales[:, None]
    return rest | {_FIRST: whole}
