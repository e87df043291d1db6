"""Argument types of entries, read from their annotations: numbers, arrays, and named tuples of these.

`def legal(records: Records, rules: RulesRow)` tells readers, type checkers and the compiler the same: aliases here and
beside the records (engine/state.py) carry the element type and the number of dimensions. All arrays are contiguous (C
order). Fields of a workspace also carry their sizes, so that one function allocates any workspace, here (allocate) and
in JavaScript (packages/casino/src/agents/base.js).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from casino_env.arrays import Array


@dataclass(frozen=True)
class Elements:
    """An array type: element type, number of dimensions and, in a workspace, sizes."""

    dtype: Any
    dimensions: int = 1
    sizes: tuple[int | str, ...] | None = None


class Sizes:
    """Sizes of an array in a workspace, by dimension: a number, or a name whose number is passed to allocate."""

    def __init__(self, *sizes: int | str) -> None:
        self.sizes = sizes


I8 = Annotated[Array, Elements(np.int8)]
I16 = Annotated[Array, Elements(np.int16)]
I64 = Annotated[Array, Elements(np.int64)]
U64 = Annotated[Array, Elements(np.uint64)]
F32 = Annotated[Array, Elements(np.float32)]
F64 = Annotated[Array, Elements(np.float64)]
Flags = Annotated[Array, Elements(np.bool_)]
I8x2 = Annotated[Array, Elements(np.int8, 2)]
I16x2 = Annotated[Array, Elements(np.int16, 2)]
I64x2 = Annotated[Array, Elements(np.int64, 2)]
U64x2 = Annotated[Array, Elements(np.uint64, 2)]
F32x2 = Annotated[Array, Elements(np.float32, 2)]
I16x3 = Annotated[Array, Elements(np.int16, 3)]
I64x3 = Annotated[Array, Elements(np.int64, 3)]
Flagsx2 = Annotated[Array, Elements(np.bool_, 2)]
F64x2 = Annotated[Array, Elements(np.float64, 2)]
F32x3 = Annotated[Array, Elements(np.float32, 3)]
Word = Annotated[int, np.uint64]  # unsigned, 64 bits, such as a seed


@dataclass(frozen=True)
class Number:
    """A scalar of 64 bits: q (signed integer), Q (unsigned integer) or d (floating point)."""

    code: str


@dataclass(frozen=True)
class Fields:
    """A named tuple."""

    of: Any
    parts: tuple[Kind, ...]


Kind = Number | Elements | Fields


def arguments(function: Callable[..., Any]) -> dict[str, Kind]:
    """Return an entry's argument types by name; raise TypeError if an annotation is missing or unknown."""
    hints = get_type_hints(function, include_extras=True)
    found = {}
    for name in inspect.signature(function).parameters:
        try:
            found[name] = kind_of(hints[name])
        except (KeyError, TypeError) as error:
            why = error if isinstance(error, TypeError) else "it has no annotation"
            raise TypeError(f"{function.__module__}.{function.__qualname__}: argument {name}: {why}") from None
    return found


def kind_of(hint: Any) -> Kind:
    if hint is int:
        return Number("q")
    if hint is float:
        return Number("d")
    if get_origin(hint) is Annotated:
        sizes = next((said.sizes for said in get_args(hint) if isinstance(said, Sizes)), None)
        for said in get_args(hint)[1:]:
            if isinstance(said, Elements):
                return replace(said, sizes=sizes)
            if said is np.uint64:
                return Number("Q")
    if isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields"):
        hints = get_type_hints(hint, include_extras=True)
        return Fields(hint, tuple(kind_of(hints[name]) for name in hint._fields))
    raise TypeError(f"{hint} is none of the types of casino_env.compiler.types")


T = TypeVar("T", bound=tuple[Any, ...])


def allocate(workspace: type[T], **sizes: int) -> T:
    """Allocate a workspace of zeros: a named tuple of arrays with the sizes that its fields declare.
    sizes: a number for each size that is declared by name."""
    made: T = _zeros(kind_of(workspace), sizes)
    return made


def _zeros(kind: Kind, sizes: dict[str, int]) -> Any:
    if isinstance(kind, Fields):
        return kind.of(*(_zeros(part, sizes) for part in kind.parts))
    if isinstance(kind, Number) or kind.sizes is None:
        raise TypeError(f"{kind} is not part of a workspace: it has no sizes")
    return np.zeros([size if isinstance(size, int) else sizes[size] for size in kind.sizes], kind.dtype)


@functools.cache
def letters(hint: Any) -> str:
    """Return a type in the letter code that c/border.c reads."""
    return letters_of(kind_of(hint))


def letters_of(kind: Kind) -> str:
    if isinstance(kind, Fields):
        return f"({''.join(letters_of(part) for part in kind.parts)})"
    if isinstance(kind, Elements):
        return f"a{kind.dimensions}:{np.dtype(kind.dtype).itemsize};"
    return kind.code


def taken(function: Callable[..., Any]) -> str:
    """Return an entry's argument types in letter code."""
    return "".join(map(letters_of, arguments(function).values()))


def leaves(kind: Kind) -> Iterator[Number | Elements]:
    """Yield the numbers and arrays in a type, from left to right."""
    if isinstance(kind, Fields):
        for part in kind.parts:
            yield from leaves(part)
    else:
        yield kind


def values(kind: Kind, value: Any) -> Iterator[Any]:
    """Yield the values in an argument, in the order of leaves."""
    if isinstance(kind, Fields):
        for part, one in zip(kind.parts, value, strict=True):
            yield from values(part, one)
    else:
        yield value
