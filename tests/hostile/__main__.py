"""python -m tests.hostile: try corrupted inputs of every kind. Exit 1 if one crashes, hangs, raises or runs code."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("--kinds", nargs="+", help="only these (all)")
    parser.add_argument("--count", type=int, help="inputs of each kind (what the kind says)")
    parser.add_argument("--share", type=float, default=1.0, help="of what each kind says (1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds after which a case hangs (5)")
    parser.add_argument(
        "--out", type=Path, default=Path("build/hostile"), help="folder for the bad ones (build/hostile)"
    )
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(arguments)
    os.environ["CASINO_ENV_QUIET"] = "1"
    return _run(args)


def _run(args: argparse.Namespace) -> int:
    from tests.hostile.runner import BAD, Run, jobs, kinds, ready, table

    known = kinds()
    unknown = [name for name in args.kinds or () if name not in known]
    if unknown:
        print(f"hostile: unknown kind {unknown[0]!r}; they are {', '.join(known)}", file=sys.stderr)
        return 2
    wanted = {name: args.count or max(1, int(known[name].count * args.share)) for name in args.kinds or known}
    all_ready = {name: ready(known[name], args.seed) for name in wanted}
    run, began = Run(args.seed, args.limit, args.out, jobs(wanted), all_ready), time.perf_counter()
    run.go(args.jobs)
    seconds = time.perf_counter() - began
    bad = sum(row[name] for row in run.counts.values() for name in BAD)
    if args.json:
        print(json.dumps({"kinds": run.counts, "seconds": seconds, "bad": bad}))
    else:
        print(table(run.counts, seconds))
        print(f"{bad} bad" + (f": see {args.out}" if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
