"""Data from outside (requests, saved games): of known keys and the right kinds, or refused in one line."""

from __future__ import annotations

from typing import Any

Data = dict[str, Any]
Kinds = dict[str, tuple[type, ...]]  # key -> the types that its value may have; true and false are no numbers

_NOTHING = type(None)
SETUP: Kinds = {
    "variant": (str,),
    "players": (int,),
    "seats": (list,),
    "rules": (dict,),
    "match": (bool,),
    "seed": (int, _NOTHING),
    "position": (dict, _NOTHING),
}
MOST_SEATS = 6
_SHOWN = 60  # characters of what is wrong


class ShapeError(ValueError):
    """Data that is not of the shape asked for."""


def shaped(data: Any, kinds: Kinds, what: str) -> Data:
    """The data, if it is an object with these keys at most."""
    if not isinstance(data, dict):
        raise ShapeError(f"{what} must be a JSON object")
    for key, value in data.items():
        if key not in kinds:
            raise ShapeError(f"unknown key {str(key)[:_SHOWN]!r}; there are {', '.join(kinds)}")
        if type(value) not in kinds[key]:
            raise ShapeError(f"{key} = {repr(value)[:_SHOWN]}: not of the right kind")
    return data


def texts(data: Data, key: str, most: int) -> list[str]:
    """A list of texts under a key."""
    value = data.get(key, [])
    if not isinstance(value, list) or len(value) > most or not all(isinstance(item, str) for item in value):
        raise ShapeError(f"{key} must be a list of at most {most} texts")
    return list(value)
