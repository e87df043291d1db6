"""The compiler's front door: decorators and the bit instructions that numba does not offer."""

import functools
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.core.caching import FunctionCache, NullCache
from numba.extending import intrinsic

import casino_env

try:
    from casino_env.compiler import numba_backend as backend
except (ImportError, AttributeError):  # a numba that is made up differently
    backend = None  # type: ignore[assignment]
else:
    if not backend.fits():
        backend = None  # type: ignore[assignment]


_IMPORTS = re.compile(r"^\s*from (casino_env[\w.]*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)


def _file_of(name: str) -> Path | None:
    """The file of a module of ours, wherever its part of the project lies."""
    rest = Path(*name.split(".")[1:]).with_suffix(".py")
    return next((file for file in (Path(place) / rest for place in casino_env.__path__) if file.is_file()), None)


@functools.cache
def _imported(file: Path) -> frozenset[Path]:
    """The files of ours that a file imports."""
    names = set()
    for module, many, few in _IMPORTS.findall(file.read_text()):
        names |= {module, *(f"{module}.{name.split()[0]}" for name in (many or few).split(",") if name.strip())}
    return frozenset(path for name in names if name != "casino_env" and (path := _file_of(name)))


@functools.cache
def sources(file: Path) -> frozenset[Path]:
    """The files on which the kernels of a file depend: itself and all of ours that it imports, directly or not."""
    known, new = frozenset[Path](), frozenset({file})
    while new:
        known |= new
        new = frozenset(path for source in new for path in _imported(source)) - known
    return known


@functools.cache
def _cache_folder(file: Path) -> Path:
    """Where the kernels of a file are kept.

    numba checks only the file of the function that it loads from its cache; a change in a file that is inlined into
    it would go unnoticed. So the folder is named after the text of all sources, and after the compiler: environments
    with different ones may share a checkout.
    """
    text = numba.__version__.encode() + b"".join(path.read_bytes() for path in sorted(sources(file)))
    home = os.environ.get("CASINO_ENV_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "casino_env" / hashlib.sha256(text).hexdigest()[:16]


@functools.cache
def _can_keep(folder: Path) -> bool:
    """Files can be written there. (Else numba would keep kernels beside the sources, whatever these come to say.)"""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError as error:
        _complain(folder.parent, str(error.strerror))
        return False


@functools.cache
def _complain(folder: Path, why: str) -> None:
    sys.stderr.write(f"casino_env: kernels are compiled anew each time: no writing in {folder}: {why}\n")


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Machine code for other kernels to call. Kernels raise nothing and draw from the state they are given."""
    return _compiled(function, fastmath=False, called_by_python=False)


def allocating(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that makes arrays, or gets them from one that does: they are counted, and freed after their last use.

    All others are lent the arrays that they work on, and count nothing: that would be atomic instructions, by which
    threads get into each other's way.
    """
    return _compiled(function, fastmath=False, called_by_python=False, counts=True)


def fast_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel of floating-point loops, whose sums may be added up in any order: for networks, never for rules."""
    return _compiled(function, fastmath=True, called_by_python=False)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A fast_kernel that becomes part of those that call it: where many arrays would be handed on, which are copied
    word by word, more often than is worth it."""
    return _compiled(function, fastmath=True, called_by_python=False, forceinline=True)


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that Python calls: kept on disk, together with all that it calls."""
    return _compiled(function, fastmath=False, called_by_python=True)


def fast_entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """A fast_kernel that Python calls."""
    return _compiled(function, fastmath=True, called_by_python=True)


def _compiled(
    function: Callable[..., Any],
    *,
    fastmath: bool,
    called_by_python: bool,
    forceinline: bool = False,
    counts: bool = False,
) -> Callable[..., Any]:
    options = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": fastmath,
        "forceinline": forceinline,
        "_nrt": counts,  # numba's counting of references to arrays
    }
    if config.DISABLE_JIT:
        return function
    if backend is None:
        return _plain(function, options)
    inner = backend.Inner(function, {"nopython": True, "boundscheck": None, **options}, _widened, _cache)
    return inner.entry() if called_by_python else inner


def _plain(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    """Every kernel a function of its own, as numba has it: slower to compile, the same otherwise."""
    dispatcher: Any = numba.njit(**options)(function)
    dispatcher._cache = _cache(function)
    compile_exactly = dispatcher.compile
    dispatcher.compile = lambda signature: compile_exactly(_widened(signature))
    return dispatcher  # type: ignore[no-any-return]


def _cache(function: Callable[..., Any]) -> Any:
    folder = _cache_folder(Path(function.__code__.co_filename))
    if not _can_keep(folder):
        return NullCache()
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        return FunctionCache(function)
    finally:
        config.CACHE_DIR = before


def _widened(signature: Any) -> Any:
    """All small integers, flags and constants become int64: one version of a kernel instead of one for each."""
    if not isinstance(signature, tuple):
        return signature
    plain = (types.unliteral(kind) for kind in signature)
    return tuple(
        types.int64
        if isinstance(kind, types.Boolean) or (isinstance(kind, types.Integer) and kind.bitwidth < 64)
        else kind
        for kind in plain
    )


# Sets of cards are int64: 52 bits leave the sign alone, and numba turns mixed int64 and uint64 into floats.


@intrinsic
def popcount(_context: Any, _word: Any) -> Any:
    """How many bits are set."""

    def emit(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), emit


@intrinsic
def lowest(_context: Any, _word: Any) -> Any:
    """Index of the lowest set bit; 64 if there is none."""

    def emit(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), emit


@intrinsic
def mirrored(_context: Any, _word: Any) -> Any:
    """The 64 bits in the opposite order."""

    def emit(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.bitreverse(args[0])

    return types.int64(types.int64), emit


def _room(many: int, bits: int) -> Any:
    """So many numbers on the machine's stack."""

    def emit(_ctx: Any, builder: Any, _sig: Any, _args: Any) -> Any:
        room = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(bits), many))
        return builder.bitcast(room, ir.IntType(bits).as_pointer())

    return emit


@intrinsic
def scratch(_context: Any) -> Any:
    """64 small numbers on the machine's stack. (A cached kernel must not call itself: numba crashes on loading it.)"""
    return types.CPointer(types.int8)(), _room(64, 8)


@intrinsic
def card_sets(_context: Any) -> Any:
    """16 sets of cards there, such as one for each value."""
    return types.CPointer(types.int64)(), _room(16, 64)


@intrinsic
def items_of(_context: Any, array: Any) -> Any:
    """The numbers of an array that lie one after the other, from the first on: handed on as one word instead of
    seven, and not asked about negative places when they are written."""
    if array.ndim != 1 or array.layout != "C":
        raise TypeError(f"the numbers of {array} do not lie one after the other")

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.make_array(sig.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), emit


@intrinsic
def take(_context: Any, taken: Any, _many: Any) -> Any:
    """How many were taken so far, and from now on so many more: threads that share work each get what no other gets."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array = context.make_array(sig.args[0])(context, builder, args[0])
        return builder.atomic_rmw("add", array.data, args[1], "monotonic")

    return types.int64(taken, types.int64), emit


@intrinsic
def _leading_zeros(_context: Any, _word: Any) -> Any:
    def emit(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), emit


@kernel
def highest(word):
    """Index of the highest set bit; -1 if there is none."""
    return 63 - _leading_zeros(word)
