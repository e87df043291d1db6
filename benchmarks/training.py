"""python -m benchmarks training: break down the time of each learner, and compare it with the arithmetic that it needs.

Units are core-microseconds for each decision that is learnt from (afterstates: for each turn). games: rules, dealing,
opponents. turns: listing afterstates. features: encoding observations. judging: the network that plays. forward, loss,
backward, Adam: the network that learns. waiting: idle cores. kernels: judging and learning alone. matrices: only the
matrix products of the same network, dense, without skipping zeros or illegal actions.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import torch

from benchmarks.page import machine, write
from benchmarks.parts import ARITHMETIC, PARTS, times
from casino_env.train.config import load_config

# Each learner with the widths of its network.
LEARNERS = (
    ("afterstates", (128, 64)), ("ppo", (128, 128)), ("ppo", (256, 256)), ("dmc", (128, 128)),
)  # fmt: skip


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks training", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each measurement (10)")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.SETTING=VALUE", help="as for training")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    rows = [row(learner, widths, args) for learner, widths in LEARNERS]
    lines = _table(rows)
    print(json.dumps(rows) if args.json else "\n".join(lines))
    if args.write:
        how = f"`python -m benchmarks training --write`, {args.seconds:g} s for each measurement"
        write("training", [*machine(("numpy", "numba", "torch"), how), *lines])
    return 0


def row(learner: str, widths: tuple[int, ...], args: argparse.Namespace) -> dict[str, Any]:
    changes = [f"run.algorithm={learner}", f"network.hidden={list(widths)}", *args.set]
    config = load_config(None, changes)
    found = times(config, args.seconds)
    kernels = sum(found[part] for part in ARITHMETIC)
    return {
        "learner": f"{learner} {'x'.join(map(str, widths))}", **found, "kernels": kernels,
        "speed": 1e6 * config.machine.threads / found["loop"],
        "of_kernels": kernels / found["loop"], "of_matrices": found["matrices"] / found["loop"],
    }  # fmt: skip


def _table(rows: list[dict[str, Any]]) -> list[str]:
    lines = [["", *(r["learner"] for r in rows)], ["---", *("---:" for _ in rows)]]
    lines += [[part, *(f"{r[part]:.2f}" for r in rows)] for part in (*PARTS, "loop", "kernels", "matrices")]
    lines += [[title, *(f"{r[key]:.0%}" for r in rows)]
              for title, key in (("kernels / loop", "of_kernels"), ("matrices / loop", "of_matrices"))]  # fmt: skip
    lines.append(["decisions a second", *(f"{r['speed']:,.0f}" for r in rows)])
    return [f"| {' | '.join(line)} |" for line in lines]
