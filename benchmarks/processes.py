"""python -m benchmarks processes: how many turns a second one process learns on one core, and two on a core each.

Two are started with torchrun, as for any training; their gradients are averaged at every step. By turns, several times,
the best of each: the machine may be busy. --set takes settings as training does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time

import torch

from train.algorithms.registry import compile_for, make_algorithm
from train.config import load_config
from train.processes import join, leave

_ROUNDS = 3
_LAUNCH = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node")
_TOLD = "turns a second: "


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks processes", description=__doc__)
    parser.add_argument("--seconds", type=float, default=15.0, help="for each measurement (15)")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.SETTING=VALUE", help="as for training")
    parser.add_argument("--one-of-them", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(arguments)
    if args.one_of_them:
        return _one_of_them(args.seconds, args.set)
    found: dict[int, float] = {1: 0.0, 2: 0.0}
    for _ in range(_ROUNDS):
        found = {count: max(best, measured(count, args)) for count, best in found.items()}
    if args.json:
        print(json.dumps({"one": found[1], "two": found[2], "times": found[2] / found[1]}))
    else:
        print(f"one process, one core:   {found[1]:8,.0f} turns a second")
        print(f"two, with a core each:   {found[2]:8,.0f} turns a second, {found[2] / found[1]:.2f} times")
    return 0


def measured(processes: int, args: argparse.Namespace) -> float:
    """Turns a second of all of them together."""
    words = [str(processes), "-m", "benchmarks", "processes", "--one-of-them", "--seconds", str(args.seconds)]
    changes = [word for change in args.set for word in ("--set", change)]
    done = subprocess.run([sys.executable, *_LAUNCH, *words, *changes], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"benchmarks: {done.stderr}")
    return float(next(line.removeprefix(_TOLD) for line in done.stdout.splitlines() if line.startswith(_TOLD)))


def _one_of_them(seconds: float, changes: list[str]) -> int:
    """Started by torchrun: on a core of its own, until the first one's clock says that it is enough."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(os.environ["LOCAL_RANK"]) % len(cores)]})
    torch.set_num_threads(1)
    config = load_config(None, ["machine.threads=1", *changes])
    peers = join()
    compile_for(config)
    learner = make_algorithm(config, peers)
    learner.learn(0.0)
    peers.wait()
    before, began, spent = learner.decisions, time.perf_counter(), 0.0
    while spent < seconds:
        learner.learn(0.0)
        spent = peers.of_first(time.perf_counter() - began)
    if peers.first:
        print(f"{_TOLD}{(learner.decisions - before) / spent}", flush=True)
    learner.wait()
    leave()
    return 0
