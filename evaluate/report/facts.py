"""Where a report comes from: when, by which command, with which versions and seeds, on what machine."""

from __future__ import annotations

import os
import platform
import shlex
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from casino_env.evaluate.shapes import TEXT, WHOLE, Each, check_shape
from casino_env.rules import RULES_VERSION

Row = dict[str, Any]
_RUN = {
    "config": {"game": {"variant": TEXT, "players": WHOLE}, "run": {"algorithm": TEXT, "seed": WHOLE}},
    "versions": Each(TEXT),
    "commit": TEXT,
}


def facts(words: list[str]) -> list[str]:
    """words: of the command line, after the name of the command."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    versions = ", ".join(f"{name} {version(name)}" for name in ("casino-env", "numpy", "numba"))
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return [
        f"Made {now} by: casino evaluate report {shlex.join(words)}",
        f"{versions}; rules {RULES_VERSION}; {machine}",
    ]


def run_facts(kept: Row) -> str:
    """Of the config.json of a run."""
    check_shape(kept, _RUN, "config.json")
    game, run = kept["config"]["game"], kept["config"]["run"]
    versions = ", ".join(f"{name} {number}" for name, number in kept["versions"].items())
    what = f"{game['variant']}, {game['players']} players, {run['algorithm']}, seed {run['seed']}"
    return f"{what}; commit {kept['commit']}; {versions}."
