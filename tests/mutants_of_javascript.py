"""python -m tests.mutants_of_javascript --count 100: mutants of the JavaScript package, as in tests/mutants.py.

Each mutant answers questions of tests/same.py: an answer unlike the unchanged package's catches it. Then it runs the
tests of the package, fastest files first, until one fails.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from tests.mutants import ALIKE, OUT, ROOT, read

PACKAGE = ROOT / "packages/casino"
COPY = OUT / "javascript"
LOG = OUT / "javascript.jsonl"
SLOWER = 8  # times slower than unchanged counts as a hang
TESTS = {"agents": ("apps", "agents")}  # by source folder
OTHERS = ("apps", "views", "positions", "agents")  # for all other folders


def copied() -> Path:
    """Make a copy of the checkout in which the package's sources may be changed; return the package."""
    shutil.rmtree(COPY, ignore_errors=True)
    here = COPY / "packages/casino"
    for part in ("src", "tests"):
        shutil.copytree(PACKAGE / part, here / part)
    for path in ("dist", "node_modules", "package.json"):
        (here / path).symlink_to((PACKAGE / path).resolve())
    for path in ("agents", "tests"):
        (COPY / path).symlink_to(ROOT / path)
    return here


def questions(file: Path) -> None:
    """Write some questions of every kind to a file."""
    from tests import same

    kinds = same.kinds_of_agents()
    names = ("greedy", "policy", "search", "solved")
    some = [next(each for each in kinds if each[0].startswith(name)) for name in names]
    asked = [
        same.tables(),
        same.deals(25, seed=3),
        same.inputs(300, seed=4),
        same.settings(100, seed=5),
        same.decisions(some, 1),
        same.verdicts(1),
    ]
    file.write_text("".join(json.dumps(question) + "\n" for pairs in asked for question, _ in pairs))


def every_mutant() -> list[dict[str, Any]]:
    """Return all mutants; the name of each says what it changes and where, and does not depend on its line."""
    listed = subprocess.run(["node", str(ROOT / "tests/mutants.js")], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in listed.stdout.splitlines()]


def said(package: Path, words: list[str], seconds: float, stdin: IO[str] | None = None) -> Iterator[str]:
    """Yield the lines that a program prints; if it fails or has to be killed, the last one says so."""
    process = subprocess.Popen(
        ["node", *words], cwd=package, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        assert process.stdout
        yield from process.stdout
        if process.wait():
            yield "ended" if timer.is_alive() else "takes too long"
    finally:
        timer.cancel()
        process.kill()
        process.wait()


def answers(package: Path, asked: Path, seconds: float) -> Iterator[str]:
    with asked.open() as lines:
        yield from said(package, ["tests/same.js"], seconds, lines)


def fails(package: Path, test: str, seconds: float) -> str:
    """Return the first test of a file that fails; empty if none does."""
    lines = said(package, ["--test-reporter=tap", f"tests/{test}.test.js"], seconds)
    return next((line.strip() for line in lines if line.startswith(("not ok", "ended", "takes too long"))), "")


def outcome(package: Path, folder: str, asked: Path, right: list[str], seconds: float) -> tuple[str, str]:
    for got, wanted in itertools.zip_longest(answers(package, asked, SLOWER * seconds + 5), right):
        if got != wanted:
            return "caught", f"tests/same.js {got}" if got in ("ended", "takes too long") else "tests/same.js"
    by = next((f"{test}: {by}" for test in TESTS.get(folder, OTHERS) if (by := fails(package, test, 600))), "")
    return ("caught", by) if by else ("survived", "")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants_of_javascript", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="how many, drawn at random (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="run survivors again, with the tests as they are")
    args = parser.parse_args()
    package, every, asked = copied(), every_mutant(), COPY / "questions"
    questions(asked)
    began = time.monotonic()
    right = list(answers(package, asked, 600))
    seconds, done, alike = time.monotonic() - began, read(LOG), json.loads(ALIKE.read_text())
    assert len(right) == len(asked.read_text().splitlines()), "the package does not answer"
    for test in OTHERS:
        assert not (failed := fails(package, test, 600)), f"unchanged: {failed}"
    every.sort(key=lambda mutant: random.Random(f"{args.seed} {mutant['name']}").random())  # other mutants may come
    for mutant in every[: args.count]:
        name = mutant["name"]
        if name in done and not (args.again and done[name]["result"] == "survived" and name not in alike):
            continue
        file = package / "src" / mutant["file"]
        plain = file.read_text()
        file.write_text(plain[: mutant["start"]] + mutant["text"] + plain[mutant["end"] :])
        began = time.monotonic()
        result, by = outcome(package, mutant["file"].split("/")[0], asked, right, seconds)
        file.write_text(plain)
        row = {"name": name, "result": result, "by": by, "seconds": round(time.monotonic() - began, 2)}
        with LOG.open("a") as log:
            log.write(json.dumps(row) + "\n")
    rows, names = read(LOG), {mutant["name"] for mutant in every}
    counts = collections.Counter(
        "equivalent" if row["result"] == "survived" and name in alike else row["result"]
        for name, row in rows.items()
        if name in names
    )
    print(f"{len(every)} mutants there are; {dict(counts)}")
    return 0


if __name__ == "__main__":
    os.environ["CASINO_ENV_QUIET"] = "1"
    sys.exit(main())
