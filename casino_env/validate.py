"""Numbers, text and JSON from outside. A refusal is one line: where, what, and what would be right."""

import difflib
import json
import operator
import reprlib
import sys
from numbers import Real
from pathlib import Path
from typing import Any, NoReturn

_KINDS = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "an object",
}

# --- words ---------------------------------------------------------------------------------------------------------


def short_repr(value: Any, length: int = 120) -> str:
    """A value as a message shows it: in one line of at most so many characters, however large or deep it is."""
    brief = reprlib.Repr()
    brief.maxlevel, brief.maxstring, brief.maxother = 3, length // 2, length // 2
    try:
        text = brief.repr(value).replace("\n", " ")
    except (ValueError, RecursionError):  # a number of too many digits
        return f"this {type(value).__name__}"
    return text if len(text) <= length else text[: length - 3] + "..."


def one_line(error: BaseException, length: int = 400) -> str:
    """An exception as one line; of what nobody meant to be read the kind as well."""
    words = " ".join(str(error).split())[:length]
    return words if isinstance(error, ValueError | OSError) and words else f"{type(error).__name__}: {words}"


def first_problem(error: Any) -> str:
    """What a pydantic model (its ValidationError) has found wrong first, in one line."""
    problem = error.errors()[0]
    place, said = ".".join(map(str, problem["loc"])), problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "missing":
        return f"{place} is missing"
    return f"{place} = {short_repr(problem['input'])}; {said.replace('Input should', 'it must')}"


def closest(word: Any, known: list[str]) -> str:
    """' (did you mean ...?)' or nothing."""
    if not isinstance(word, str) or len(word) > 60:
        return ""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""


# --- values --------------------------------------------------------------------------------------------------------


def int_in(value: Any, where: str, low: int | None = None, high: int | None = None) -> int:
    """Any kind of whole number between its bounds, numpy's too, as an int. True and 3.0 are none."""
    try:
        number = operator.index(value)
        is_number = type(value).__name__ not in ("bool", "bool_")  # numpy's may call itself an index
        if is_number and (low is None or number >= low) and (high is None or number <= high):
            return number
    except TypeError:
        pass
    most = "2^64 - 1" if high == 2**64 - 1 else high
    bounds = "" if low is None else f" of {low} or more" if high is None else f" from {low} to {most}"
    raise ValueError(f"{where} = {_plain_repr(value)}; it must be a whole number{bounds}")


def float_in(value: Any, where: str, low: float, high: float, *, above: bool = False) -> float:
    """A finite number between its bounds, of any kind, as a float. above: more than the lower one."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if number and low <= value <= high and not (above and value == low):
        return float(value)
    bounds = f"above {low:g} and at most {high:g}" if above else f"from {low:g} to {high:g}"
    raise ValueError(f"{where} = {_plain_repr(value)}; it must be a number {bounds}")


def _plain_repr(value: Any) -> str:
    """Numbers of numpy like any others."""
    return short_repr(value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value)


def of_kind(value: Any, where: str, kind: type) -> Any:
    """A value of JSON, if it is of this kind. A whole number is a number, too; true and false are none."""
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise ValueError(f"{where} = {short_repr(value)}; it must be {_KINDS[kind]}")


def known_keys(data: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in keys:
            raise ValueError(f"{where}: unknown key {short_repr(key)}{closest(key, list(keys))}")


# --- text and JSON -------------------------------------------------------------------------------------------------


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
