"""CASINO_ENV_KERNELS=checked python -m tests.bounds: play with kernels made by `casino compile --check-bounds`.

It plays golden deals, deals of random rules and every agent. An index outside its array raises an error, which is
listed; exit 1 if there is one. Progress is kept in a file, so a second call resumes. Corrupted inputs with the same
kernels: CASINO_ENV_KERNELS=checked python -m tests.fuzz --hostile.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from casino_env import golden
from casino_env.agents.files import write_file
from casino_env.aot.build import fits
from casino_env.compiler import library
from casino_env.rules import Rules
from tests.comparing import random_switches
from tests.same import decisions, kinds_of_agents

_CHUNK, _RANDOM = 500, 20  # deals in a chunk: of a table, of random rules
_OTHERS = 10  # for so many deals of tables, one of random rules


def chunks(deals: int) -> Iterator[tuple[str, int, Callable[[], object]]]:
    """Yield all chunks of work: name, number of deals, and the function that plays them."""
    tables = sorted(golden.tables().items())
    for at in range(0, -(-deals // len(tables)), _CHUNK):
        for name, rules in tables:
            yield f"{name} {at}", _CHUNK, _deals(rules, golden.seed_of(name) + at, _CHUNK)
    for seed in range(deals // _OTHERS // _RANDOM):
        yield f"rules {seed}", _RANDOM, _deals(random_switches(random.Random(seed)), seed, _RANDOM)
    for spec, rules in kinds_of_agents():
        yield f"{spec} {rules.name} {rules.players} {rules.differences() or ''}", 1, _deal_of(spec, rules)


def _deals(rules: Rules, seed: int, count: int) -> Callable[[], object]:
    return lambda: golden.digest_deals(*golden.arguments(rules, seed, count))


def _deal_of(spec: str, rules: Rules) -> Callable[[], object]:
    return lambda: list(decisions([(spec, rules)], 1))


def go_on(file: Path, deals: int) -> dict[str, Any]:
    """Play the chunks that the file does not list as done; return its content."""
    known: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"done": {}, "wrong": {}, "seconds": 0}
    began, before, kept = time.perf_counter(), known["seconds"], time.perf_counter()
    for name, many, play in chunks(deals):
        if name in known["done"]:
            continue
        try:
            play()
        except RuntimeError as error:
            known["wrong"][name] = str(error)
            print(f"{name}: {error}", flush=True)
        known["done"][name] = many
        if time.perf_counter() - kept > 10:
            kept = time.perf_counter()
            known["seconds"] = round(before + kept - began)
            write_file(file, json.dumps(known).encode())
    known["seconds"] = round(before + time.perf_counter() - began)
    write_file(file, json.dumps(known).encode())
    return known


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bounds", description=__doc__)
    parser.add_argument("--deals", type=int, default=1_000_000, help="of all tables (1000000)")
    parser.add_argument("--out", type=Path, default=Path("build/bounds.json"), help="what is done (build/bounds.json)")
    args = parser.parse_args()
    if library.MODE != library.CHECKED or not fits(library.FOLDER):
        print("casino compile --check-bounds, then CASINO_ENV_KERNELS=checked python -m tests.bounds", file=sys.stderr)
        return 2
    args.out.parent.mkdir(parents=True, exist_ok=True)
    known = go_on(args.out, args.deals)
    done, wrong = known["done"], known["wrong"]
    print(f"{sum(done.values())} deals in {known['seconds']} s: {len(wrong)} of {len(done)} parts went out of bounds")
    return 1 if known["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
