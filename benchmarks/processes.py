"""python -m benchmarks processes: how many turns a second one process learns on one core, and two on a core each.

Two are started with torchrun, as for any training; their gradients are averaged at every step. Two that know nothing of
each other show what the machine gives: cores share caches and memory. By turns, several times, the best of each: the
machine may be busy. --set takes settings as training does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time

import torch

from casino_env.train.algorithms import compile_for, make_algorithm
from casino_env.train.config import load_config
from casino_env.train.process_group import join, leave

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
    works = {
        "one": lambda: _turns_a_second(_started([*_LAUNCH, "1"], args)),
        "two": lambda: _turns_a_second(_started([*_LAUNCH, "2"], args)),
        "apart": lambda: sum(_turns_a_second(one) for one in [_started([], args, rank) for rank in range(2)]),
    }
    found = dict.fromkeys(works, 0.0)
    for _ in range(_ROUNDS):
        found = {name: max(best, works[name]()) for name, best in found.items()}
    if args.json:
        print(json.dumps(found | {"times": found["two"] / found["one"]}))
        return 0
    print(f"one process, one core:   {found['one']:8,.0f} turns a second")
    for name, title in (("two", "two, with a core each:  "), ("apart", "two that learn apart:   ")):
        print(f"{title} {found[name]:8,.0f} turns a second, {found[name] / found['one']:.2f} times")
    return 0


def _started(launch: list[str], args: argparse.Namespace, rank: int = 0) -> subprocess.Popen[str]:
    """The program that learns, by torchrun or (no launch) by itself on the core of that rank."""
    changes = [word for change in args.set for word in ("--set", change)]
    words = ["-m", "benchmarks", "processes", "--one-of-them", "--seconds", str(args.seconds), *changes]
    environment = os.environ | {"LOCAL_RANK": str(rank)}
    return subprocess.Popen(
        [sys.executable, *launch, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def _turns_a_second(process: subprocess.Popen[str]) -> float:
    """Of all that it started together."""
    out, err = process.communicate()
    if process.returncode:
        raise SystemExit(f"benchmarks: {err}")
    return float(next(line.removeprefix(_TOLD) for line in out.splitlines() if line.startswith(_TOLD)))


def _one_of_them(seconds: float, changes: list[str]) -> int:
    """Started by torchrun: on a core of its own, until the first one's clock says that it is enough."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(os.environ["LOCAL_RANK"]) % len(cores)]})
    torch.set_num_threads(1)
    config = load_config(None, ["machine.threads=1", *changes])
    group = join()
    compile_for(config)
    learner = make_algorithm(config, group)
    learner.learn(0.0)
    group.barrier()
    before, began, spent = learner.decisions, time.perf_counter(), 0.0
    while spent < seconds:
        learner.learn(0.0)
        spent = group.broadcast(time.perf_counter() - began)
    if group.first:
        print(f"{_TOLD}{(learner.decisions - before) / spent}", flush=True)
    learner.wait()
    leave()
    return 0
