"""python -m benchmarks speedrun: seconds of two cores from scratch to +3 points a deal over counter.

South African Casino with two players, the settings of configs/speedrun.toml, several seeds. A run learns from a fixed
number of turns, which makes its weights reproducible to the bit; its policy then plays counter from both seats, with
the usual lookahead. The search ends at the first of the given numbers of turns with a mean over seeds of +3 or more.
Seconds count all learning, including initialization and checkpoints, but not the loading of kernels or the match: by
the clock, and as processor time of all threads divided by two, which other load on the machine affects less.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.page import machine, release
from casino_env.evaluate import match
from casino_env.evaluate.matches.intervals import interval
from casino_env.train.algorithms import compile_for
from casino_env.train.config import load_config
from casino_env.train.log import commit
from casino_env.train.run import Run
from docs.tables import filled

_ROOT = Path(__file__).parents[1]
SETTINGS, PAGE = _ROOT / "configs/speedrun.toml", _ROOT / "docs/results/speedrun.md"
TURNS, GOAL, CORES = (1_000_000, 1_250_000, 1_500_000, 2_000_000), 3.0, 2
_SEED = 77  # seed of the deals, which no training sees
_HEAD = ["| release | seconds | by the clock | turns | over counter | seeds | deals | load | settings |",
         "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | --- |"]  # fmt: skip

Row = dict[str, Any]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks speedrun", description=__doc__)
    parser.add_argument("--turns", nargs="+", type=int, default=TURNS, metavar="N", help="of each run, rising")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each number of turns (3)")
    parser.add_argument("--deals", type=int, default=2000, help="of each match (2000)")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.SETTING=VALUE", help="as for training")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--write", action="store_true", help="put this release's row into docs/results/speedrun.md")
    args = parser.parse_args(arguments)
    if args.seeds < 1 or args.deals < 2 or min(args.turns) < 1:
        parser.error("--turns and --seeds must be 1 or more, --deals 2 or more")
    row = _search(args)
    lines = _line(row, args.set)
    print(json.dumps(row) if args.json else "\n".join([*machine(("numpy", "torch"), "speedrun"), *_HEAD, lines]))
    if args.write:
        write(lines)
    return 0 if row["diff"] >= GOAL else 1


def _search(args: argparse.Namespace) -> Row:
    for turns in args.turns:
        runs = [run(turns, seed, args.deals, args.set) for seed in range(args.seeds)]
        row = summed(turns, runs) | {"deals": args.deals}
        print(f"{turns:,} turns: {row['diff']:+.2f} in {row['seconds']:.0f} s, {runs}", file=sys.stderr, flush=True)
        if row["diff"] >= GOAL:
            break
    return row


def run(turns: int, seed: int, deals: int, changes: list[str]) -> Row:
    """Train once and play its match."""
    config = load_config(str(SETTINGS), [*changes, f"run.decisions={turns}", f"run.seed={seed}"])
    compile_for(config)
    with TemporaryDirectory() as folder:
        clock, processor = time.perf_counter(), time.process_time()
        trained = Run.start(config, Path(folder))
        trained.train(quiet=True)
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        policy = trained.policy()
    found = match(policy, "counter", trained.algorithm.rules, deals=deals, seed=_SEED, threads=CORES)
    return {"clock": round(clock, 1), "processor": round(processor, 1), "diff": round(found.diff, 3)}


def summed(turns: int, runs: list[Row]) -> Row:
    mean, low, _ = interval(np.array([one["diff"] for one in runs]))
    seconds = sum(one["processor"] for one in runs) / len(runs) / CORES
    clock = sum(one["clock"] for one in runs) / len(runs)
    half = round(mean - low, 2) if len(runs) > 1 else None
    return {"turns": turns, "seconds": seconds, "clock": clock, "diff": mean, "half": half, "runs": runs,
            "load": os.getloadavg()[2]}  # fmt: skip


def _line(row: Row, changes: list[str]) -> str:
    over = f"{row['diff']:+.2f}" + (f" ± {row['half']:.2f}" if row["half"] is not None else "")
    settings = ", ".join(["configs/speedrun.toml", *changes])
    cells = [
        f"{release('casino-env')} ({commit()})", f"{row['seconds']:.0f}", f"{row['clock']:.0f}", f"{row['turns']:,}",
        over, len(row["runs"]), f"{row['deals']:,}", f"{row['load']:.1f}", f"`{settings}`",
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def write(line: str) -> None:
    """Write the row of this release, in place of its previous one."""
    page = PAGE.read_text("utf-8")
    kept = page.partition("<!-- speedrun:begin -->")[2].partition("<!-- speedrun:end -->")[0].strip().splitlines()[2:]
    mine = line.partition(" (")[0] + " "
    PAGE.write_text(
        filled(page, "speedrun", [*_HEAD, *(row for row in kept if not row.startswith(mine)), line]), "utf-8"
    )
