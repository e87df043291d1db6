"""Numbers, text and JSON from outside. A refusal is one line: where, what, and what would be right."""

import difflib
import json
import operator
import reprlib
import sys
from pathlib import Path
from typing import Any, NoReturn

_SHORT = reprlib.Repr()
_MOST_SHOWN = 120
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 3, 60, 60


def short_repr(value: Any) -> str:
    """A value as a message shows it: in one line that is not long."""
    try:
        text = _SHORT.repr(value).replace("\n", " ")
    except (ValueError, RecursionError):  # a number of too many digits
        return f"this {type(value).__name__}"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."


def whole_number(value: Any, where: str) -> int:
    """Any kind of whole number, numpy's too, as an int. True and 3.0 are none."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise ValueError(f"{where}: {short_repr(value)}; it must be a whole number")


def read_text(name: str | Path) -> str:
    """The text of a file; - is standard input."""
    data = sys.stdin.buffer.read() if str(name) == "-" else Path(name).read_bytes()
    return decoded(data, "standard input" if str(name) == "-" else str(name))


def decoded(data: bytes, where: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: byte {error.start} is not UTF-8 text") from None


def parse_json(text: str | bytes, where: str) -> Any:
    """What a JSON text says; its numbers are finite."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError(f"{where}: lists and objects are nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def closest(word: Any, known: list[str]) -> str:
    """' (did you mean ...?)' or nothing."""
    if not isinstance(word, str) or len(word) > 60:
        return ""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""


def known_keys(data: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in keys:
            raise ValueError(f"{where}: unknown key {short_repr(key)}{closest(key, list(keys))}")


def a_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{where}: must be a list")
    return value


def whole_within(value: Any, where: str, low: int, high: int) -> int:
    """A whole number of JSON, in its bounds."""
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{where}: {short_repr(value)}; it must be a whole number from {low} to {high}")
    return value
