"""`python -m tests.kills`: interrupt work by kill -9 and full disks at random; check that it resumes without loss.

Each kind of work runs once undisturbed. Then it starts again and is interrupted repeatedly until it is done: after each
interruption all acknowledged work must be there, and the final result must equal the undisturbed one.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casino_env.evaluate.matches.tournament import FILE, load_tournament
from casino_env.train.checkpoint import checkpoints, load_checkpoint
from tests.full_disks import full_disk
from tests.kept_deals import count_of, rows_of

_FULL = re.compile("File too large|disk is full|disk I/O error")


class LostError(AssertionError):
    """Acknowledged work is gone, or the result differs."""


# So small and so often saved that an interruption mostly hits in the middle of a checkpoint.
CONFIG = """
[network]
hidden = [32]
[afterstates]
deals = 12
minibatch = 64
[run]
name = "cut"
decisions = {decisions}
checkpoint_minutes = 1e-6
evaluate_minutes = 0.01
panel = ["random"]
deals = 2
levels = {{ half = 0.5 }}
"""


# --- kinds of work ---------------------------------------------------------------------------------------------------


class Training:
    """A training run; a checkpoint acknowledges work."""

    name = "training"

    def __init__(self, place: Path, size: int) -> None:
        self.folder = place / "cut"
        self._config = place / "cut.toml"
        place.mkdir()
        self._config.write_text(CONFIG.format(decisions=256 * size))

    def command(self) -> list[str]:
        go_on = ["--resume", str(self.folder)]
        begin = [str(self._config), "--runs", str(self.folder.parent)]
        return ["train", *(go_on if self.seen() else begin), "--deals", "2"]

    def seen(self) -> int:
        """Return how much work is acknowledged."""
        found = checkpoints(self.folder)
        return int(found[-1].name) if found else 0

    def check(self) -> None:
        """Raise if a file is broken."""
        if checkpoints(self.folder):
            load_checkpoint(self.folder)

    def result(self) -> dict[str, Any]:
        last = checkpoints(self.folder)[-1]
        files = [last / "state.safetensors", *(self.folder / f"{name}.safetensors" for name in ("policy", "half"))]
        return {path.name: path.read_bytes() for path in files}

    def limits(self, draw: random.Random) -> int:
        """Draw a limit for the size of a file, in bytes, so small that some file does not fit."""
        return int(10 ** draw.uniform(1.5, 4.9))


class Cup:
    """A tournament; a deal in its file acknowledges work."""

    name = "tournament"

    def __init__(self, place: Path, size: int) -> None:
        self.folder, self.deals = place / "cup", 25 * size

    def command(self) -> list[str]:
        game = ["--variant", "south-african", "--deals", str(self.deals), "--seed", "3", "--threads", "2"]
        return ["evaluate", "tournament", "random", "greedy", "builder", *game, "--out", str(self.folder), "--json"]

    def seen(self) -> int:
        return count_of(self.folder / FILE)

    def check(self) -> None:
        if self.seen():
            load_tournament(self.folder)

    def result(self) -> dict[str, Any]:
        return {"deals": rows_of(self.folder / FILE), "standings": (self.folder / "standings.json").read_bytes()}

    def limits(self, draw: random.Random) -> int:
        file = self.folder / FILE
        there = file.stat().st_size if file.exists() else 0
        return draw.randrange(there // 2 + 1, there + 40_000)


KINDS: dict[str, Any] = {kind.name: kind for kind in (Training, Cup)}


# --- cuts ------------------------------------------------------------------------------------------------------------


@dataclass
class Row:
    """The result for one kind of work and one kind of interruption."""

    what: str
    cut: str
    times: int
    goes_on: int  # works that were interrupted, resumed to their ends, and equal to the undisturbed one


def _start(words: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(work: Any) -> None:
    done = _start(work.command())
    said = done.communicate()[1]
    if done.returncode:
        raise LostError(f"{work.name} did not go on ({done.returncode}): {said}")


def kill(work: Any, draw: random.Random) -> bool:
    """Kill the work (-9) up to 0.3 s after it acknowledges more; return False if it ends before."""
    before, wait = work.seen(), draw.random() * 0.3
    process = _start(work.command())
    while work.seen() == before and process.poll() is None:
        time.sleep(0.005)
    time.sleep(wait)
    seen = work.seen()
    process.kill()
    said = process.communicate()[1]
    _still_there(work, seen)
    if process.returncode > 0:
        raise LostError(f"{work.name} ended by itself with {process.returncode}: {said}")
    return process.returncode != 0


def fill(work: Any, draw: random.Random) -> bool:
    """Run the work on a disk without room for one of its files; return False if everything fitted."""
    before = work.seen()
    with full_disk(work.limits(draw)):
        process = _start(work.command())
    said = process.communicate()[1]
    _still_there(work, before)
    told = ("training ", "TensorBoard's file is incomplete")  # allowed: the work goes on, or can be resumed
    lines = [line for line in said.splitlines() if not line.startswith(told)]
    if process.returncode and (process.returncode != 1 or len(lines) != 1 or not _FULL.search(lines[0])):
        raise LostError(f"{work.name} on a full disk ended with {process.returncode}: {said}")
    return process.returncode != 0


def _still_there(work: Any, seen: int) -> None:
    if work.seen() < seen:
        raise LostError(f"{work.name}: {seen} was acknowledged, {work.seen()} is there")
    work.check()


CUTS = {"kill -9": kill, "full disk": fill}


def cut_off(kind: Any, cut: str, times: int, size: int, draw: random.Random) -> Row:
    """Run works of one kind until they have been interrupted `times` times in all."""
    with tempfile.TemporaryDirectory() as place:
        whole = kind(Path(place) / "whole", size)
        finish(whole)
        expected, left, done = whole.result(), times, 0
        while left:
            work = kind(Path(place) / str(done), size)
            left = _one(work, cut, left, draw)
            finish(work)
            if work.result() != expected:
                raise LostError(f"{kind.name}: cut off by {cut} it came to something else")
            done += 1
    return Row(kind.name, cut, times, done)


def _one(work: Any, cut: str, left: int, draw: random.Random) -> int:
    """Interrupt one work until it is done or `left` is 0; return how many interruptions are left."""
    while left:
        if CUTS[cut](work, draw):
            left -= 1
        elif cut == "kill -9" or (work.seen() and draw.random() < 0.5):
            break
        if cut == "full disk" and left and draw.random() < 0.7:  # let it work with room for a while
            kill(work, draw)
    return left


def table(rows: list[Row]) -> str:
    lines = [f"{'':<12} {'cut off by':<10} {'times':>5}  {'lost':>4}  went on bit for bit"]
    for row in rows:
        lines.append(f"{row.what:<12} {row.cut:<10} {row.times:>5}  {0:>4}  {row.goes_on} of {row.goes_on}")
    return "\n".join(lines)


def rows(kinds: list[str], kills: int, full: int, size: int, seed: int) -> Iterator[Row]:
    draw = random.Random(seed)
    for name in kinds:
        for cut, times in (("kill -9", kills), ("full disk", full)):
            if times:
                yield cut_off(KINDS[name], cut, times, size, draw)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=[*KINDS], help=f"of {', '.join(KINDS)} (all)")
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--full", type=int, default=10, help="full disks")
    parser.add_argument("--size", type=int, default=400, help="of each work: iterations, pieces of 25 deals")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    found = []
    try:
        for row in rows(args.kinds, args.kills, args.full, args.size, args.seed):
            found.append(row)
            print(f"{row.what}: {row.times} times cut off by {row.cut}", file=sys.stderr, flush=True)
    except LostError as error:
        print(f"lost: {error}")
        return 1
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
