"""python -m tests.golden_elsewhere [SYSTEM ...]: golden deals and choices of policies on other processors and systems.

The kernels are compiled for other targets, linked with golden.c, and run: natively, by qemu-aarch64 (Debian's
qemu-user-static) and by wine. SYSTEM is one of PLACES; without it, all are run. WebAssembly has tests of its own
(packages/casino/tests). Deals must match tests/golden.json to the bit. Networks add sums in an order that differs
between processors, so their choices are compared with those of this machine: a different one must be a tie, between
turns whose worth differs by at most TIE points. A runner that is missing is reported.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from casino_env import golden, observe
from casino_env.actions import ACTIONS
from casino_env.agents.base import Decisions, as_batch
from casino_env.agents.policy.lookahead import decide_by_afterstates
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.agents.policy.shipped import best
from casino_env.aot.build import CODE, TARGETS, Lowered, Target, emit, lower_all, zig
from casino_env.compiler.jit import kernel_of
from casino_env.compiler.types import Elements, arguments, leaves
from casino_env.golden import digest_deals, tables
from casino_env.observed import Observed
from tests.random_play import random_decisions

HERE = Path(__file__).parent
DEALS, POSITIONS = 20, 200
TIE, _HAIR = 5e-3, 1e-3  # in points
# By system: zig's name for it (with static C library), and the command that runs its programs here.
PLACES: dict[str, tuple[str, list[str]]] = {
    "linux-x86_64": ("x86_64-linux-musl", []),
    "linux-aarch64": ("aarch64-linux-musl", ["qemu-aarch64-static"]),
    "windows-x86_64": ("x86_64-windows-gnu", ["wine"]),
}


def deal_calls() -> bytes:
    """Return a call for the deals of every table, in the format that golden.c reads."""
    asked = ((rules, golden.seed_of(name)) for name, rules in sorted(tables().items()))
    return b"".join(_call(0, digest_deals, golden.arguments(rules, seed, DEALS), 0) for rules, seed in asked)


class Choice(NamedTuple):
    """A policy's choice in a random position."""

    policy: str
    moment: Observed
    action: int

    def ties_with(self, other: int) -> bool:
        """Return whether another action is worth the same within TIE points, by the chances at a low temperature."""
        chances = make_policy(self.policy, temperature=_HAIR).probabilities(self.moment)
        return bool(chances[other] > chances[self.action] * math.exp(-TIE / _HAIR))


def choice_calls() -> tuple[bytes, list[Choice]]:
    """Return calls for every policy in random positions of its game, and its choices on this machine."""
    whole = b""
    chosen: list[Choice] = []
    for name in sorted(best()):
        policy = make_policy(name)
        rules, fit = policy.weights.rules, policy._fit(policy.weights.rules)
        moments = [observe(game) for game in random_decisions(rules, POSITIONS, seed=7)]
        _, views, seats, legal = map(list, zip(*map(as_batch, moments), strict=True))
        asked = np.concatenate(views), np.concatenate(seats), np.concatenate(legal)
        decisions = Decisions(*asked, np.zeros(len(moments), np.int64), np.zeros((0, ACTIONS)))
        values = (decisions, fit.rules, fit.judge, policy.play, np.zeros(1, np.uint64), fit.levels)
        whole += _call(1, decide_by_afterstates, values, 3)
        chosen += map(Choice, [name] * len(moments), moments, policy.act_many(rules, *asked).tolist())
    return whole, chosen


def _call(number: int, function: Any, values: Any, answer: int) -> bytes:
    """Encode a call for golden.c. answer: index of the array that holds the answer; 0: none does."""
    kinds = arguments(kernel_of(function).function).values()
    words, data = b"", b""
    places: list[tuple[int, int]] = []
    for one, value in zip((one for kind in kinds for one in leaves(kind)), _flat(values), strict=True):
        if isinstance(one, Elements):
            places.append((len(words) // 8, len(data)))
            words += struct.pack(f"<{1 + value.ndim}q", 0, *value.shape)
            data += value.tobytes() + bytes(-value.nbytes % 16)
        else:
            words += struct.pack(f"<{one.code}", value)
    numbers = (number, len(words) // 8, len(data), len(places), places[answer][0])
    return struct.pack("<5q", *numbers) + words + struct.pack(f"<{2 * len(places)}q", *_flat(tuple(places))) + data


def _flat(values: Any) -> list[Any]:
    return [one for part in values for one in _flat(part)] if isinstance(values, tuple) else [values]


def answers(lowered: Lowered, target: Target, zig_name: str, runner: list[str], folder: Path) -> list[str]:
    """Run the calls in the folder with kernels for a target; return the answers, a line for each."""
    (folder / "kernels.o").write_bytes(emit(lowered, target))
    program = folder / "golden.exe"
    zig("cc", "-target", zig_name, "-O2", "-static", str(HERE / "golden.c"), str(CODE / "runtime.c"),
        str(folder / "kernels.o"), "-o", str(program))  # fmt: skip
    where = os.environ | {"WINEPREFIX": str(folder / "wine"), "WINEDEBUG": "-all"}
    with (folder / "calls").open("rb") as calls:
        done = subprocess.run([*runner, str(program)], stdin=calls, capture_output=True, check=True, env=where)
    return done.stdout.decode().splitlines()


def main(systems: list[str]) -> int:
    kept = json.loads((HERE / "golden.json").read_text())
    asked, chosen = choice_calls()
    lowered, failed = lower_all(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "calls").write_bytes(deal_calls() + asked)
        for system in systems or PLACES:
            zig_name, runner = PLACES[system]
            for target in TARGETS[system]:
                label = f"{target.triple}, {target.cpu}{f', by {runner[0]}' if runner else ''}"
                if runner and not shutil.which(runner[0]):
                    print(f"{label}: not run, {runner[0]} is not here")
                    continue
                lines = answers(lowered, target, zig_name, runner, folder)
                found = dict(zip(sorted(tables()), lines, strict=False))
                wrong = sorted(table for table in kept if found.get(table) != kept[table])
                turns = [int(action, 16) for line in lines[len(tables()) :] for action in line.split()]
                others = [
                    (choice, other) for choice, other in zip(chosen, turns, strict=True) if choice.action != other
                ]
                worse = [choice.policy for choice, turn in others if not choice.ties_with(turn)]
                failed += bool(wrong or worse)
                print(f"{label}: {len(kept) - len(wrong)} of {len(kept)} tables", *wrong, end="; ")
                print(f"{len(chosen)} choices, {len(others)} others, {len(worse)} of them no ties", *worse, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
