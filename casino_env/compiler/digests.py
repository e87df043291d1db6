"""Digests that tell whether the machine code of a kernel is up to date with its sources.

They cover its code, the constants it reads, the kernels it calls and the record fields it names; there are digests of
source files as well. Comments, docstrings, messages, Python annotations and what no kernel reads do not count.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from casino_env.compiler.types import Elements, Fields, Kind, Number, arguments

Kernel = Any  # jit.Kernel: jit.py imports this module


def short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


# --- files ---------------------------------------------------------------------------------------------------------

_PACKAGE = sys.modules["casino_env"]  # its parts lie in one folder, or side by side in a checkout
_IMPORTS = re.compile(r"^\s*from (casino_env[\w.]*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)


def file_of(name: str) -> Path | None:
    """Return the file of a module of the project, in whichever folder it lies."""
    rest = Path(*name.split(".")[1:]).with_suffix(".py")
    return next((file for file in (Path(place) / rest for place in _PACKAGE.__path__) if file.is_file()), None)


@functools.cache
def _imported(module: str) -> frozenset[str]:
    """Return the modules of the project that a module imports."""
    file, names = file_of(module), set()
    for base, many, few in _IMPORTS.findall(file.read_text() if file else ""):
        names |= {base, *(f"{base}.{name.split()[0]}" for name in (many or few).split(",") if name.strip())}
    return frozenset(name for name in names if name != "casino_env" and file_of(name))


@functools.cache
def sources(module: str) -> tuple[str, ...]:
    """Return the modules that a module's kernels depend on: itself and all of the project that it imports, directly or
    indirectly."""
    known, new = frozenset[str](), frozenset({module})
    while new:
        known |= new
        new = frozenset(name for source in new for name in _imported(source)) - known
    return tuple(sorted(known))


@functools.cache
def file_digest(module: str) -> str:
    """Digest of a module's file; empty if it has none."""
    file = file_of(module)
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file else ""


@functools.cache
def stamp(module: str) -> str:
    """Digest of all files that a module's kernels depend on."""
    return hashlib.sha256("".join(map(file_digest, sources(module))).encode()).hexdigest()[:16]


# --- records -------------------------------------------------------------------------------------------------------

_RECORDS: dict[Any, str] = {}  # record type: the name under which it is defined


def record_name(dtype: Any) -> str:
    """Return the name under which a record type is defined, whatever its fields; else a digest of its fields."""
    if dtype not in _RECORDS:
        _find_records()
    if dtype not in _RECORDS:
        _RECORDS[dtype] = f"record-{short(repr(dtype))}"
    return _RECORDS[dtype]


def _find_records() -> None:
    for module in sorted(name for name in sys.modules if name.startswith("casino_env.")):
        for name, value in list(vars(sys.modules[module]).items()):
            if isinstance(value, np.dtype) and value.names and value not in _RECORDS and _defines(module, name):
                _RECORDS[value] = f"{module}.{name}"


def _defines(module: str, name: str) -> bool:
    file = file_of(module)
    return bool(file and re.search(rf"^{name}\b[^=\n]*=", file.read_text("utf-8"), re.MULTILINE))


def layout(dtype: Any, names: frozenset[str]) -> str:
    """Describe where the fields with these names lie in a record."""
    fields = {name: found for name, found in sorted(dtype.fields.items()) if name in names}
    rows = [f"{name} {field.base.str}{field.shape} {offset}" for name, (field, offset, *_) in fields.items()]
    rows += [layout(field.base, names) for field, *_ in fields.values() if field.base.names]
    return f"{record_name(dtype)} {dtype.itemsize} {dtype.isalignedstruct}: {'; '.join(rows)}"


# --- kernels -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Own:
    """A kernel by itself, without the kernels it calls."""

    text: str
    names: frozenset[str]  # names in its code, which may be fields of records
    called: tuple[Kernel, ...]
    records: tuple[Any, ...]  # record types that it names


@functools.cache
def own(kernel: Kernel) -> Own:
    function = kernel.as_kernels_see_it()
    codes = list(_codes(function.__code__))
    names = frozenset(name for code in codes for name in (*code.co_names, *_strings(code.co_consts)))
    read = {name for code in codes for name in _globals_of(code)}
    used = _Used(names)
    known = function.__globals__
    values = [f"{name}: {used.describe(known[name])}" for name in sorted(read) if name in known]
    values += [used.describe(value) for value in function.__defaults__ or ()]
    values += [used.describe(cell.cell_contents) for cell in function.__closure__ or ()]
    text = [kernel.__module__, kernel.__qualname__, str(kernel.fastmath), str(kernel.inline)]
    text += [_text(code) for code in codes]
    return Own("\n".join([*text, *values]), names, tuple(used.called), tuple(used.records))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _strings(values: Any) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def _globals_of(code: CodeType) -> Iterator[str]:
    return (step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))


_HAS_DOCSTRING = 0x4000000  # a flag since Python 3.14


def _text(code: CodeType) -> str:
    """Describe a function's code. Constants count by value, because a docstring among them moves the others."""
    steps = [(step.opcode, step.arg if step.opcode not in dis.hasconst else _constant(step.argval))
             for step in dis.get_instructions(code)]  # fmt: skip
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_argcount, code.co_flags & ~_HAS_DOCSTRING)
    return f"{steps!r} {names!r}"


def _constant(value: Any) -> str:
    return "" if isinstance(value, CodeType) else repr(value)


class _Used:
    """Collect the kernels and record types that a kernel uses by global names."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self.called: dict[Kernel, None] = {}
        self.records: list[Any] = []

    def describe(self, value: Any, depth: int = 0) -> str:
        """Return a value as text; empty for values that kernels cannot read."""
        if hasattr(value, "as_kernels_see_it"):
            self.called[value] = None
            return f"kernel {value.__module__}.{value.__qualname__}"
        if hasattr(type(value), "_numba_type_"):
            return f"instruction {value.name}"
        if isinstance(value, ModuleType):
            return self._module(value, depth)
        if isinstance(value, np.dtype) and value.names:
            self.records.append(value)
            return record_name(value)
        if isinstance(value, np.ndarray):
            return f"{value.dtype.str} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        if isinstance(value, tuple):
            return f"{type(value).__qualname__}({', '.join(self.describe(part, depth) for part in value)})"
        if isinstance(value, bool | int | float | complex | str | bytes | None | np.generic | np.dtype):
            return f"{type(value).__name__} {value!r}"
        if hasattr(value, "_fields") and isinstance(value, type):
            return f"{value.__qualname__}{value._fields}"  # type: ignore[attr-defined]
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}" if callable(value) else ""

    def _module(self, module: ModuleType, depth: int) -> str:
        """Describe the names of a module that also occur in the kernel."""
        if not module.__name__.startswith("casino_env") or depth > 1:
            return module.__name__
        there = vars(module)
        return "; ".join(
            f"{name}: {self.describe(there[name], depth + 1)}" for name in sorted(self._names & set(there))
        )


def below(kernel: Kernel) -> dict[Kernel, None]:
    """Return a kernel and all kernels that it calls, directly or indirectly."""
    found, waiting = {kernel: None}, [kernel]
    while waiting:
        for one in own(waiting.pop()).called:
            if one not in found:
                found[one] = None
                waiting.append(one)
    return found


@functools.cache
def digest(entry: Kernel) -> str:
    """Digest of everything that an entry's machine code is made from."""
    kernels = below(entry)
    texts = sorted(own(one).text for one in kernels)
    names = frozenset(name for one in kernels for name in own(one).names)
    kinds = arguments(entry.function).values() if entry.is_entry else ()
    records = {record_name(one): one for one in _records(kinds)}
    records |= {record_name(one): one for kernel in kernels for one in own(kernel).records}
    layouts = [layout(dtype, names) for _, dtype in sorted(records.items())]
    return short("\n".join([*texts, *layouts, *map(_kind, kinds)]))


def _records(kinds: Any) -> Iterator[Any]:
    for kind in kinds:
        if isinstance(kind, Fields):
            yield from _records(kind.parts)
        elif isinstance(kind, Elements) and np.dtype(kind.dtype).names:
            yield kind.dtype


def _kind(kind: Kind) -> str:
    if isinstance(kind, Fields):
        return f"{kind.of.__qualname__}{kind.of._fields}({', '.join(map(_kind, kind.parts))})"
    if isinstance(kind, Number):
        return kind.code
    dtype = np.dtype(kind.dtype)
    return f"{record_name(dtype) if dtype.names else dtype.str}[{kind.dimensions}]"
