"""The compiler's front door: one decorator and the bit instructions that numba does not offer."""

import functools
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

_PACKAGE = Path(__file__).parent.parent


@functools.cache
def _cache_folder(*packages: Path) -> Path:
    """Where kernels made of the sources in these folders are kept.

    numba checks only the file of the function that it loads from its cache; a change in a file that is inlined into
    it would go unnoticed. So the folder is named after all sources together.
    """
    sources = sorted({path for package in (_PACKAGE, *packages) for path in package.rglob("*.py")})
    name = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    root = os.environ.get("CASINO_ENV_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "casino_env" / name


def _packages(function: Callable[..., Any]) -> list[Path]:
    """The folders of a function and of the kernels that it may call."""
    dispatcher = numba.core.dispatcher.Dispatcher
    called = [each for each in function.__globals__.values() if isinstance(each, dispatcher)]
    return sorted({Path(each.__code__.co_filename).parent for each in (function, *called)})


@functools.cache
def announce_compile() -> None:
    """The first run on a machine compiles for some time: say so."""
    if not os.environ.get("CASINO_ENV_QUIET") and not any(_cache_folder().glob("**/*.nbi")):
        print("casino_env: compiling the game kernels once for this machine (under a minute) ...", file=sys.stderr)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile to machine code, cached on disk. Kernels raise nothing and draw from the state they are given."""
    return _compiled(function, fastmath=False)


def fast_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel of floating-point loops, whose sums may be added up in any order: for networks, never for rules."""
    return _compiled(function, fastmath=True)


def _compiled(function: Callable[..., Any], fastmath: bool) -> Callable[..., Any]:
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_cache_folder(*_packages(function)))
    try:
        dispatcher: Any = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=fastmath)(function)
    finally:
        config.CACHE_DIR = before
    compile_exactly = dispatcher.compile
    dispatcher.compile = lambda signature: compile_exactly(_widened(signature))
    return dispatcher  # type: ignore[no-any-return]


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
def scratch(_context: Any) -> Any:
    """64 small numbers on the machine's stack. (A cached kernel must not call itself: numba crashes on loading it.)"""

    def emit(_ctx: Any, builder: Any, _sig: Any, _args: Any) -> Any:
        room = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(8), 64))
        return builder.bitcast(room, ir.IntType(8).as_pointer())

    return types.CPointer(types.int8)(), emit


@intrinsic
def _leading_zeros(_context: Any, _word: Any) -> Any:
    def emit(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), emit


@kernel
def highest(word):
    """Index of the highest set bit; -1 if there is none."""
    return 63 - _leading_zeros(word)
