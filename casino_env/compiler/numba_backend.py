"""numba compiles kernels: inner ones wait as unfinished code for those that Python calls.

numba links into each function all that it calls, optimises the whole and turns it into machine code: in a stack of
seventeen floors the ground floor is done again on each. Here a function that only other kernels call stops half-way:
it is typed and lowered to LLVM's language, no more. One that Python calls collects all that it needs from every floor
below, and is optimised and emitted once, and kept on disk. The library (build.py) takes the same unfinished code.

All that leans on the insides of numba is in this file and in build.py: the hooks are the same in 0.60 and 0.68.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numba
import numpy as np
from numba import types
from numba.core import bytecode, caching, codegen, compiler, registry
from numba.core.caching import NullCache

from casino_env.compiler import intrinsics
from casino_env.compiler.sources import file_of, sources
from casino_env.compiler.types import Elements, Kind, Number, arguments


@functools.cache
def _announce() -> None:
    """Compiling takes seconds to minutes: say so, once in a process."""
    if not os.environ.get("CASINO_ENV_QUIET"):
        sys.stderr.write("casino_env: compiling kernels once for this machine ...\n")
        sys.stderr.flush()


@contextlib.contextmanager
def _no_garbage() -> Iterator[None]:
    """The collector finds next to nothing in all that a compilation makes, and takes a seventh of its time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


# --- how numba is told to stop half-way ----------------------------------------------------------------------------


class Unfinished(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of one inner kernel alone, neither linked with what it calls nor optimised nor emitted."""

    portable: ClassVar[bool] = False  # also to processors with other pointers, where fields of tuples lie elsewhere

    def _optimize_functions(self, module: Any) -> None:
        """numba simplifies single functions at once, and writes down where fields lie on this machine."""
        if not self.portable:
            super()._optimize_functions(module)

    def finalize(self) -> None:
        self._finalized = True


class _Whole(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel that Python calls, with all that it calls on any floor."""

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


# What numba does to every function for the sake of things that kernels do not have: closures, objects, annotations.
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


class Compiler(compiler.CompilerBase):  # type: ignore[misc]
    lasting_names: ClassVar[bool] = False  # the same in every process, so that code of several can be put together

    def compile_extra(self, func: Any) -> Any:
        if not self.lasting_names:
            return super().compile_extra(func)
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


class _InnerCompiler(Compiler):
    def __init__(
        self, typing: Any, target: Any, _library: Any, sig: Any, returned: Any, flags: Any, *more: Any
    ) -> None:
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        super().__init__(typing, target, Unfinished(target.codegen(), "kernel"), sig, returned, flags, *more)


class _EntryCompiler(Compiler):
    def __init__(
        self, typing: Any, target: Any, _library: Any, sig: Any, returned: Any, flags: Any, *more: Any
    ) -> None:
        _announce()
        flags.no_cfunc_wrapper = True
        library = _Whole(target.codegen(), "entry")
        library.enable_object_caching()
        super().__init__(typing, target, library, sig, returned, flags, *more)


# --- types ---------------------------------------------------------------------------------------------------------


def numba_type(kind: Kind) -> Any:
    """The type of an argument as numba has it."""
    if isinstance(kind, Number):
        return {"q": types.int64, "Q": types.uint64, "d": types.float64}[kind.code]
    if isinstance(kind, Elements):
        return numba.typeof(np.empty((0,) * kind.dimensions, kind.dtype))
    return types.BaseTuple.from_types([numba_type(part) for part in kind.parts], kind.of)


def signature_of(kernel: Any) -> tuple[Any, ...]:
    """What an entry takes, by its annotations."""
    return tuple(numba_type(kind) for kind in arguments(kernel.function).values())


def type_of_instruction(name: str) -> Any:
    return registry.cpu_target.typing_context.resolve_value_type(getattr(intrinsics, name))


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
        with _no_garbage():
            return super().compile(_widened(sig))


class _Inner(_Dispatcher):
    """Called by kernels."""

    compiler = _InnerCompiler

    def add_overload(self, cres: Any) -> None:
        # There is no function for Python; callers find the code by an object that stands for it.
        cres = cres._replace(entry_point=object())
        self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres


class _Entry(_Dispatcher):
    """Called by Python, and kept on disk."""

    compiler = _EntryCompiler

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel)
        self._cache = _cache(kernel)
        self._takes = signature_of(kernel) if kernel.is_entry else None

    def compile(self, sig: Any) -> Any:
        """Entries have one version: that of their annotations."""
        if self._takes is not None and _widened(tuple(sig)) != self._takes:
            wrong = [f"{name}: {had}, not {has}" for name, had, has in self._compared(sig) if had != has]
            raise TypeError(f"{self.kernel.__module__}.{self.kernel.__name__} is called with {'; '.join(wrong)}")
        return super().compile(sig)

    def _compared(self, sig: Any) -> Iterator[tuple[str, Any, Any]]:
        return zip(arguments(self.kernel.function), _widened(tuple(sig)), self._takes or (), strict=False)

    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        for environment in cres._find_referenced_environments():  # of what is linked in; numba sets this one's own
            cres.codegen.set_env(environment.env_name, environment)


def inner_of(kernel: Any) -> Any:
    return _Inner(kernel)


def entry_of(kernel: Any) -> Any:
    return _Entry(kernel)


# --- what is kept on disk --------------------------------------------------------------------------------------------


class _Place(caching._CacheLocator):  # type: ignore[misc]
    """Where the kernels of a module are kept: never beside the sources, and for all places where these lie.

    numba checks only the file of the function that it loads; a change in a file that is inlined into it would go
    unnoticed. So the folder is named after the text of all sources, and after the compiler, and says it all.
    """

    def __init__(self, function: Any) -> None:
        self._folder, self._line = _cache_folder(function.__module__), function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Any, _file: str) -> Any:
        return cls(function)

    def ensure_cache_path(self) -> None:
        with contextlib.suppress(OSError):  # said where something is kept; what is there already can be read
            os.makedirs(self._folder, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Kept(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar = [_Place]


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    """What cannot be written is said, what cannot be read is compiled anew: neither stops a program."""

    _impl_class = _Kept

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError:  # there is nothing
            return None
        except Exception:  # noqa: BLE001  cut off or damaged: unpickling stumbles in many ways
            sys.stderr.write(f"casino_env: a kernel kept in {self.cache_path} is damaged: it is compiled anew\n")
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _complain(f"no writing in {self.cache_path}: {error.strerror}")


def _cache(kernel: Any) -> Any:
    try:
        return _Cache(kernel.function)
    except RuntimeError as error:  # there is no home
        _complain(str(error))
        return NullCache()


@functools.cache
def _cache_folder(module: str) -> Path:
    """Raises RuntimeError if the user has no home and none is named."""
    files = [file_of(name) for name in sources(module)] or [Path(sys.modules[module].__file__ or "")]
    text = numba.__version__.encode() + b"".join(file.read_bytes() for file in files if file)
    home = Path(os.environ.get("CASINO_ENV_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return home / "casino_env" / hashlib.sha256(text).hexdigest()[:16]


@functools.cache
def _complain(why: str) -> None:
    sys.stderr.write(f"casino_env: kernels are compiled anew each time: {why}\n")
