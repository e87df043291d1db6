"""The cache on disk of what numba has compiled, by the digest of its sources (digests.py): unfinished code of kernels,
and machine code of entries that were compiled at their first call.

Unfinished code depends on other kernels only by their names and return types. So a change of a kernel lowers that
kernel again, and its callers only if the return type changes. An entry that cannot be read is compiled again, and one
that cannot be written gives a warning; neither stops the program.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
from numba import types
from numba.core import compiler, errors, registry

from casino_env.compiler import digests
from casino_env.compiler.digests import Kernel

RECORDS: dict[str, Any] = {}  # by their names in numba's types


# --- files -----------------------------------------------------------------------------------------------------------


@functools.cache
def stamp() -> str:
    """Digest of what turns kernels into code: these modules, numba, llvmlite and Python."""
    files = [Path(__file__).with_name(name) for name in ("intrinsics.py", "numba_backend.py", "kept.py")]
    versions = f"{numba.__version__} {llvmlite.__version__} {sys.version_info[:2]}"
    return digests.short(versions + "".join(file.read_text("utf-8") for file in files))


@functools.cache
def folder() -> Path | None:
    """The folder of the cache; None if the user has no home and no folder is set."""
    try:
        home = Path(os.environ.get("CASINO_ENV_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    except RuntimeError as error:
        _complain(str(error))
        return None
    return home / "casino_env" / stamp()


def read(key: str) -> Any:
    """Return what was cached under a key; None if there is nothing, or it is damaged."""
    place = folder()
    try:
        data = (place / key).read_bytes() if place else b""
    except OSError:
        return None
    if place and hashlib.sha256(data[32:]).digest() != data[:32]:
        sys.stderr.write(f"casino_env: a cached kernel in {place} is damaged; compiling it again\n")
        return None
    try:
        return _Unpickler(io.BytesIO(data[32:])).load() if data else None
    except (ImportError, AttributeError):  # it names a type by a module in which the type no longer is
        return None


def write(key: str, what: Any) -> None:
    out, place = io.BytesIO(), folder()
    if not place:
        return
    _Pickler(out).dump(what)
    unfinished = place / f".{os.getpid()}-{key}"
    try:
        place.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(hashlib.sha256(out.getvalue()).digest() + out.getvalue())
        unfinished.replace(place / key)
    except OSError as error:
        _complain(f"cannot write to {place}: {error.strerror}")
        with contextlib.suppress(OSError):
            unfinished.unlink()


@functools.cache
def _complain(why: str) -> None:
    sys.stderr.write(f"casino_env: kernels are not cached, but compiled every time: {why}\n")


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> Any:
        """Store records by name; their fields come from the sources."""
        return value.name if isinstance(value, types.Record) else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, name: str) -> Any:
        if name not in RECORDS:
            module, _, attribute = name.rpartition(".")
            numba.from_dtype(getattr(sys.modules[module], attribute))
        return numba.from_dtype(RECORDS[name])


# --- types as text ---------------------------------------------------------------------------------------------------


def described(kind: Any, names: frozenset[str]) -> str:
    """A numba type as text, with as much of its records as a kernel can use that contains these names."""
    parts = dict.fromkeys(_parts(kind))
    records = [digests.layout(RECORDS[part.name], names) for part in parts if isinstance(part, types.Record)]
    fields = [part.instance_class._fields for part in parts if hasattr(part, "instance_class")]
    return f"{kind} {records} {fields}"


def _parts(kind: Any) -> Iterator[Any]:
    yield kind
    if isinstance(kind, types.BaseTuple):
        for part in kind.types:
            yield from _parts(part)
    elif isinstance(kind, types.Record):
        for field in kind.fields.values():
            yield from _parts(field.type)
    elif isinstance(kind, types.Array | types.CPointer):
        yield from _parts(kind.dtype)


# --- which kernels call which --------------------------------------------------------------------------------------

_CALLS: list[dict[Any, None]] = []  # the calls of each kernel that is being compiled


@contextlib.contextmanager
def calls_of(kernel: Kernel, takes: Any) -> Iterator[None]:
    _CALLS.append({})
    try:
        yield
    finally:
        _CALLS.pop()
    if _CALLS:
        _CALLS[-1][kernel, takes] = None


# --- in place of numba's own caches --------------------------------------------------------------------------------


class Unfinished:
    """The cache of a kernel that other kernels call."""

    def __init__(self, kernel: Kernel, new_library: Callable[[], Any]) -> None:
        self._kernel, self._new_library = kernel, new_library

    def _key(self, takes: Any) -> str:
        own = digests.own(self._kernel)
        layouts = [digests.layout(dtype, own.names) for dtype in own.records]
        kinds = [described(kind, own.names) for kind in takes]
        return digests.short("\n".join([own.text, *layouts, *kinds]))

    def load_overload(self, takes: Any, target: Any) -> Any:
        known = read(self._key(takes))
        if known is None:
            return None
        library = self._library(known["code"])
        own = digests.own(self._kernel)
        called = {(kernel.__module__, kernel.__qualname__): kernel for kernel in own.called}
        for name, taken, returned in known["calls"]:
            callee: Any = called.get(name)
            try:
                callee.inner.compile(taken)
            except (AttributeError, errors.NumbaError):  # no longer called, or its arguments have other types
                return None
            found = callee.inner.overloads[taken]
            if described(found.signature.return_type, own.names) != returned:
                return None
            library.add_linking_library(found.library)
        for code in known["others"]:
            library.add_linking_library(self._library(code))
        return compiler.compile_result(
            typing_context=target.typing_context, target_context=target, entry_point=object(), library=library,
            signature=known["signature"], fndesc=known["descriptor"], objectmode=False,
        )  # fmt: skip

    def save_overload(self, takes: Any, compiled: Any) -> None:
        names = digests.own(self._kernel).names
        calls = []
        for callee, taken in [call for call in _CALLS[-1] if call[0] is not self._kernel]:
            returned = callee.inner.overloads[taken].signature.return_type
            calls.append(((callee.__module__, callee.__qualname__), taken, described(returned, names)))
        others = [one for one in compiled.library._linking_libraries if not isinstance(one, type(compiled.library))]
        compiled.fndesc.typemap = compiled.fndesc.calltypes = None
        what = {
            "calls": calls,
            "code": compiled.library._final_module.as_bitcode(),
            "others": [one._get_module_for_linking().as_bitcode() for one in others],
            "signature": compiled.signature,
            "descriptor": compiled.fndesc,
        }
        write(self._key(takes), what)

    def _library(self, code: bytes) -> Any:
        library = self._new_library()
        library._final_module = llvm.parse_bitcode(code)
        library.finalize()
        return library


class Finished:
    """The cache of an entry that was compiled here."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def _key(self, takes: Any) -> str:
        names = frozenset(name for one in digests.below(self._kernel) for name in digests.own(one).names)
        kinds = [described(kind, names) for kind in takes]
        machine = registry.cpu_target.target_context.codegen().magic_tuple()
        return digests.short("\n".join([digests.digest(self._kernel), *kinds, repr(machine)]))

    def load_overload(self, takes: Any, target: Any) -> Any:
        known = read(self._key(takes))
        return known and compiler.CompileResult._rebuild(target, *known)

    def save_overload(self, takes: Any, compiled: Any) -> None:
        write(self._key(takes), compiled._reduce())
