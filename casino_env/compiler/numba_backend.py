"""Kernels that are compiled once: inner ones wait as unfinished code for those that Python calls.

numba links into each function all that it calls, optimises the whole and turns it into machine code: in a stack of
seventeen floors the ground floor is done again on each. Here a function that only other kernels call stops half-way:
it is typed and lowered to LLVM's language, no more. One that Python calls collects all that it needs from every floor
below, and is optimised and emitted once.

All that leans on the insides of numba is in this file: the hooks are the same in 0.60 and 0.68. Where they are not as
expected, fits() is false and jit.py falls back on plain numba.njit, which is slower to compile and otherwise the same.
"""

import contextlib
import functools
import gc
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from numba import types
from numba.core import codegen, compiler, registry

Signature = Callable[[Any], Any]
Cache = Callable[[Callable[..., Any]], Any]


@functools.cache
def _announce() -> None:
    """Compiling takes seconds to minutes: say so, once in a process."""
    if not os.environ.get("CASINO_ENV_QUIET"):
        print("casino_env: compiling kernels once for this machine ...", file=sys.stderr, flush=True)


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


class _Unfinished(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of one inner kernel alone, neither linked with what it calls nor optimised nor emitted."""

    def finalize(self) -> None:
        self._finalized = True


class _Whole(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel that Python calls, with all that it calls on any floor."""

    def finalize(self) -> None:
        self._linking_libraries: list[Any] = list(_all_below(self._linking_libraries, set()))
        super().finalize()


def _all_below(libraries: Any, seen: set[Any]) -> Iterator[Any]:
    for library in libraries:
        if library not in seen:
            seen.add(library)
            yield library
            if isinstance(library, _Unfinished):
                yield from _all_below(library._linking_libraries, seen)


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


class _Compiler(compiler.CompilerBase):  # type: ignore[misc]
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
        super().__init__(typing, target, _Unfinished(target.codegen(), "kernel"), sig, returned, flags, *more)


class _EntryCompiler(_Compiler):
    def __init__(
        self, typing: Any, target: Any, _library: Any, sig: Any, returned: Any, flags: Any, *more: Any
    ) -> None:
        _announce()
        flags.no_cfunc_wrapper = True
        library = _Whole(target.codegen(), "entry")
        library.enable_object_caching()
        super().__init__(typing, target, library, sig, returned, flags, *more)


class _Kernel(registry.CPUDispatcher):  # type: ignore[misc]
    """A function with its compiled versions. widen: the signature that is compiled for the one that is asked for."""

    compiler: Any = None

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], widen: Signature) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=self.compiler)
        self._widen = widen

    def compile(self, sig: Any) -> Any:
        with _no_garbage():
            return super().compile(self._widen(sig))

    def _refuse_leaks(self, cres: Any) -> None:
        if not self.targetoptions["_nrt"] and any(_made_arrays(cres)):
            raise TypeError(f"{self.__name__} gets arrays that another kernel made: it has to be @allocating as well")

    def __reduce__(self) -> str:
        """Pickled by name, as functions are."""
        return str(self.py_func.__qualname__)


def _made_arrays(cres: Any) -> Iterator[bool]:
    """For each kernel that this one calls: it hands over arrays that it has made, and somebody has to free them."""
    for call, signature in (cres.fndesc.calltypes or {}).items():  # of one from the cache they are not known
        called = cres.fndesc.typemap.get(call.func.name) if getattr(call, "op", "") == "call" else None
        if isinstance(called, types.Dispatcher) and called.dispatcher.targetoptions.get("_nrt", True):
            yield cres.target_context.data_model_manager[signature.return_type].contains_nrt_meminfo()


class Inner(_Kernel):
    """Called by kernels. If Python calls it all the same (tests do), an entry is made for that."""

    compiler = _InnerCompiler

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], widen: Signature, cache: Cache) -> None:
        super().__init__(function, options, widen)
        self._options, self._make_cache = options, cache
        self._entry: Entry | None = None

    def add_overload(self, cres: Any) -> None:
        self._refuse_leaks(cres)
        # There is no function for Python; callers find the code by an object that stands for it.
        cres = cres._replace(entry_point=object())
        self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres

    def entry(self) -> "Entry":
        return Entry(self.py_func, self._options, self._widen, self)

    def __call__(self, *args: Any) -> Any:
        if self._entry is None:
            self._entry = self.entry()
        return self._entry(*args)


class Entry(_Kernel):
    """Called by Python, and kept on disk. Kernels that call it get its inner twin."""

    compiler = _EntryCompiler
    all: ClassVar[list["Entry"]] = []  # that have been loaded

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], widen: Signature, inner: Inner) -> None:
        super().__init__(function, options, widen)
        self.all.append(self)
        self._inner = inner
        self._cache = inner._make_cache(function)

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self._inner)

    def add_overload(self, cres: Any) -> None:
        self._refuse_leaks(cres)
        super().add_overload(cres)
        for environment in cres._find_referenced_environments():  # of what is linked in; numba sets this one's own
            cres.codegen.set_env(environment.env_name, environment)


def fits() -> bool:
    """Whether this numba is as the classes above take it to be."""
    pipeline = list(inspect.signature(compiler.CompilerBase.__init__).parameters)[1:]
    return (
        pipeline == ["typingctx", "targetctx", "library", "args", "return_type", "flags", "locals"]
        and {"no_compile", "no_cpython_wrapper", "no_cfunc_wrapper"} <= set(compiler.Flags.options)
        and hasattr(codegen.JITCodeLibrary, "_get_module_for_linking")
        and hasattr(codegen.JITCodeLibrary, "_finalize_final_module")
        and hasattr(compiler.CompileResult, "_find_referenced_environments")
    )
