"""Compares digests of random deals of every table with tests/golden.json: python -m tests.golden; --write to keep."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import Afterstates
from casino_env.engine.state import GAME, rules_record
from casino_env.golden import digest_deals, tables
from casino_env.knowledge.layout import make_layout
from casino_env.rules import Rules

FILE = Path(__file__).parent / "golden.json"


def arguments(rules: Rules, seed: int, deals: int) -> tuple[Any, ...]:
    """What digest_deals is called with."""
    row, layout = rules_record(rules), make_layout(rules)
    features = np.zeros(layout.most, np.int16)
    return np.zeros(2, GAME), row, layout.record, allocate(Afterstates), features, seed, deals


def seed_of(table: str) -> int:
    """The same whatever other tables there are."""
    return crc32(table.encode())


def digests(deals: int = 20) -> dict[str, str]:
    """By table: positions, complete turns, observations, points."""
    found = {name: digest_deals(*arguments(rules, seed_of(name), deals)) for name, rules in sorted(tables().items())}
    return {name: " ".join(f"{value & (2**64 - 1):016x}" for value in row) for name, row in found.items()}


def main() -> int:
    found = digests()
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(json.dumps(found, indent=1) + "\n")
        return 0
    kept = json.loads(FILE.read_text())
    wrong = sorted(name for name in kept | found if kept.get(name) != found.get(name))
    print(f"{len(kept) - len(wrong)} of {len(kept)} tables are as they should be", *wrong, sep="\n  ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
