"""Benchmark: instructions per decision, counted by valgrind, so that load on the machine does not change the result.

Each row runs in two processes, for two lengths. The difference is the work itself, without starting Python.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import numpy as np

from casino_env.engine import entrypoints
from casino_env.engine.state import GAME, rules_record
from casino_env.envs.make import make_vec
from casino_env.machine import cores
from casino_env.rules import make_rules

VARIANT, PLAYERS = "south-african", 2
_GAMES, _STEPS = 256, 160  # enough that two starts of Python differ by less than 1 %
_LENGTHS = 1, 3

Work = Callable[[int], int]  # repetitions -> decisions, turns or play-outs done


def _kernel(times: int) -> int:
    """Random deals without observations."""
    games, rules = np.zeros(1, GAME), rules_record(make_rules(VARIANT, PLAYERS))
    return int(entrypoints.random_deals(games, rules, 0, 2000 * times)[0])


def _vector(obs: str) -> Work:
    def steps(times: int) -> int:
        vec = make_vec(VARIANT, PLAYERS, _GAMES, seed=1, obs=obs, copy=False)
        for _ in range(_STEPS * times):
            vec.step(vec.sample())
        return _STEPS * times * _GAMES

    return steps


def counted(name: str) -> Callable[..., Any]:
    """A function of train/counted.py, imported on demand: this package may not depend on that one."""
    found: Callable[..., Any] = getattr(import_module("casino_env.train.counted"), name)
    return found


def _of_agents(name: str) -> Work:
    return lambda times: int(counted(name)(make_rules(VARIANT, PLAYERS), times))


ROWS: dict[str, tuple[str, Work]] = {
    "kernel": ("kernel, no observation", _kernel),
    "vector_1": ("vector, dense rows", _vector("dense")),
    "vector_indices_1": ("vector, index lists", _vector("indices")),
    "vector_bits_1": ("vector, bits", _vector("bits")),
    "judged_turn": ("turn judged by a policy", _of_agents("judge_turns")),
    "play_out": ("play-out of strongest", _of_agents("play_out")),
    "training_turn": ("turn played in training", _of_agents("play_to_train")),
}


def count_instructions(rows: Collection[str] = tuple(ROWS)) -> dict[str, float]:
    """Row -> instructions per decision (turn, play-out)."""
    if not shutil.which("valgrind"):
        raise ValueError("--instructions needs valgrind, which is not installed")
    with ThreadPoolExecutor(cores()) as pool:
        return dict(zip(rows, pool.map(_instructions, rows), strict=True))


def run_instructions(*, as_json: bool = False) -> None:
    found = count_instructions()
    if as_json:
        print(json.dumps({name: round(many) for name, many in found.items()}, indent=1))
        return
    print(f"{f'{VARIANT} {PLAYERS}':<24}{'instructions':>13}")
    for name, many in found.items():
        print(f"{ROWS[name][0]:<24}{many:>13,.0f}")


def _instructions(name: str) -> float:
    (less, few), (more, many) = (_counted(name, times) for times in _LENGTHS)
    return (more - less) / (many - few)


def _counted(name: str, times: int) -> tuple[int, int]:
    """Run a row `times` times in a process under valgrind: return its instructions and units of work."""
    command = [
        "valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}",
        sys.executable, "-m", "casino_env.instructions", name, str(times),
    ]  # fmt: skip
    # Compile nothing, write no .pyc files and fix the order of sets, so that the processes do the same work.
    known = os.environ | {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "CASINO_ENV_KERNELS": "library"}
    done = subprocess.run(command, env=known, capture_output=True, encoding="utf-8", check=False)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not collected:
        said = [line for line in done.stderr.splitlines() if not line.startswith("==")] or [f"code {done.returncode}"]
        raise ValueError(f"valgrind {name}: {said[0][:300]} ... {said[-1][:300]}")
    return int(collected[1]), int(done.stdout)


if __name__ == "__main__":
    print(ROWS[sys.argv[1]][1](int(sys.argv[2])))
