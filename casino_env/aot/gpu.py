"""Builds casino.ptx: the kernels of a batch (envs/batch.py) for NVIDIA GPUs, one game per thread (docs/gpu.md).

A grid takes a block of arguments (build.py) and the number of games: each thread calls the entry with its own index as
the last argument. tests/on_gpu.py builds the same grids for the CPU, with a loop in place of threads: all but a few
lines of the code are the same, so they are tested without a GPU.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import llvmlite.binding as llvm

from casino_env.aot.build import Target, lower, optimised, replaced, say
from casino_env.compiler.digests import stamp
from casino_env.compiler.library import PTX
from casino_env.envs.batch import GRIDS

_MODULE = "casino_env.envs.batch"
_TARGET = Target("sm_75", "nvptx64-nvidia-cuda", "sm_75", "")  # the oldest that CUDA 13 supports
_INLINE = 0  # by default LLVM inlines so much for GPUs that assembling takes twice as long

_ONE = """
define internal void @{name}_of(ptr %block, i64 %i) alwaysinline {{
  %own = alloca [{slots} x i64]
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %block, i64 {bytes}, i1 false)
  %last = getelementptr i64, ptr %own, i64 {last}
  store i64 %i, ptr %last
  %status = call i32 @{symbol}(ptr %own)
  ret void
}}
"""

_BY_THREADS = """
define ptx_kernel void @{name}(ptr %block, i64 %many) {{
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %group = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %group, %size
  %number = add i32 %before, %tid
  %i = zext i32 %number to i64
  %is_one = icmp ult i64 %i, %many
  br i1 %is_one, label %play, label %done
play:
  call void @{name}_of(ptr %block, i64 %i)
  br label %done
done:
  ret void
}}
"""

# Temporary memory of kernels (elsewhere runtime.c) comes from the driver's heap. When it is full, all threads trap.
_MEMORY = """
define internal ptr @casino_borrow(i64 %many, i64 %size) {
  %bytes = mul i64 %many, %size
  %place = call ptr @malloc(i64 %bytes)
  %none = icmp eq ptr %place, null
  br i1 %none, label %full, label %clear
full:
  call void @llvm.trap()
  unreachable
clear:
  call void @llvm.memset.p0.i64(ptr %place, i8 0, i64 %bytes, i1 false)
  ret ptr %place
}
define internal void @casino_give_back(ptr %place) {
  call void @free(ptr %place)
  ret void
}
"""

_CALLED = """\
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.trap()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
""".splitlines()


def grids(target: Target = _TARGET, each: str = _BY_THREADS) -> bytes:
    """Return all grids as LLVM bitcode. each: the template of the code that calls a grid for every game."""
    lowered = lower([_MODULE])
    text = str(llvm.parse_bitcode(lowered.code))
    if target is _TARGET:
        text = re.sub(r"^declare .*@casino_(borrow|give_back)\(.*$", "", text, flags=re.MULTILINE) + _MEMORY
    for name in GRIDS:
        row = lowered.rows[f"{_MODULE}.{name}"]
        slots = sum(1 + int(more or 0) for _, more in re.findall(r"([aqQd])(\d?)", row["takes"]))
        numbers = {"name": name, "symbol": row["symbol"], "slots": slots, "last": slots - 1, "bytes": 8 * (slots - 1)}
        text += _ONE.format(**numbers) + each.format(**numbers)
    known = set(re.findall(r"^declare .*?@([\w.]+)\(", text, re.MULTILINE))
    text += "\n".join(line for line in _CALLED if re.findall(r"@([\w.]+)", line)[0] not in known) + "\n"
    return bytes(llvm.parse_assembly(text).as_bitcode())


def build(folder: Path) -> None:
    """Build casino.ptx into a folder."""
    began = time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    module, machine = optimised(grids(), GRIDS, _TARGET, inline=_INLINE)
    text = f"// {stamp(_MODULE)}\n{machine.emit_assembly(module)}"
    replaced(folder / PTX, lambda out: out.write_text(text, "utf-8"))
    say(f"{folder / PTX}, {len(text) >> 10} kB", began)


def assembled(file: Path, card: str = "sm_90") -> str:
    """Assemble casino.ptx for a GPU architecture; return ptxas's report (registers, stack). ValueError if it fails."""
    found = shutil.which("ptxas") or next(_of_packages(), None)
    if not found:
        raise ModuleNotFoundError("ptxas is missing: pip install nvidia-cuda-nvcc-cu12", name="ptxas")
    words = [str(found), f"-arch={card}", "-v", "-o", "/dev/null", str(file)]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise ValueError(f"ptxas: {' '.join(done.stderr.split())[:400]}")
    return done.stderr


def _of_packages() -> Iterator[Path]:
    """Yield the ptxas programs in NVIDIA's Python packages."""
    for place in getattr(find_spec("nvidia"), "submodule_search_locations", None) or ():
        yield from Path(place).glob("*/bin/ptxas")
