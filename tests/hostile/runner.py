"""Worker processes that try spoilt inputs case by case; one that crashes or hangs is replaced and goes on behind it."""

from __future__ import annotations

import contextlib
import importlib
import io
import multiprocessing
import os
import pkgutil
import random
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.hostile.kind import CANARY, Kind, RefusedError

_FORK = multiprocessing.get_context("fork")
OUTCOMES = ("accepted", "refused", "crash", "hang", "traceback", "executed")
BAD = OUTCOMES[2:]
_CHUNK, _POLL = 500, 0.02  # cases a job; seconds between looks

Job = tuple[str, int, int]  # kind, first case, and the one after the last


def kinds() -> dict[str, Kind]:
    """Those of the files beside this one."""
    names = sorted(found.name for found in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = [importlib.import_module(f"tests.hostile.{name}") for name in names if name != "__main__"]
    return {kind.name: kind for module in modules for kind in getattr(module, "KINDS", ())}


# --- in a worker ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ready:
    """A kind with its right inputs. Made, and tried once, before the workers split off: they begin where this ends."""

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
    """What comes of one case, and what to say of it."""
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
    except Exception:  # noqa: BLE001 - whatever it is, it would have been a traceback
        result, said = "traceback", traceback.format_exc()
    if os.path.exists(CANARY):
        os.remove(CANARY)
        result = "executed"
    return result, f"{said}\n{str(spoilt)[:20_000]!r}"


def _work(pipe: Connection, case: Any, seed: int, all_ready: dict[str, Ready]) -> None:
    while (job := pipe.recv()) is not None:
        name, first, end = job
        counts: Counter[str] = Counter()
        bad: list[tuple[int, str, str]] = []
        for number in range(first, end):
            case.value = number
            result, said = outcome(all_ready[name], seed, number)
            counts[result] += 1
            if result in BAD:
                bad.append((number, result, said))
        pipe.send((counts, bad))


# --- the one that looks after them ---------------------------------------------------------------------------------


@dataclass
class Worker:
    """A process, the job it has and how far it has come."""

    seed: int
    all_ready: dict[str, Ready]
    job: Job | None = None
    moved: tuple[int, float] = (-1, 0.0)  # the case, and since when

    def __post_init__(self) -> None:
        self.case = _FORK.Value("q", -1, lock=False)
        self.pipe, theirs = _FORK.Pipe()
        self.process = _FORK.Process(target=_work, args=(theirs, self.case, self.seed, self.all_ready))
        self.process.start()
        theirs.close()

    def give(self, job: Job | None) -> None:
        self.job, self.moved = job, (-1, time.monotonic())
        self.case.value = -1
        self.pipe.send(job)

    def stuck(self, limit: float) -> bool:
        """One case has taken too long."""
        now, case = time.monotonic(), self.case.value
        if case != self.moved[0]:
            self.moved = (case, now)
        return now - self.moved[1] > limit

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


@dataclass
class Run:
    """All jobs, and what has come of them."""

    seed: int
    limit: float
    out: Path
    jobs: list[Job]
    all_ready: dict[str, Ready]
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def count(self, name: str, results: Counter[str], bad: list[tuple[int, str, str]]) -> None:
        self.counts.setdefault(name, Counter()).update(results)
        for number, result, said in bad:
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / f"{name}-{number}-{result}.txt").write_text(said, errors="backslashreplace")

    def broken(self, worker: Worker, result: str) -> Worker:
        """The worker's case has ended it: count that, and let another go on behind it."""
        name, first, end = worker.job or ("", 0, 0)
        case = max(int(worker.case.value), first)
        worker.end()
        self.count(name, Counter({result: 1}), [(case, result, "the cases before it in its job are tried again")])
        self.jobs += [job for job in ((name, first, case), (name, case + 1, end)) if job[1] < job[2]]
        return Worker(self.seed, self.all_ready)

    def go(self, processes: int) -> None:
        workers = [Worker(self.seed, self.all_ready) for _ in range(processes)]
        while self.jobs or any(worker.job for worker in workers):
            workers = [self.look(worker) for worker in workers]
            time.sleep(_POLL)
        for worker in workers:
            worker.end()

    def look(self, worker: Worker) -> Worker:
        with contextlib.suppress(EOFError, ConnectionError):
            while worker.job and worker.pipe.poll():
                self.count(worker.job[0], *worker.pipe.recv())
                worker.job = None
        if worker.job is None and self.jobs:
            worker.give(self.jobs.pop())
        if worker.job and not worker.process.is_alive():
            return self.broken(worker, "crash")
        if worker.job and worker.stuck(self.limit):
            return self.broken(worker, "hang")
        return worker


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
