"""The code for GPUs, with a loop in place of threads, beside the vector: python -m tests.on_gpu --steps 1000000.

Every table, with matches and without, forced actions and rewards of each kind among them: records, observations, masks,
seats, rewards and ends have to be the same bytes after each step. --device cuda: on the card, and then how many
decisions a second it makes.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from casino_env.aot.build import CODE, best_here, optimised, zig
from casino_env.aot.gpu import GRIDS, grids
from casino_env.engine.state import GAME
from casino_env.envs.gpu import GpuGames, Launch
from casino_env.envs.options import Options
from casino_env.envs.vector import VectorGames
from casino_env.golden import tables
from casino_env.rules import Rules

OPTIONS = (
    Options(),
    Options(match=True, reward="win", history=8),
    Options(skip_forced=False, reward="points", shaping=0.5, layout="universal"),
    Options(memory="none"),
)


_BY_A_LOOP = """
define void @{name}(ptr %block, i64 %many) {{
  %any = icmp sgt i64 %many, 0
  br i1 %any, label %play, label %done
play:
  %i = phi i64 [ 0, %0 ], [ %next, %play ]
  call void @{name}_of(ptr %block, i64 %i)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %many
  br i1 %more, label %play, label %done
done:
  ret void
}}
"""


def build_loops(out: Path) -> None:
    """The grids for this machine's processor, as a shared library."""
    target = best_here()
    module, machine = optimised(grids(target, _BY_A_LOOP), GRIDS, target)
    code = out.with_suffix(".o")
    code.write_bytes(bytes(machine.emit_object(module)))
    zig(
        "cc",
        "-target",
        target.system,
        "-shared",
        "-O2",
        "-fPIC",
        "-s",
        str(CODE / "runtime.c"),
        str(code),
        "-o",
        str(out),
    )
    code.unlink()


def loops(library: Path) -> Launch:
    """What plays a grid."""
    found = ctypes.CDLL(str(library))
    for name in GRIDS:
        getattr(found, name).argtypes = [ctypes.c_void_p, ctypes.c_int64]

    def launch(grid: str, block: torch.Tensor, many: int) -> None:
        getattr(found, grid)(block.data_ptr(), many)

    return launch


def difference(
    launch: Launch | None,
    rules: Rules,
    options: Options,
    steps: int,
    games: int = 256,
    seed: int = 0,
    device: str = "cpu",
) -> str:
    """What is not the same first; empty if all is."""
    vec = VectorGames(rules, games, options, copy=False)
    twin = GpuGames(rules, games, options, device=device, launch=launch, copy=False)
    here: tuple[Any, ...] = vec.reset(seed)
    there = twin.reset(seed)
    names = ("observations", "masks", "seats", "rewards", "ends")
    for step in range(-(-steps // games) + 1):
        for name, one, other in zip(names, here, there, strict=False):
            if not np.array_equal(one, other.cpu().numpy()):
                return f"{name} of step {step}"
        if not np.array_equal(_bytes(vec.records), twin._games.records.cpu().numpy()):
            return f"records of step {step}"
        actions = vec.sample()
        here, there = vec.step(actions), twin.step(torch.from_numpy(actions))
    return ""


def _bytes(records: Any) -> Any:
    return records.view(np.uint8).reshape(len(records), GAME.itemsize)


def decisions_a_second(rules: Rules, games: int, steps: int = 200) -> float:
    """Of random play on the card, drawing actions among them."""
    twin = GpuGames(rules, games, Options(), device="cuda", copy=False)
    twin.reset(seed=0)
    for step in range(2 * steps):  # the first half warms up
        if step == steps:
            torch.cuda.synchronize()
            began = time.perf_counter()
        twin.step(twin.sample(), check=False)
    torch.cuda.synchronize()
    return steps * games / (time.perf_counter() - began)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000_000, help="of each table (1000000)")
    parser.add_argument("--tables", default="", help="those whose names have this in them (all)")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"), help="cpu: loops (cpu)")
    args = parser.parse_args()
    wrong, many = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        library, launch = Path(folder) / "loops.so", None
        if args.device == "cpu":
            build_loops(library)
            launch = loops(library)
        for i, (name, rules) in enumerate(tables().items()):
            if args.tables not in name:
                continue
            began, found = time.perf_counter(), []
            for options in OPTIONS:
                found.append(difference(launch, rules, options, args.steps // len(OPTIONS), seed=i, device=args.device))
            said = "; ".join(filter(None, found)) or "the same"
            print(f"{name:<28}{time.perf_counter() - began:7.1f} s  {said}", flush=True)
            wrong, many = wrong + any(found), many + 1
    print(f"{many} tables, {args.steps} steps each: {wrong} differ")
    for games in (1 << k for k in range(10, 19) if args.device == "cuda"):
        print(
            f"{games:>8} games of South African: {decisions_a_second(tables()['south-african 2'], games) / 1e6:.2f} M/s"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
