"""Compiles kernels with numba: inner kernels only to unfinished code, and those that Python calls to machine code.

numba links everything that a function calls into it, optimises the whole and emits machine code; in a call stack of
seventeen levels it would compile the lowest level on each of them. Here a function that only kernels call is only typed
and lowered to LLVM IR. A function that Python calls collects the code of all levels below it, and is optimised and
emitted once. The library (build.py) uses the same unfinished code, for any processor. Both are cached (kept.py).

Only this file, kept.py and build.py use internals of numba; these are the same in 0.60 and 0.68.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import bytecode, codegen, compiler, registry
from numba.core.compiler_lock import global_compiler_lock
from numba.np import numpy_support

from casino_env.compiler import intrinsics, kept
from casino_env.compiler.digests import record_name
from casino_env.compiler.types import Elements, Kind, Number, arguments


@functools.cache
def _announce() -> None:
    """Say once in a process that kernels are compiled, which takes seconds to minutes."""
    if not os.environ.get("CASINO_ENV_QUIET"):
        sys.stderr.write("casino_env: compiling kernels once for this machine ...\n")
        sys.stderr.flush()


@contextlib.contextmanager
def _no_garbage() -> Iterator[None]:
    """Switch the garbage collector off: it frees almost nothing in a compilation, and takes a seventh of it."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


# --- making numba stop before it optimises -------------------------------------------------------------------------


class Unfinished(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of one inner kernel: not linked with what it calls, not optimised, not emitted."""

    def _optimize_functions(self, module: Any) -> None:
        """Do nothing: to optimise would fix where fields lie, but the size of pointers depends on the processor."""

    def finalize(self) -> None:
        self._finalized = True


class _Whole(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel that Python calls, with everything below it."""

    def finalize(self) -> None:
        self._linking_libraries: list[Any] = list(all_below(self._linking_libraries, set()))
        super().finalize()


def all_below(libraries: Any, seen: set[Any]) -> Iterator[Any]:
    for library in libraries:
        if library not in seen:
            seen.add(library)
            yield library
            if isinstance(library, Unfinished):
                yield from all_below(library._linking_libraries, seen)


# Passes of numba for what kernels do not have: closures, objects, annotations.
_SKIPPED = frozenset(
    {
        "WithLifting",
        "InlineClosureLikes",
        "RewriteSemanticConstants",
        "DeadBranchPrune",
        "RewriteDynamicRaises",
        "MakeFunctionToJitFunction",
        "InlineInlinables",
        "FindLiterallyCalls",
        "LiteralUnroll",
        "LiteralPropagationSubPipelinePass",
        "InlineOverloads",
        "NoPythonSupportedFeatureValidation",
        "AnnotateTypes",
        "DumpParforDiagnostics",
    }
)


class _Compiler(compiler.CompilerBase):  # type: ignore[misc]
    def compile_extra(self, func: Any) -> Any:
        """Give functions the same names in every process, so that code from several processes can be linked."""
        known = self.state.func_id = bytecode.FunctionIdentity.from_function(func)
        known.unique_id = zlib.crc32(f"{func.__module__}.{func.__qualname__}".encode())
        known.unique_name = f"{known.func_qualname}${known.unique_id}"
        compiler.ExtractByteCode().run_pass(self.state)
        self.state.lifted, self.state.lifted_from = (), None
        return self._compile_bytecode()

    def define_pipelines(self) -> list[Any]:
        usual = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        short = compiler.PassManager(usual.pipeline_name)
        for step, name in usual.passes:
            if step.__name__ not in _SKIPPED:
                short.add_pass(step, name)
        short.finalize()
        return [short]


class _InnerCompiler(_Compiler):
    def __init__(
        self, typing: Any, target: Any, _library: Any, sig: Any, returned: Any, flags: Any, *more: Any
    ) -> None:
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        super().__init__(typing, target, Unfinished(target.codegen(), "kernel"), sig, returned, flags, *more)


class _EntryCompiler(_Compiler):
    def __init__(
        self, typing: Any, target: Any, _library: Any, sig: Any, returned: Any, flags: Any, *more: Any
    ) -> None:
        _announce()
        flags.no_cfunc_wrapper = True
        library = _Whole(target.codegen(), "entry")
        library.enable_object_caching()
        super().__init__(typing, target, library, sig, returned, flags, *more)


# --- types ---------------------------------------------------------------------------------------------------------


@functools.cache
def _record_type(dtype: Any) -> Any:
    """A record type that is identified by its name, not by its fields: a new field changes only code that uses it."""
    fields = [(name, {"type": numpy_support.from_dtype(at[0]), "offset": at[1]}) for name, at in dtype.fields.items()]
    made = object.__new__(types.Record)
    made.__init__(fields, dtype.itemsize, dtype.isalignedstruct)
    made.name = record_name(dtype)
    kept.RECORDS[made.name] = dtype
    return type(types.Record)._intern(types.Record, made)


numpy_support.from_struct_dtype = _record_type
types.Record.mangling_args = property(lambda self: (self.name, ()))


def numba_type(kind: Kind) -> Any:
    """numba's type of an argument."""
    if isinstance(kind, Number):
        return {"q": types.int64, "Q": types.uint64, "d": types.float64}[kind.code]
    if isinstance(kind, Elements):
        return numba.typeof(np.empty((0,) * kind.dimensions, kind.dtype))
    return types.BaseTuple.from_types([numba_type(part) for part in kind.parts], kind.of)


def signature_of(kernel: Any) -> tuple[Any, ...]:
    """The types of an entry's arguments, by its annotations."""
    return tuple(numba_type(kind) for kind in arguments(kernel.function).values())


def type_of_instruction(name: str) -> Any:
    return registry.cpu_target.typing_context.resolve_value_type(getattr(intrinsics, name))


def _widened(signature: Any) -> Any:
    """Make small integers, flags and constants int64, so that a kernel has one version instead of one for each type."""
    if not isinstance(signature, tuple):
        return signature
    plain = (types.unliteral(kind) for kind in signature)
    return tuple(
        types.int64
        if isinstance(kind, types.Boolean) or (isinstance(kind, types.Integer) and kind.bitwidth < 64)
        else kind
        for kind in plain
    )


# --- kernels -------------------------------------------------------------------------------------------------------


class _Dispatcher(registry.CPUDispatcher):  # type: ignore[misc]
    """A function with its compiled versions."""

    compiler: Any = None

    def __init__(self, kernel: Any) -> None:
        options = {
            "nogil": True, "error_model": "numpy", "fastmath": kernel.fastmath, "forceinline": kernel.inline,
            "nopython": True, "boundscheck": None, "_nrt": False,
        }  # fmt: skip
        super().__init__(kernel.as_kernels_see_it(), targetoptions=options, pipeline_class=self.compiler)
        self.kernel = kernel

    def compile(self, sig: Any) -> Any:
        sig = _widened(sig)
        with global_compiler_lock, _no_garbage(), kept.calls_of(self.kernel, sig):
            return super().compile(sig)


class _Inner(_Dispatcher):
    """A function that kernels call."""

    compiler = _InnerCompiler

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel)
        self._cache = kept.Unfinished(kernel, lambda: Unfinished(self.targetctx.codegen(), "kernel"))

    def add_overload(self, cres: Any) -> None:
        # It has no Python function; callers find the code by this object.
        cres = cres._replace(entry_point=object())
        self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres


class _Entry(_Dispatcher):
    """A function that Python calls."""

    compiler = _EntryCompiler

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel)
        self._cache = kept.Finished(kernel)
        self._takes = signature_of(kernel) if kernel.is_entry else None

    def compile(self, sig: Any) -> Any:
        """Compile the version of the annotations; entries have no other."""
        if self._takes is not None and _widened(tuple(sig)) != self._takes:
            wrong = [f"{name}: {had}, not {has}" for name, had, has in self._compared(sig) if had != has]
            raise TypeError(f"{self.kernel.__module__}.{self.kernel.__name__} was called with {'; '.join(wrong)}")
        return super().compile(sig)

    def _compared(self, sig: Any) -> Iterator[tuple[str, Any, Any]]:
        return zip(arguments(self.kernel.function), _widened(tuple(sig)), self._takes or (), strict=False)

    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        for environment in cres._find_referenced_environments():  # numba sets only the function's own
            cres.codegen.set_env(environment.env_name, environment)


def inner_of(kernel: Any) -> Any:
    return _Inner(kernel)


def entry_of(kernel: Any) -> Any:
    return _Entry(kernel)
