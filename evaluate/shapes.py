"""What data from files has to look like, said as data: what does not is refused in one line that says where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_FAR = 1e15  # no number of ours is so large
_DEEP = 50  # nor is anything nested so deep


@dataclass(frozen=True)
class Kind:
    """A value that is not made of others."""

    words: str
    fits: Callable[[Any], bool]


@dataclass(frozen=True)
class Each:
    """A table of any names, or a list, in which all is of one shape."""

    shape: Any
    kind: type[dict[Any, Any]] | type[list[Any]] = dict


@dataclass(frozen=True)
class Maybe:
    """May be missing or null."""

    shape: Any


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -_FAR < value < _FAR


TEXT = Kind("text", lambda value: isinstance(value, str))
NUMBER = Kind("a number", is_number)
WHOLE = Kind("a whole number", lambda value: type(value) is int and 0 <= value < _FAR)
SEED = Kind("a whole number", lambda value: type(value) is int and 0 <= value < 2**64)
SHARE = Kind("a number from 0 to 1", lambda value: is_number(value) and 0 <= value <= 1)
TABLE = Kind("a table", lambda value: isinstance(value, dict))
ANYTHING = Kind("anything", lambda _: True)
MEAN = {"mean": NUMBER, "low": Maybe(NUMBER), "high": Maybe(NUMBER)}


def check_shape(value: Any, shape: Any, where: str) -> None:
    """Raises ValueError unless the value is of a shape: a Kind, Each, Maybe, or a dict of shapes by key."""
    if isinstance(shape, Maybe):
        if value is not None:
            check_shape(value, shape.shape, where)
    elif isinstance(shape, Each):
        if not isinstance(value, shape.kind):
            raise ValueError(f"{where}: {_short(value)}; it must be a {'table' if shape.kind is dict else 'list'}")
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            check_shape(inner, shape.shape, f"{where}: {_line(str(key))}")
    elif isinstance(shape, Kind):
        if not shape.fits(value):
            raise ValueError(f"{where}: {_short(value)}; it must be {shape.words}")
    else:
        _check_table(value, shape, where)


def _check_table(value: Any, shape: dict[str, Any], where: str) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: {_short(value)}; it must be a table with {', '.join(shape)}")
    for key, inner in shape.items():
        if key not in value and not isinstance(inner, Maybe):
            raise ValueError(f"{where}: {key} is missing")
        check_shape(value.get(key), inner, f"{where}: {key}")


def _short(value: Any) -> str:
    return _line(repr(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__)


def _line(text: str) -> str:
    """For a message: short, and in one line."""
    text = " ".join(_plain(text).split())
    return text if len(text) <= 60 else f"{text[:60]}..."


# --- texts -------------------------------------------------------------------------------------------------------


def _plain(text: str) -> str:
    """Without what no page, table or drawing can hold: control characters and halves of characters."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)


def readable(value: Any, deep: int = 0) -> Any:
    """The same data with all its texts made plain; raises ValueError for what is nested too deep."""
    if isinstance(value, str):
        return _plain(value)
    if deep > _DEEP:
        raise ValueError("nested too deep")
    if isinstance(value, dict):
        return {_plain(key) if isinstance(key, str) else key: readable(one, deep + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [readable(one, deep + 1) for one in value]
    return value
