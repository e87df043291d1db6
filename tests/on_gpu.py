"""Check and measure a GPU (docs/gpu.md), in parts: python -m tests.on_gpu same speed --device cuda --out report.

    same       compare every table with the vector, byte for byte after each step, in all forms of observations
    speed      decisions a second with 2^10 to 2^18 games, on the GPU and on the CPU
    registers  the same with at most 64, 128 and 255 registers a thread
    ppo        a minute of examples/cleanrl_ppo.py with games and network on the CPU, then on the GPU
    selfplay   casino train on all CPU cores but one; its weights stay in the folder

Without --device cuda, loops on the CPU replace the GPU's threads, so that the parts can be tried without a GPU. Each
part appends its lines to OUT/report.jsonl; run a part again if it was interrupted.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from casino_env.aot.build import CODE, best_here, optimised, zig
from casino_env.aot.gpu import grids
from casino_env.engine.state import GAME
from casino_env.envs.batch import GRIDS
from casino_env.envs.gpu import Cuda, GpuGames, Launch
from casino_env.envs.options import Options
from casino_env.envs.vector import FORMS, VectorGames
from casino_env.golden import tables
from casino_env.machine import cores
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
    """Build the grids for this machine's CPU as a shared library."""
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
    """Return a function that launches a grid of the shared library."""
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
    obs: str = "dense",
) -> str:
    """Return the first difference between the vector and the GPU games; empty if there is none."""
    vec = VectorGames(rules, games, options, obs=obs, copy=False)
    twin = GpuGames(rules, games, options, device=device, obs=obs, launch=launch, copy=False)
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


Row = dict[str, Any]


class Try:
    """The device that plays, and the arguments."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.out, self.device = args, args.out, args.device
        self.launch: Launch | None = None
        if self.device == "cpu":
            library = args.out / "loops.so"
            if not library.is_file():
                build_loops(library)
            self.launch = loops(library)

    def seconds(self, play: Callable[[], None]) -> float:
        """Return the least time of five tries; the first warms up."""
        least = float("inf")
        for _ in range(5):
            began = time.perf_counter()
            play()
            if self.device == "cuda":
                torch.cuda.synchronize()
            least = min(least, time.perf_counter() - began)
        return least


# === The parts ========================================================================================================


def same(tried: Try) -> Iterator[Row]:
    args = tried.args
    for i, (name, rules) in enumerate(tables().items()):
        if args.tables in name:
            found = []
            for options in OPTIONS:
                for obs in FORMS:
                    steps = args.steps // len(OPTIONS) // len(FORMS)
                    found.append(difference(tried.launch, rules, options, steps, seed=i, device=args.device, obs=obs))
            yield {"table": name, "steps": args.steps, "differs": "; ".join(filter(None, found))}


_RULES = tables()["south-african 2"]
_STEPS = 100


def speed(tried: Try) -> Iterator[Row]:
    for k in range(10, tried.args.most + 1):
        yield _measured(tried, 1 << k, tried.launch)


def _measured(tried: Try, games: int, launch: Launch | None) -> Row:
    """Measure millions of decisions a second: rules alone, and with each form of observations on GPU and CPU."""
    row: Row = {"games": games}
    for obs in FORMS:
        vec = VectorGames(_RULES, games, Options(), threads=cores(), obs=obs, copy=False)
        twin = GpuGames(_RULES, games, Options(), device=tried.device, obs=obs, launch=launch, copy=False)
        vec.reset(0), twin.reset(0)
        for name, both in (("", twin), (" on the processor", vec)):
            seconds = tried.seconds(partial(_play, both))
            row[obs + name] = round(_STEPS * games / seconds / 1e6, 3)
    row["rules alone"] = round(_STEPS * games / tried.seconds(partial(twin.play, _STEPS)) / 1e6, 3)
    return row


def _play(games: Any) -> None:
    """Play _STEPS random steps; both times include drawing actions."""
    given = {"check": False} if isinstance(games, GpuGames) else {}
    for _ in range(_STEPS):
        games.step(games.sample(), **given)


def registers(tried: Try) -> Iterator[Row]:
    for most in (64, 128, 255):
        if tried.device == "cuda":
            card = Cuda("cuda", most)
            takes = {grid: card.takes(grid) for grid in GRIDS}
            yield {"registers at most": most, "takes": takes, **_measured(tried, 1 << tried.args.most, card.launch)}


def ppo(tried: Try) -> Iterator[Row]:
    for device, games in (("cpu", 128), (tried.device, 1 << min(14, tried.args.most))):
        words = [f"--device={device}", f"--games={games}", f"--minutes={tried.args.minutes}"]
        said = _command(sys.executable, "examples/cleanrl_ppo.py", *words)
        yield {"device": device, "games": games, "said": said.splitlines()}


def selfplay(tried: Try) -> Iterator[Row]:
    words = [f"--minutes={tried.args.minutes}", f"--runs={tried.out}", f"--set=machine.threads={max(1, cores() - 1)}"]
    said = _command(sys.executable, "-m", "casino_env", "train", *words, *(f"--set={one}" for one in tried.args.set))
    yield {"said": said.splitlines()[-12:]}


def _command(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
    return done.stdout if done.returncode == 0 else f"{done.stdout}{done.stderr}\nended with {done.returncode}"


def machine(tried: Try) -> Iterator[Row]:
    row: Row = {"processor": platform.processor() or platform.machine(), "cores": cores()}
    row |= {"torch": torch.__version__, "python": platform.python_version()}
    if tried.device == "cuda":
        card = torch.cuda.get_device_properties(0)
        row |= {"card": card.name, "multiprocessors": card.multi_processor_count, "cuda": torch.version.cuda}
    yield row


PARTS = (same, speed, registers, ppo, selfplay)


def main() -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("parts", nargs="*", choices=[part.__name__ for part in PARTS], default=["same"])
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"), help="cpu: loops (cpu)")
    parser.add_argument("--out", type=Path, default=Path("build/gpu"), help="folder of the report (build/gpu)")
    parser.add_argument("--steps", type=int, default=1_000_000, help="same: of each table (1000000)")
    parser.add_argument("--tables", default="", help="same: those whose names have this in them (all)")
    parser.add_argument("--most", type=int, default=18, help="speed: 2^this games at most (18)")
    parser.add_argument("--minutes", type=float, default=1.0, help="of ppo and of selfplay (1)")
    parser.add_argument("--set", action="append", default=[], help="selfplay: settings of casino train")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    differ = 0
    with (args.out / "report.jsonl").open("a", encoding="utf-8") as report:
        tried = Try(args)
        for part in (machine, *(part for part in PARTS if part.__name__ in args.parts)):
            began = time.perf_counter()
            for row in part(tried):
                line = json.dumps({"part": part.__name__, **row, "s": round(time.perf_counter() - began, 1)})
                print(line, flush=True)
                report.write(line + "\n")
                report.flush()
                differ += bool(row.get("differs"))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
