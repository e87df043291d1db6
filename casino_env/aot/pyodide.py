"""Builds the library for Pyodide, Python in the browser: the extension module of build.py as an Emscripten side module.

A side module shares Python's memory, so kernels find arrays where numpy has them. It imports what it lacks (Python's C
API, malloc, logarithms) from Pyodide.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from casino_env.aot.build import (
    CODE,
    TARGETS,
    Target,
    _table,
    emit,
    is_current,
    lower_all,
    refresh,
    replaced,
    say,
    write_manifest,
    zig,
)
from casino_env.compiler.library import file_name

NAME = "pyodide"
TARGET = Target("simd128", "wasm32-unknown-emscripten", "generic", "wasm32-wasi", features="+simd128,+bulk-memory")
TARGETS[NAME] = [TARGET]  # registered by importing this module: `--target all` leaves it out
_PROCESSOR = "-mcpu=generic"  # node 20 cannot read code for zig's default processor


def build(folder: Path) -> None:
    """Build the library into a folder of its own; hatch_build.py makes a wheel from it."""
    began = time.perf_counter()
    if is_current(folder, NAME):
        refresh(folder)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        lowered = lower_all()
        code = emit(lowered, TARGET)
        replaced(folder / file_name(TARGET.level, TARGET.triple), lambda out: link(code, lowered.rows, out))
        write_manifest(lowered.rows, NAME, [TARGET.level], folder)
    say(f"the library of kernels for Pyodide in {folder}", began)


def link(code: bytes, rows: dict[str, dict[str, Any]], out: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kernels.o").write_bytes(code)
        (folder / "table.c").write_text(_table(rows), "utf-8")
        objects = [folder / "kernels.o"]
        for file in (CODE / "border.c", CODE / "runtime.c", folder / "table.c"):
            objects.append(folder / f"{file.stem}.o")
            words = ["-target", TARGET.system, _PROCESSOR, "-O2", "-fPIC", "-fvisibility=hidden", f"-I{CODE}"]
            zig("cc", *words, "-c", str(file), "-o", str(objects[-1]))
        words = ["-shared", "--experimental-pic", "--unresolved-symbols=import-dynamic", "-s"]
        zig("wasm-ld", *words, "--export=PyInit__casino_kernels", *map(str, objects), "-o", str(out))
