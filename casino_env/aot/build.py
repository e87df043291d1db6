"""Builds the library: machine code of all entries, for one target after another.

numba compiles every entry for its annotated types, only as far as unoptimised LLVM code (lower). All entries become one
module that holds each inner kernel once. A wrapper around each entry, the border, takes one block of 64-bit slots:
Python, C and JavaScript write numbers and addresses of arrays there and read the result from it. Only then is the
module optimised for a processor (emit) and linked (link).
"""

from __future__ import annotations

import hashlib
import importlib.abc
import importlib.machinery
import json
import multiprocessing
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import registry
from numba.np.arrayobj import populate_array

from casino_env.aot.c_header import c_header
from casino_env.compiler import kept
from casino_env.compiler.digests import digest as digest_of_entry
from casino_env.compiler.digests import file_digest, sources
from casino_env.compiler.jit import ENTRIES, Kernel
from casino_env.compiler.library import FOLDER, FORMAT, MANIFEST, c_file_name, digest_of, file_name, read_manifest
from casino_env.compiler.numba_backend import all_below, numba_type, signature_of
from casino_env.compiler.types import Elements, Fields, Kind, Number, arguments, taken
from casino_env.machine import end_with_parent
from casino_env.validate import closest
from casino_env.version import __version__

_SLOT, _STATUS = ir.IntType(64), ir.IntType(32)
_FEW = 6  # up to so many entries are lowered in this process: starting others takes longer
_LONG = 0.5  # seconds: entries that take longer to lower are reported
CODE = Path(__file__).parent / "c"


# --- the entries -----------------------------------------------------------------------------------------------------


def modules_of_entries() -> list[str]:
    """Return the modules of the project that define entries."""
    found = []
    for part in ("", "agents", "evaluate", "train"):
        home = next(Path(place) / part for place in sys.modules["casino_env"].__path__ if (Path(place) / part).is_dir())
        for file in sorted(home.rglob("*.py")):
            names = file.relative_to(home).with_suffix("").parts
            linked = not part and names[0] in ("agents", "evaluate", "train", "play")
            if not linked and re.search(r"^@(fast_)?entry$", file.read_text("utf-8"), re.MULTILINE):
                found.append(".".join(filter(None, ("casino_env", part, *names))))
    return found


def symbol_of(name: str) -> str:
    return "casino_" + name.removeprefix("casino_env.").replace(".", "_")


def _answer_letters(kind: Any) -> str:
    """Return an entry's result type in the letter code of c/border.c."""
    if isinstance(kind, types.NoneType):
        return ""
    if isinstance(kind, types.Boolean):
        return "?"
    if isinstance(kind, types.Integer):
        return "q" if kind.signed else "Q"
    if isinstance(kind, types.Float):
        return "d"
    if isinstance(kind, types.BaseTuple):
        return f"({''.join(_answer_letters(part) for part in kind)})"
    raise TypeError(f"entries return numbers and tuples of them, not {kind}")


# --- stubs for packages that are not installed (torch and others): modules import them, no kernel uses them

_UNUSED = ("torch", "tensorboard", "scipy", "choix", "rich")


class _Anything(type):
    """A class that has every attribute, can be inherited from, and can be called (as a decorator)."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __call__(cls, *args: Any, **_keywords: Any) -> Any:
        return args[0] if args and callable(args[0]) else cls


class Nothing(metaclass=_Anything):
    pass


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(Nothing, name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, absent: list[str]) -> None:
        self._absent = absent

    def find_spec(self, name: str, _path: Any, _target: Any = None) -> Any:
        return (
            importlib.machinery.ModuleSpec(name, self, is_package=True)
            if name.partition(".")[0] in self._absent
            else None
        )

    def create_module(self, spec: Any) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def stand_in() -> None:
    """Put stubs in place of packages that are not installed, ahead of all finders: pip may be installing one."""
    sys.meta_path.insert(0, _Finder([name for name in _UNUSED if not _is_whole(name)]))


def _is_whole(name: str) -> bool:
    """Return whether a package is completely installed: pip writes its list of files last."""
    try:
        return find_spec(name) is not None and metadata.files(name) is not None
    except metadata.PackageNotFoundError:
        return False


# --- from functions to one module ------------------------------------------------------------------------------------


@dataclass
class Lowered:
    """Entries as unoptimised LLVM bitcode for any processor, and their rows for the manifest."""

    code: bytes
    rows: dict[str, dict[str, Any]]


def lower(modules: list[str]) -> Lowered:
    """Lower the entries of some modules into one LLVM module: in two processes if there are many."""
    names = list(entries_of(modules))
    if len(names) <= _FEW:
        return lower_some(names)
    opened = [name for name in names if ".opened." in name]  # agents and the judge: half of the work
    with _two_processes() as pool:
        parts = list(pool.map(lower_some, [opened, [name for name in names if name not in opened]]))
    rows = {name: row for part in parts for name, row in part.rows.items()}
    return Lowered(_linked([llvm.parse_bitcode(part.code) for part in parts]), {name: rows[name] for name in names})


def lower_some(names: list[str]) -> Lowered:
    """Lower some entries, or take them from the cache."""
    chosen = entries_of(sorted({name.rpartition(".")[0] for name in names}))
    rows: dict[str, dict[str, Any]] = {}
    module, libraries = registry.cpu_target.target_context.create_module("border"), []
    for number, name in enumerate(names, 1):
        began = time.perf_counter()
        compiled = _lowered(chosen[name])
        libraries.append(compiled.library)
        rows[name] = _add_border(module, name, chosen[name], compiled)
        if time.perf_counter() - began > _LONG:
            say(f"{number} of {len(names)}: {name.removeprefix('casino_env.')}", began)
    parts = dict.fromkeys([*libraries, *all_below(libraries, set())])
    copies = [part._final_module.clone() for part in parts]
    border = llvm.parse_assembly(str(module) + _nothing_said(copies))
    return Lowered(_linked([border, *copies]), rows)


_SAID = ".const.picklebuf."  # pickled messages of numba's exceptions: never read, and they name files of this machine


def _nothing_said(modules: list[Any]) -> str:
    """Define these messages as zeros, so that the same kernels give the same bytes on every machine."""
    names = dict.fromkeys(one.name for module in modules for one in module.global_variables if _is_said(one))
    return "".join(f'\n@"{name}" = constant [40 x i8] zeroinitializer, align 8' for name in names) + "\n"


def _is_said(value: Any) -> bool:
    return bool(value.name.startswith(_SAID))


def entries_of(modules: list[str]) -> dict[str, Kernel]:
    stand_in()
    for module in modules:
        import_module(module)
    return {name: kernel for name, kernel in sorted(ENTRIES.items()) if kernel.__module__ in modules}


def _lowered(kernel: Kernel) -> Any:
    signature = signature_of(kernel)
    kernel.inner.compile(signature)
    return kernel.inner.overloads[signature]


def lower_all() -> Lowered:
    """Lower all entries of the project."""
    return lower(modules_of_entries())


@contextmanager
def _two_processes() -> Iterator[ProcessPoolExecutor]:
    """Run a pool of two processes; kill them on Ctrl-C or an error: inside LLVM nothing else stops them."""
    pool = ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), initializer=end_with_parent)
    try:
        yield pool
    except BaseException:
        for worker in multiprocessing.active_children():
            worker.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _linked(modules: list[Any]) -> bytes:
    """Link modules into one that holds shared functions once. Link in pairs: LLVM scans the whole module it links into,
    so linking one by one takes ten times as long."""
    for number, module in enumerate(modules):
        for value in module.global_variables:
            if value.linkage == llvm.Linkage.common or (number and _is_said(value)):
                value.linkage = "weak_any"
        for function in module.functions:
            if not function.is_declaration and not function.name.startswith("casino_"):
                function.linkage = "weak_odr"
    while len(modules) > 1:
        for left, right in zip(modules[::2], modules[1::2], strict=False):
            try:
                left.link_in(right)
            finally:  # LLVM has freed it, even if an interrupt came before llvmlite noted that
                right.detach()
        modules = modules[::2]
    return bytes(modules[0].as_bitcode())


# --- the border: a wrapper around each entry -------------------------------------------------------------------------


def _add_border(module: Any, name: str, kernel: Kernel, compiled: Any) -> dict[str, Any]:
    """Add the wrapper that calls an entry with a block of slots; return the entry's row in the manifest."""
    context = registry.cpu_target.target_context
    kinds, signature = list(arguments(kernel.function).values()), compiled.signature
    function = ir.Function(module, ir.FunctionType(_STATUS, [_SLOT.as_pointer()]), symbol_of(name))
    builder = ir.IRBuilder(function.append_basic_block())
    slots = _Slots(builder, function.args[0])
    values = [_read(context, builder, slots, kind) for kind in kinds]
    callee = context.declare_function(module, compiled.fndesc)
    status, result = context.call_conv.call_function(builder, callee, signature.return_type, signature.args, values)
    _write(context, builder, _Slots(builder, function.args[0]), signature.return_type, result)
    builder.ret(builder.select(status.is_ok, ir.Constant(_STATUS, 0), ir.Constant(_STATUS, 1)))
    return {
        "symbol": symbol_of(name),
        "digest": digest_of_entry(kernel),
        "takes": taken(kernel.function),
        "returns": _answer_letters(signature.return_type),
    }


class _Slots:
    """Reads or writes a block slot by slot."""

    def __init__(self, builder: Any, block: Any) -> None:
        self._builder, self._block, self._next = builder, block, 0

    def _place(self) -> Any:
        self._next += 1
        return self._builder.gep(self._block, [ir.Constant(_SLOT, self._next - 1)])

    def read(self) -> Any:
        return self._builder.load(self._place())

    def write(self, value: Any) -> None:
        self._builder.store(value, self._place())


def _read(context: Any, builder: Any, slots: _Slots, kind: Kind) -> Any:
    if isinstance(kind, Fields):
        return context.make_tuple(
            builder, numba_type(kind), [_read(context, builder, slots, part) for part in kind.parts]
        )
    if isinstance(kind, Number):
        word = slots.read()
        return builder.bitcast(word, ir.DoubleType()) if kind.code == "d" else word
    return _read_array(context, builder, slots, kind)


def _read_array(context: Any, builder: Any, slots: _Slots, kind: Elements) -> Any:
    array_type = numba_type(kind)
    array = context.make_array(array_type)(context, builder)
    data = builder.inttoptr(slots.read(), array.data.type)
    shape = [slots.read() for _ in range(kind.dimensions)]
    item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array_type.dtype)))
    strides = [item]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=item, meminfo=None)
    return array._getvalue()


def _write(context: Any, builder: Any, slots: _Slots, kind: Any, value: Any) -> None:
    if isinstance(kind, types.BaseTuple):
        for i, part in enumerate(kind):
            _write(context, builder, slots, part, builder.extract_value(value, i))
    elif isinstance(kind, types.Float):
        slots.write(builder.bitcast(context.cast(builder, value, kind, types.float64), _SLOT))
    elif not isinstance(kind, types.NoneType):
        slots.write(context.cast(builder, value, kind, types.int64))


# --- from the module to a file ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """A processor and a system to compile for."""

    level: str  # processor level: part of the file name
    triple: str  # LLVM's name
    cpu: str
    system: str  # zig's name
    extra: tuple[str, ...] = ()  # linker options
    features: str = ""  # processor features beyond those of cpu


_LOOK_UP = ("-Wl,-undefined,dynamic_lookup",)  # macOS: find Python's functions when the library is loaded
_NEEDS = {"x86-64-v2": ("sse4.2", "popcnt"), "x86-64-v3": ("avx2", "bmi2", "fma", "lzcnt", "movbe")}
TARGETS: dict[str, list[Target]] = {
    "linux-x86_64": [
        Target(level, "x86_64-unknown-linux-gnu", level, "x86_64-linux-gnu.2.17")
        for level in ("x86-64-v2", "x86-64-v3")
    ],
    "linux-aarch64": [Target("arm64", "aarch64-unknown-linux-gnu", "generic", "aarch64-linux-gnu.2.17")],
    "macos-arm64": [Target("arm64", "arm64-apple-macosx11.0.0", "apple-m1", "aarch64-macos.11.0", _LOOK_UP)],
    "macos-x86_64": [
        Target(level, "x86_64-apple-macosx11.0.0", level, "x86_64-macos.11.0", _LOOK_UP)
        for level in ("x86-64-v2", "x86-64-v3")
    ],
    "windows-x86_64": [
        Target(level, "x86_64-pc-windows-gnu", level, "x86_64-windows-gnu") for level in ("x86-64-v2", "x86-64-v3")
    ],
}


_OTHERS = ("all", "wasm32", "nvptx64")  # other names of targets: every system; JavaScript (wasm.py); GPUs (gpu.py)


def emit(lowered: Lowered, target: Target) -> bytes:
    """Return optimised object code."""
    module, machine = optimised(lowered.code, {row["symbol"] for row in lowered.rows.values()}, target)
    return bytes(machine.emit_object(module))


def optimised(code: bytes, keep: Collection[str], target: Target, *, inline: int | None = None) -> tuple[Any, Any]:
    """Return the module optimised for a processor, and LLVM's target machine.
    keep: functions that stay visible from outside. inline: LLVM's inlining threshold."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_bitcode(code)
    for one in (*module.functions, *module.global_variables):
        if not one.is_declaration and one.name not in keep:
            one.linkage = "internal"
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="pic", codemodel="default"
    )
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.slp_vectorization = True
    if inline is not None:
        options.inlining_threshold = inline
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return module, machine


def link(code: bytes, rows: dict[str, dict[str, Any]], target: Target, out: Path, *, symbols: bool = False) -> None:
    """Link a Python extension module. symbols: keep the names of inner kernels, for callgrind and perf."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kernels.o").write_bytes(code)
        (folder / "table.c").write_text(_table(rows), "utf-8")
        files: list[Path | str] = [CODE / "border.c", CODE / "runtime.c", folder / "table.c", folder / "kernels.o"]
        if target.triple.endswith("windows-gnu"):
            files.append(_python_of_windows(folder))
        _link_shared(target, [*files, "-fvisibility=hidden", *target.extra, *([] if symbols else ["-s"])], out)


def link_for_c(code: bytes, target: Target, out: Path) -> None:
    """Link the library for C programs (c/casino.h)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kernels.o").write_bytes(code)
        (folder / "kernels.h").write_text(c_header(symbol_of), "utf-8")
        files = [CODE / "casino.c", CODE / "json.c", CODE / "runtime.c", folder / "kernels.o"]
        _link_shared(target, [*files, f"-I{folder}", "-s"], out)


def _link_shared(target: Target, words: list[Path | str], out: Path) -> None:
    zig("cc", "-target", target.system, "-shared", "-O2", "-fPIC", f"-I{CODE}", *map(str, words), "-o", str(out))


def _table(rows: dict[str, dict[str, Any]]) -> str:
    """Return a C table of the entries by name."""
    symbols = [row["symbol"] for row in rows.values()]
    lines = ['#include "border.h"', *(f"int {name}(int64_t *);" for name in symbols)]
    rows_of_c = (f'    {{"{name}", {name}}},' for name in symbols)
    return "\n".join([*lines, "const Known casino_kernels[] = {", *rows_of_c, "    {0, 0}};\n"])


def _python_of_windows(folder: Path) -> Path:
    """Make the import library of python3.dll: the names in python_abi.h."""
    header = (CODE / "python_abi.h").read_text("utf-8")
    functions = re.findall(r"^IMPORTED (?!extern)[^(]*?\*?(\w+)\(", header, re.MULTILINE)
    data = re.findall(r"\w+", " ".join(re.findall(r"^IMPORTED extern PyObject ([^;]*);", header, re.MULTILINE)))
    lines = ["LIBRARY python3.dll", "EXPORTS", *functions, *(f"{name} DATA" for name in data)]
    (folder / "python3.def").write_text("\n".join(lines) + "\n", "utf-8")
    found = folder / "python3.lib"
    zig("dlltool", "-d", str(folder / "python3.def"), "-l", str(found), "-m", "i386:x86-64", "-D", "python3.dll")
    return found


def zig(*words: str) -> None:
    done = subprocess.run([sys.executable, "-m", "ziglang", *words], capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise ValueError(f"zig {words[0]}: {' '.join(done.stderr.split())[:400]}")


# --- the library ------------------------------------------------------------------------------------------------------


def here() -> str:
    """Return the name in TARGETS of this machine's system."""
    machine = {"amd64": "x86_64", "arm64": "arm64" if sys.platform == "darwin" else "aarch64"}
    name = platform.machine().lower()
    system = {"linux": "linux", "darwin": "macos", "win32": "windows"}[sys.platform]
    return f"{system}-{machine.get(name, name)}"


def write_manifest(
    rows: dict[str, dict[str, Any]], target: str, levels: list[str], folder: Path, maker: str = ""
) -> None:
    """maker: as of made_by, if the library was not made now."""
    modules = {name.rpartition(".")[0]: None for name in rows}
    needed = {module: list(sources(module)) for module in modules}
    system = TARGETS[target][0].triple
    data = {
        "format": FORMAT,
        "made_by": maker or made_by(),
        "target": target,
        "levels": levels,
        "files": {name: digest_of(folder / name) for name in (file_name(level, system) for level in levels)},
        "entries": rows,
        "modules": needed,
        "sources": {name: file_digest(name) for names in needed.values() for name in names},
    }
    text = json.dumps(data, indent=1, sort_keys=True) + "\n"
    replaced(folder / MANIFEST, lambda out: out.write_text(text, "utf-8"))


def build(target: str = "", folder: Path = FOLDER, *, symbols: bool = False) -> None:
    """Build the library of a system for all its processor levels, or of "all" systems, each into a subfolder.
    Without a target: for this machine's level alone. symbols: as in link."""
    names = list(TARGETS) if target == "all" else [known_target(target or here())]
    if not find_spec("ziglang"):
        raise ModuleNotFoundError("the linker is missing", name="ziglang")
    began = time.perf_counter()
    for module in modules_of_entries():
        for name in sources(module):
            file_digest(name)  # cached now: a file that changes during the build leaves the library out of date
    lowered = lower_all()
    with _two_processes() as pool:
        waiting: dict[str, list[Future[None]]] = {}
        wanted = {name: TARGETS[name] if target else [best_here()] for name in names}
        places = {name: folder / name if target == "all" else folder for name in names}
        for name, targets in wanted.items():
            places[name].mkdir(parents=True, exist_ok=True)
            waiting[name] = [
                pool.submit(_emit_and_link, lowered, one, places[name], for_c=one is targets[0], symbols=symbols)
                for one in targets
            ]
        for name, parts in waiting.items():
            for part in parts:
                part.result()
            write_manifest(lowered.rows, name, [one.level for one in wanted[name]], places[name])
    say(f"the library of kernels for {', '.join(names)}", began)


_PKG_CONFIG = f"""\
Name: casino
Description: Casino card games of southern Africa
Version: {__version__}
Cflags: -I${{pcfiledir}}
Libs: -L${{pcfiledir}} -Wl,-rpath,${{pcfiledir}} -lcasino -lm
"""


def _emit_and_link(lowered: Lowered, target: Target, folder: Path, *, for_c: bool, symbols: bool) -> None:
    """Compile and link one target. for_c: also link the library for C programs, which exists for one level only."""
    began, code = time.perf_counter(), emit(lowered, target)
    if for_c:
        replaced(folder / c_file_name(target.triple), lambda out: link_for_c(code, target, out))
        shutil.copyfile(CODE / "casino.h", folder / "casino.h")
        (folder / "casino.pc").write_text(_PKG_CONFIG, "utf-8")
    whole = folder / file_name(target.level, target.triple)  # last: c_header calls the one that it replaces
    replaced(whole, lambda out: link(code, lowered.rows, target, out, symbols=symbols))
    say(f"machine code for {target.triple}, {target.cpu}", began)


def replaced(place: Path, write: Callable[[Path], object]) -> None:
    """Write a file atomically: rename it into place once it is complete."""
    unfinished = place.with_name(f".{os.getpid()}-{place.name}")
    write(unfinished)
    unfinished.replace(place)


def best_here() -> Target:
    """Return this system's target of the highest level that this processor supports."""
    has = llvm.get_host_cpu_features()
    best = [one for one in TARGETS[here()] if all(has.get(name) for name in _NEEDS.get(one.level, ()))]
    return best[-1]


def known_target(name: str) -> str:
    if name not in TARGETS:
        raise ValueError(
            f"unknown target {name!r}{closest(name, [*TARGETS, *_OTHERS])}; known: {', '.join([*_OTHERS, *TARGETS])}"
        )
    return name


def say(what: str, began: float) -> None:
    print(f"{what:<60}{time.perf_counter() - began:6.1f} s", flush=True)


def is_current(folder: Path, target: str = "") -> bool:
    """Return whether the library in a folder fits and was made by this compiler. target: as in fits."""
    return read_manifest(folder).get("made_by") == made_by() and fits(folder, target)


def fits(folder: Path, target: str = "") -> bool:
    """Return whether the library in a folder is for this system (or the target) and every entry is up to date."""
    there = read_manifest(folder)
    return (
        there.get("target") == (target or here())
        and {name: row["digest"] for name, row in there["entries"].items()} == digests_of(modules_of_entries())
        and all((folder / name).is_file() and digest_of(folder / name) == then for name, then in there["files"].items())
    )


def refresh(folder: Path) -> None:
    """Update the file digests of a current library, if files have changed in ways that change no entry."""
    there = read_manifest(folder)
    if any(file_digest(name) != then for name, then in there["sources"].items()):
        write_manifest(there["entries"], there["target"], there["levels"], folder, there["made_by"])


def digests_of(modules: list[str]) -> dict[str, str]:
    """Return the digests of the entries of some modules, by name."""
    return {name: digest_of_entry(kernel) for name, kernel in entries_of(modules).items()}


def made_by() -> str:
    """Digest of everything but kernels that the library is made from: this file, the C sources and header, numba."""
    files = [Path(__file__), *sorted(CODE.iterdir())]
    text = (kept.stamp() + c_header(str)).encode() + b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(text).hexdigest()[:16]
