"""Validate numbers, text and JSON from outside. Errors are one line: where, what is wrong, and what would be right."""

import difflib
import errno
import functools
import inspect
import json
import math
import operator
import re
import reprlib
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from numbers import Real
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar, get_args, get_type_hints

LARGEST = 2**63 - 1  # largest number that a file or a command line may give
BLANKS = " \t\n\r\f\v"  # blanks between words, fixed: languages differ in what else counts as one

_KINDS = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "an object",
}

_BOOLS = ("bool", "bool_")  # Python's and numpy's

# --- words ---------------------------------------------------------------------------------------------------------


class _Brief(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        str(x)  # a number with too many digits raises ValueError; Python 3.14 would name its address
        return super().repr_int(x, level)


def short_repr(value: Any, length: int = 120) -> str:
    """The repr of a value for a message: one line of at most `length` characters, however large or deep it is."""
    brief = _Brief()
    brief.maxlevel, brief.maxstring, brief.maxother = 3, length // 2, length // 2
    try:
        text = brief.repr(value).replace("\n", " ")
    except (ValueError, RecursionError):  # a number with too many digits
        return f"this {type(value).__name__}"
    return text if len(text) <= length else text[: length - 3] + "..."


# In place of what the system says of some paths: it speaks of directories, and as if the whole path were meant.
_OF_PATHS = {
    errno.ENOENT: "no such file or folder",
    errno.EISDIR: "is a folder, not a file",
    errno.ENOTDIR: "a part of this path is a file, not a folder",
}


def error_text(error: BaseException) -> str:
    """The message of an exception; an error of the system as PATH: what is wrong, without its number."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    path = error.filename if error.filename2 is None else error.filename2  # a file is renamed to what was asked for
    return f"{'' if path is None else f'{path}: '}{_OF_PATHS.get(error.errno or 0, error.strerror)}"


def one_line(error: BaseException, length: int = 400) -> str:
    """An exception as one line; with its type unless it is a ValueError or OSError with a message."""
    words = " ".join(error_text(error).split())[:length]
    return words if isinstance(error, ValueError | OSError) and words else f"{type(error).__name__}: {words}"


def closest(word: Any, known: list[str]) -> str:
    """' (did you mean ...?)', or nothing if no known word is close."""
    if not isinstance(word, str) or len(word) > 60:
        return ""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""


# --- values --------------------------------------------------------------------------------------------------------


def truth(value: Any, where: str) -> bool:
    """Return a bool, also from one of numpy's; refuse 1, "no" and the like."""
    return bool(value) if type(value).__name__ in _BOOLS else of_kind(value, where, bool)


def int_in(value: Any, where: str, low: int | None = None, high: int | None = None) -> int:
    """Check a whole number of any integer type (numpy too) against its bounds; return an int. Refuse True and 3.0."""
    try:
        number = operator.index(value)
        is_number = type(value).__name__ not in _BOOLS  # numpy's bool may offer __index__
        if is_number and (low is None or number >= low) and (high is None or number <= high):
            return number
    except TypeError:
        pass
    most = "2^64 - 1" if high == 2**64 - 1 else high
    bounds = "" if low is None else f" of {low} or more" if high is None else f" from {low} to {most}"
    raise ValueError(f"{where} = {_plain_repr(value)}; it must be a whole number{bounds}")


def check_least(flag: str, value: float, low: float, most: float = math.inf) -> None:
    """Raise ValueError if a number of the command line is below `low` or above `most`."""
    if not low <= value <= most:
        raise ValueError(f"--{flag} {value}: must be {f'{low} or more' if most == math.inf else f'{low} to {most}'}")


def float_in(value: Any, where: str, low: float, high: float, *, above: bool = False) -> float:
    """Check a finite number of any type against its bounds; return a float. above: it must exceed the lower one."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if number and low <= value <= high and not (above and value == low):
        return float(value)
    bounds = f"above {low:g} and at most {high:g}" if above else f"from {low:g} to {high:g}"
    raise ValueError(f"{where} = {_plain_repr(value)}; it must be a number {bounds}")


def _plain_repr(value: Any) -> str:
    """short_repr, but with numpy's numbers shown as plain ones."""
    return short_repr(value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value)


def of_kind(value: Any, where: str, kind: type) -> Any:
    """Return a JSON value if it has this type, else raise ValueError. int passes as float; bool is no number."""
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise ValueError(f"{where} = {short_repr(value)}; it must be {_KINDS[kind]}")


def one_of(value: Any, where: str, choices: Collection[str]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{where} = {short_repr(value)}; it must be one of {', '.join(choices)}")


def known_keys(data: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in keys:
            raise ValueError(f"{where}: unknown key {short_repr(key)}{closest(key, list(keys))}")


# --- objects of the project ------------------------------------------------------------------------------------------

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def checks_objects(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Let a function that fails on an object of a class that it does not take say which it takes. Arguments are looked
    at after the failure, so that right ones cost nothing; annotations say the classes."""

    @functools.wraps(function)
    def checked(*args: Given.args, **keywords: Given.kwargs) -> Returned:
        try:
            return function(*args, **keywords)
        except (AttributeError, TypeError):
            _check_objects(function, args, keywords)
            raise

    return checked


def _check_objects(function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Raise ValueError if an argument is of none of the project's classes that its annotation names."""
    try:
        given = inspect.signature(function).bind(*args, **keywords).arguments
    except TypeError:  # too many arguments, or too few: what Python says of that is good
        return
    hints = get_type_hints(function)
    for name in hints.keys() & given.keys():
        takes = get_args(hints[name]) or (hints[name],)
        ours = [_class_words(kind) for kind in takes if getattr(kind, "__module__", "").startswith("casino_env.")]
        if ours and not isinstance(given[name], takes):
            raise ValueError(f"{name} = {short_repr(given[name])}; it must be {' or '.join(ours)}") from None


def _class_words(kind: Any) -> str:
    """The name of a class, or what the docstring of a protocol says an object has."""
    if not getattr(kind, "_is_protocol", False):
        return f"of class {kind.__name__}"
    return f"{kind.__doc__[0].lower()}{kind.__doc__[1:].rstrip('.')}"


# --- schemas of JSON, as data ----------------------------------------------------------------------------------------

_NAMES = {"text": str, "bool": bool, "dict": dict, "list": list}


def check_shape(value: Any, shape: Any, where: str) -> None:
    """Raise ValueError unless value fits shape. dict: no other keys; some: other keys too; all: every key required."""
    if isinstance(shape, str):
        of_kind(value, where, _NAMES[shape])
    elif isinstance(shape, dict):
        known_keys(of_kind(value, where, dict), tuple(shape), where)
        _check_keys(value, shape, where)
    elif shape[0] in ("int", "float"):
        (int_in if shape[0] == "int" else float_in)(value, where, *shape[1:])
    elif shape[0] == "all":
        check_shape(value, shape[1], where)
        if missing := [key for key in shape[1] if key not in value]:
            raise ValueError(f"{where}.{missing[0]} is missing")
    elif shape[0] == "some":
        _check_keys(of_kind(value, where, dict), shape[1], where)
    elif shape[0] == "choice":
        if of_kind(value, where, str) not in shape[1:]:
            raise ValueError(f"{where} = {short_repr(value)}; it must be {' or '.join(shape[1:])}")
    else:  # rows: a dict with any keys; each: a list with bounds on its length
        if shape[0] == "each" and not shape[2] <= len(of_kind(value, where, list)) <= shape[3]:
            raise ValueError(f"{where} = {short_repr(value)}; it must be a list of {shape[2]} to {shape[3]}")
        rows = enumerate(value) if shape[0] == "each" else of_kind(value, where, dict).items()
        for key, one in rows:
            check_shape(one, shape[1], f"{where}.{key}")


def _check_keys(table: dict[str, Any], shapes: dict[str, Any], where: str) -> None:
    for key in shapes.keys() & table.keys():
        check_shape(table[key], shapes[key], f"{where}.{key}")


# --- models of pydantic, which only other parts import -------------------------------------------------------------

Model = TypeVar("Model")
# Messages for pydantic's type errors, in the words of JSON.
_WORDS = {
    "string_type": "it must be text",
    "int_type": "it must be a whole number",
    "float_type": "it must be a number",
    "bool_type": "it must be true or false",
    "dict_type": "it must be a table",
    "model_type": "it must be a table",
    "list_type": "it must be a list",
    "tuple_type": "it must be a list",
}
_KIND_TRIED = re.compile(r"(function-\w+|list)\[.*|int|float")  # part of a location: the type of a union that was tried


def read_model(model: type[Model], data: Any, where: str) -> Model:
    """Parse data into a model; raise ValueError with the first problem."""
    checked: Any = model
    try:
        found: Model = checked.model_validate(data)
    except ValueError as error:
        raise ValueError(f"{where}: {first_problem(error, model)}") from None
    return found


def first_problem(error: Any, model: Any) -> str:
    """The first problem of a ValidationError as one line, with the closest known word."""
    problem = error.errors(include_url=False)[0]
    parts = [part for part in problem["loc"] if not _KIND_TRIED.fullmatch(str(part))]
    *above, last = (_shown_key(part) for part in parts) if parts else ("",)
    within, value = ".".join(above), problem["input"]
    if problem["type"] == "extra_forbidden":
        return f"{within}{': ' if above else ''}unknown key {last!r}{_nearest(parts, model)}"
    place = ".".join([*above, last])
    if problem["type"] == "missing":
        others = [key for key in value if key not in _keys(model)] if isinstance(value, dict) else []
        return f"{place} is missing{closest(last, others)}"
    message = " ".join(problem["msg"].removeprefix("Value error, ").split())
    said = _WORDS.get(problem["type"]) or message.replace("Input should", "it must")
    if isinstance(value, dict):
        return f"{place}: {said}" if place else said
    return f"{place} = {short_repr(value)}; {said}" if place else f"{short_repr(value)}; {said}"


def _shown_key(part: Any) -> str:
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in str(part)).split())
    return text if len(text) <= 60 else f"{text[:60]}..."


def _keys(model: Any) -> list[str]:
    return [field.alias or name for name, field in getattr(model, "model_fields", {}).items()]


def _nearest(parts: list[Any], model: Any) -> str:
    """Suggest the same key in another section, else the closest key in this one."""
    *sections, name = parts
    fields = getattr(model, "model_fields", {})
    elsewhere = [f"{key}.{name}" for key, field in fields.items() if sections and name in _keys(field.annotation)]
    if elsewhere:
        return f"; there is {' and '.join(elsewhere)}"
    for section in sections:
        field = getattr(model, "model_fields", {}).get(section)
        model = field.annotation if field else None
    return closest(name, _keys(model))


# --- text and JSON -------------------------------------------------------------------------------------------------


def read_text(name: str | Path) -> str:
    """The text of a file; - is standard input."""
    data = sys.stdin.buffer.read() if str(name) == "-" else Path(name).read_bytes()
    return decoded(data, "standard input" if str(name) == "-" else str(name))


def lines_of(name: str) -> Iterator[bytes]:
    """The lines of a file that are not blank; - is standard input."""
    with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
        yield from filter(bytes.strip, file)


def decoded(data: bytes, where: str) -> str:
    """Text from outside, without the byte-order mark that some programs put in front."""
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: byte {error.start} is not UTF-8 text") from None


def parse_json(text: str | bytes, where: str) -> Any:
    """Parse JSON; refuse NaN and Infinity."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError(f"{where}: lists and objects are nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
