"""python -m tests.mutants_of_javascript --count 100: mutants of the JavaScript package, as in tests/mutants.py.

Each mutant answers questions of tests/same.py: an answer unlike the unchanged package's catches it. Then it runs the
tests of the part that it is in, until one fails.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.mutants import OUT, ROOT, read

PACKAGE = ROOT / "packages/casino"
COPY = OUT / "javascript"
LOG = OUT / "javascript.jsonl"
SLOWER = 8  # times slower than unchanged counts as a hang
TESTS = {"agents": "agents.test.js"}  # by source folder
OTHERS = "positions.test.js"  # for all other folders


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
    asked = [same.tables(), same.deals(25, seed=3), same.inputs(300, seed=4), same.decisions(some, 1), same.verdicts(1)]
    file.write_text("".join(json.dumps(question) + "\n" for pairs in asked for question, _ in pairs))


def answers(package: Path, asked: Path, seconds: float) -> bytes:
    with asked.open() as lines:
        done = subprocess.run(["node", "tests/same.js"], cwd=package, stdin=lines, capture_output=True, timeout=seconds)
    return done.stdout if done.returncode == 0 else b""


def fails(package: Path, test: str, seconds: float) -> str:
    """Return the first test that fails; empty if none does."""
    process = subprocess.Popen(
        ["node", "--test-reporter=tap", f"tests/{test}"],
        cwd=package, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    began = time.monotonic()
    assert process.stdout
    try:
        for line in process.stdout:
            if line.startswith("not ok"):
                return line.strip()
            if time.monotonic() - began > seconds:
                return f"{test} takes too long"
        return f"{test} ended" if process.wait() else ""
    finally:
        process.kill()
        process.wait()


def outcome(package: Path, mutant: dict[str, Any], asked: Path, right: bytes, seconds: float) -> tuple[str, str]:
    try:
        if answers(package, asked, SLOWER * seconds + 5) != right:
            return "caught", "tests/same.js"
    except subprocess.TimeoutExpired:
        return "caught", "tests/same.js takes too long"
    by = fails(package, TESTS.get(mutant["file"].split("/")[0], OTHERS), 60 * SLOWER)
    return ("caught", by) if by else ("survived", "")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants_of_javascript", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="how many, drawn at random (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="run survivors again, with the tests as they are")
    args = parser.parse_args()
    package = copied()
    listed = subprocess.run(["node", str(ROOT / "tests/mutants.js")], capture_output=True, text=True, check=True).stdout
    every = [json.loads(line) for line in listed.splitlines()]
    asked = COPY / "questions"
    questions(asked)
    began = time.monotonic()
    right = answers(package, asked, 600)
    seconds, done = time.monotonic() - began, read(LOG)
    assert len(right.splitlines()) == len(asked.read_text().splitlines()), "the package does not answer"
    for test in {OTHERS, *TESTS.values()}:
        assert not (failed := fails(package, test, 60 * SLOWER)), f"unchanged: {failed}"
    for mutant in random.Random(args.seed).sample(every, min(args.count, len(every))):
        name = f"{mutant['file']}:{mutant['line']}:{mutant['start']} {mutant['was']} -> {mutant['text']}"
        if name in done and not (args.again and done[name]["result"] == "survived"):
            continue
        file = package / "src" / mutant["file"]
        plain = file.read_text()
        file.write_text(plain[: mutant["start"]] + mutant["text"] + plain[mutant["end"] :])
        began = time.monotonic()
        result, by = outcome(package, mutant, asked, right, seconds)
        file.write_text(plain)
        row = {"name": name, "result": result, "by": by, "seconds": round(time.monotonic() - began, 2)}
        with LOG.open("a") as log:
            log.write(json.dumps(row) + "\n")
    print(f"{len(every)} mutants there are; {dict(collections.Counter(row['result'] for row in read(LOG).values()))}")
    return 0


if __name__ == "__main__":
    os.environ["CASINO_ENV_QUIET"] = "1"
    sys.exit(main())
