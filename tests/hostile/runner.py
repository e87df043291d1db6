"""python -m tests.fuzz --hostile: corrupted inputs of every kind. Exit 1 if one crashes, hangs, raises or runs code.

Worker processes try them case by case; if one crashes or hangs, the next goes on after its case.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import multiprocessing
import os
import pkgutil
import random
import signal
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from tests.hostile.kind import CANARY, Kind, RefusedError

_FORK = multiprocessing.get_context("fork")
OUTCOMES = ("accepted", "refused", "crash", "hang", "traceback", "executed")
BAD = OUTCOMES[2:]
_CHUNK = 500  # cases in a job

Job = tuple[str, int, int]  # kind, first case, end (exclusive)
Bad = tuple[int, str, str]  # case, outcome, message for the report


def kinds() -> dict[str, Kind]:
    """Collect the kinds that the modules in this folder define."""
    names = sorted(found.name for found in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = [importlib.import_module(f"tests.hostile.{name}") for name in names]
    return {kind.name: kind for module in modules for kind in getattr(module, "KINDS", ())}


# --- in a worker ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ready:
    """A kind with its valid inputs, made and tried before the workers fork, so that they start warm."""

    kind: Kind
    seeds: list[Any]


def ready(kind: Kind, seed: int) -> Ready:
    made = Ready(kind, kind.seeds(random.Random(f"{seed} {kind.name}")))
    with contextlib.redirect_stdout(io.StringIO()):
        for right in made.seeds[:3]:
            with contextlib.suppress(ValueError, OSError, RefusedError):
                kind.use(right, random.Random(seed))
    return made


def outcome(ready: Ready, seed: int, case: int) -> tuple[str, str]:
    """Run one case: return its outcome and a message for the report."""
    kind, rng = ready.kind, random.Random(f"{seed} {ready.kind.name} {case}")
    spoilt = kind.spoil(rng.choice(ready.seeds), rng)
    result, said = "accepted", ""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            kind.use(spoilt, rng)
    except (ValueError, OSError, RefusedError) as error:
        result, said = "refused", f"{type(error).__name__}: {error}"
        if "\n" in str(error).strip() or not str(error):
            result = "traceback"
    except Exception:  # noqa: BLE001 - users would have seen a traceback
        result, said = "traceback", traceback.format_exc()
    if os.path.exists(CANARY):
        os.remove(CANARY)
        result = "executed"
    return result, f"{said}\n{str(spoilt)[:20_000]!r}"


def _work(pipe: Connection, case: Any, seed: int, ready: Ready, job: Job, limit: float) -> None:
    """Run one job. An alarm kills the process if a case hangs, even inside a kernel: nothing catches that signal."""
    counts: Counter[str] = Counter()
    bad: list[Bad] = []
    for number in range(*job[1:]):
        case.value = number
        signal.setitimer(signal.ITIMER_REAL, limit)
        result, said = outcome(ready, seed, number)
        counts[result] += 1
        if result in BAD:
            bad.append((number, result, said))
    signal.setitimer(signal.ITIMER_REAL, 0)
    pipe.send((counts, bad))


# --- the parent process --------------------------------------------------------------------------------------------


@dataclass
class Run:
    """All jobs, each in a process of its own, and their results."""

    seed: int
    limit: float
    out: Path
    jobs: list[Job]
    all_ready: dict[str, Ready]
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def count(self, name: str, results: Counter[str], bad: list[Bad]) -> None:
        self.counts.setdefault(name, Counter()).update(results)
        for number, result, said in bad:
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / f"{name}-{number}-{result}.txt").write_text(said, errors="backslashreplace")

    def go(self, processes: int) -> None:
        running: dict[Any, tuple[Any, Any, Job]] = {}
        while self.jobs or running:
            while self.jobs and len(running) < processes:
                case, (pipe, theirs), job = _FORK.Value("q", -1, lock=False), _FORK.Pipe(), self.jobs.pop()
                given = (theirs, case, self.seed, self.all_ready[job[0]], job, self.limit)
                process = _FORK.Process(target=_work, args=given)
                process.start()
                theirs.close()
                running[pipe] = process, case, job
            for pipe in list[Any](wait(running)):
                self.end(pipe, *running.pop(pipe))

    def end(self, pipe: Any, process: Any, case: Any, job: Job) -> None:
        """Count a finished job. If a case ended its process, count that case and queue the other cases again."""
        name, first, end = job
        try:
            self.count(name, *pipe.recv())
        except (EOFError, ConnectionError):
            process.join()
            at, result = max(int(case.value), first), "hang" if process.exitcode == -signal.SIGALRM else "crash"
            self.count(name, Counter({result: 1}), [(at, result, "the cases before it in its job are tried again")])
            self.jobs += [rest for rest in ((name, first, at), (name, at + 1, end)) if rest[1] < rest[2]]
        process.join()
        pipe.close()


def jobs(wanted: dict[str, int]) -> list[Job]:
    found = [(name, at, min(at + _CHUNK, count)) for name, count in wanted.items() for at in range(0, count, _CHUNK)]
    return found[::-1]


def table(counts: dict[str, Counter[str]], seconds: float) -> str:
    width = max(map(len, [*counts, "kind"])) + 2
    rows = ["kind".ljust(width) + "".join(name.rjust(11) for name in ("inputs", *OUTCOMES))]
    for name, row in sorted(counts.items()):
        numbers = (sum(row.values()), *(row[outcome] for outcome in OUTCOMES))
        rows.append(name.ljust(width) + "".join(f"{number:,}".rjust(11) for number in numbers))
    return "\n".join([*rows, f"{seconds:.0f} s"])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz --hostile", description=(__doc__ or "").partition(": ")[2]
    )
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
