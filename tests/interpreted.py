"""Interpret kernels as plain Python, so that a changed kernel runs without compilation:
CASINO_ENV_KERNELS=jit pytest -p tests.interpreted FILE.

Integers have the compiler's width: a value written to a field is truncated to its size, unsigned words wrap around. An
index beyond the end of an array raises IndexError. Floating-point sums may differ in the last bit.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from casino_env.compiler import jit, library
from casino_env.compiler.types import Number, arguments

_SIZE = (1 << 64) - 1
_NOISE = 0x55  # memory of the stack holds anything at first


def _signed(word: Any) -> int:
    return (int(word) + (1 << 63) & _SIZE) - (1 << 63)


def _word(number: Any) -> np.uint64:
    return np.uint64(int(number) & _SIZE)


# --- arrays and records: reading a number gives a Python number ------------------------------------------------------


class Wide(int):
    """An integer of 64 bits that stays within 64 bits when it is shifted left."""

    def __lshift__(self, many: int) -> int:
        return _signed(int(self) << many)


class Table:
    """An array of numbers. of: type that converts its elements; None gives Python's numbers."""

    def __init__(self, array: Any, of: Any = None) -> None:
        self.array, self.shape, self.size, self.itemsize = array, array.shape, array.size, array.itemsize
        self.of = np.uint64 if array.dtype == np.uint64 else of

    def __getitem__(self, place: Any) -> Any:
        found = self.array[place]
        if isinstance(found, np.ndarray):
            return Table(found, self.of)
        return found.item() if self.of is None else self.of(found)

    def __setitem__(self, place: Any, value: Any) -> None:
        value = value.array if isinstance(value, Table) else value
        try:
            self.array[place] = value
        except OverflowError:
            self.array[place] = np.int64(_signed(value)).astype(self.array.dtype)

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self.array)))

    def view(self, kind: Any) -> Table:
        return Table(self.array.view(_KINDS.get(kind, kind)), Wide)


class Rows(Table):
    """An array of records."""

    def __init__(self, array: Any) -> None:
        super().__init__(array)
        self.kind = row_type(array.dtype)

    def __getitem__(self, place: Any) -> Any:
        found = self.array[place]
        if isinstance(found, np.ndarray):
            return Rows(found)
        *some, last = place if isinstance(place, tuple) else (place,)
        last = int(last)
        part = self.array[(*some, slice(last, last + 1 or None))]
        return self.kind.from_buffer(part)

    def __setitem__(self, place: Any, row: Any) -> None:
        self.array[place] = np.frombuffer(memoryview(row), self.array.dtype)[0] if isinstance(row, _Row) else row


class _Few:
    """Base of arrays in a record and on the stack: assigning a number to a slice fills it."""

    def __setitem__(self: Any, place: Any, value: Any) -> None:
        if isinstance(place, slice):
            here = range(*place.indices(len(self)))
            many = [value] * len(here) if isinstance(value, int | float) else list(value)
            for i, one in zip(here, many, strict=True):
                self._set(i, one)
        else:
            self._set(place, value)

    @property
    def shape(self: Any) -> tuple[int]:
        return (len(self),)


@functools.cache
def few(kind: Any, many: int) -> Any:
    base = kind * many
    return type("Few", (_Few, base), {"_set": base.__setitem__})


def _field(name: str, kind: Any) -> Any:
    """Return a property for a record's field that ctypes cannot give as kernels need: uint64, or several axes."""
    kept = f"_{name}"
    if kind.shape:
        return property(lambda row: Table(np.frombuffer(row, row.dtype)[name][0]))
    return property(lambda row: _word(getattr(row, kept)), lambda row, value: setattr(row, kept, int(value)))


@functools.cache
def row_type(dtype: Any) -> Any:
    fields, shown = [], {"dtype": dtype}
    for name, (kind, *_) in dtype.fields.items():
        base, shape = kind.base, kind.shape
        plain = np.ctypeslib.as_ctypes_type(base)
        if base == np.uint64 or len(shape) > 1:
            shown[name], name = _field(name, kind), f"_{name}"
        fields.append((name, few(plain, math.prod(shape)) if shape else plain))
    made = type("Row", (_Row,), shown | {"_fields_": fields})
    assert ctypes.sizeof(made) == dtype.itemsize, dtype
    return made


class _Row(ctypes.Structure):
    pass


def seen(value: Any) -> Any:
    """Convert an argument from Python for a kernel."""
    if isinstance(value, np.ndarray):
        return Rows(value) if value.dtype.names else Table(value)
    if isinstance(value, tuple):
        parts = map(seen, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, np.void):
        return Rows(value.base if value.base is not None else np.array([value]))[0]
    return value if isinstance(value, np.uint64) or not isinstance(value, np.generic) else value.item()


def told(value: Any) -> Any:
    """Convert a kernel's result for Python."""
    if isinstance(value, tuple):
        parts = map(told, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value.item() if isinstance(value, np.generic) else value


# --- instructions ----------------------------------------------------------------------------------------------------


def bits_of(word: Any) -> Any:
    word = int(word) & _SIZE
    while word:
        yield (word & -word).bit_length() - 1
        word &= word - 1


def lowest(word: Any) -> int:
    word = int(word) & _SIZE
    return (word & -word).bit_length() - 1 if word else 64


def take(taken: Any, many: int) -> int:
    before: int = taken[0]
    taken[0] = before + many
    return before


INSTRUCTIONS: dict[str, Callable[..., Any]] = {
    "popcount": lambda word: (int(word) & _SIZE).bit_count(),
    "lowest": lowest,
    "highest": lambda word: (int(word) & _SIZE).bit_length() - 1,
    "bits_of": bits_of,
    "mirrored": lambda word: _signed(int(f"{int(word) & _SIZE:064b}"[::-1], 2)),
    "scratch": lambda: few(ctypes.c_int8, 64)(*[_NOISE] * 64),
    "floats": lambda: few(ctypes.c_float, 64)(*[_NOISE] * 64),
    "card_sets": lambda: few(ctypes.c_int64, 16)(*[_NOISE] * 16),
    "borrow_bytes": lambda many: few(ctypes.c_int8, many)(),
    "borrow_words": lambda many: few(ctypes.c_int64, many)(),
    "give_back": lambda _place: None,
    "items_of": lambda array: array,
    "is_bits": lambda array: array.array.itemsize == 8,
    "not_zero": lambda items, at: _signed(sum((items[at + k] != 0) << k for k in range(64))),
    "take": take,
}
_NUMPY: dict[str, Any] = {"int64": _signed, "uint64": _word, "float64": float, "isnan": math.isnan}
_KINDS = {of_kernels: getattr(np, name) for name, of_kernels in _NUMPY.items()}


class _Numpy:
    """numpy with the integer types that wrap as in kernels."""

    def __getattr__(self, name: str) -> Any:
        return _NUMPY.get(name) or getattr(np, name)


class _Module:
    """A module whose kernels are interpreted as well."""

    def __init__(self, module: ModuleType) -> None:
        self._of = module

    def __getattr__(self, name: str) -> Any:
        value = _inside(getattr(self._of, name))
        setattr(self, name, value)
        return value


# --- kernels ---------------------------------------------------------------------------------------------------------


def _inside(value: Any) -> Any:
    """Convert a module's global for the kernels in it."""
    if isinstance(value, jit.Kernel):
        return value.inner
    if isinstance(value, jit.Instruction):
        return INSTRUCTIONS[value.name]
    if value is np:
        return _Numpy()
    if isinstance(value, ModuleType):
        return _Module(value) if value.__name__.startswith("casino_env") else value
    return seen(value) if isinstance(value, np.ndarray | np.generic | tuple) else value


def _names(code: CodeType) -> set[str]:
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inner)


def inner_of(kernel: jit.Kernel) -> Any:
    """Return a copy of the kernel's function whose globals are converted. Store it before looking up its names, because
    it may call itself."""
    function = kernel.function
    known: dict[str, Any] = {"__builtins__": __builtins__, "__name__": function.__module__}
    twin = FunctionType(function.__code__, known, function.__name__, function.__defaults__, function.__closure__)
    kernel.__dict__["inner"] = twin
    here = function.__globals__
    known.update({name: _inside(here[name]) for name in _names(function.__code__) if name in here})
    return twin


def entry_of(kernel: jit.Kernel) -> Any:
    inner = kernel.inner
    words: dict[str, Callable[[Any], Any]] = {"q": int, "Q": _word, "d": float}
    kinds = arguments(kernel.function).values() if kernel.is_entry else ()
    turned = [words[kind.code] if isinstance(kind, Number) else seen for kind in kinds]

    def call(*args: Any) -> Any:
        some = [turn(arg) for turn, arg in zip(turned, args, strict=True)] if turned else map(seen, args)
        return told(inner(*some))

    return call


def install() -> None:
    """Interpret kernels from now on. Call this before any kernel runs."""
    if library.MODE != "jit":
        raise ImportError("tests.interpreted: set CASINO_ENV_KERNELS=jit")
    np.seterr(over="ignore")
    jit._backend = lambda: SimpleNamespace(inner_of=inner_of, entry_of=entry_of)
    jit.Kernel.native = None  # type: ignore[assignment]


install()
