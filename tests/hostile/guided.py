"""python -m tests.hostile.guided KIND --minutes 60: coverage-guided fuzzing of the inputs of a kind.

Atheris (pip install atheris) makes bytes, from which a kind draws how to corrupt an input, instead of random numbers.
So every kind has a harness, and a case is a few bytes. One case for each answer is kept in corpus.json (--keep), and
the tests try these again.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from tests.hostile.kind import RefusedError

CORPUS = Path(__file__).parent / "corpus.json"  # by kind: the bytes of each case in hexadecimal
SEED = 1
_LONGEST, _MOST = 64, 40  # most bytes of a case, most cases of a kind
_VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|\[.*\]|\{.*\}|-?\d+|\b[A2-9TJQK][CDHS]\b")


class Dice(Random):
    """A random generator that reads its numbers from bytes; after their end it draws pseudo-random ones."""

    def __init__(self, data: bytes) -> None:
        super().__init__(int.from_bytes(data[:8], "little"))
        self._data, self._at = data, 0

    def getrandbits(self, many: int) -> int:
        size = (many + 7) // 8
        part, self._at = self._data[self._at : self._at + size], self._at + size
        if len(part) < size:
            return super().getrandbits(many)
        return int.from_bytes(part, "little") >> 8 * size - many

    def random(self) -> float:
        return self.getrandbits(16) / 65536


def attempt(kind: Any, seeds: list[Any], data: bytes) -> str:
    """Try a case; return its answer, values masked. A refusal in one line is an answer; other errors are raised."""
    dice = Dice(data)
    spoilt = kind.spoil(dice.choice(seeds), dice)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            kind.use(spoilt, dice)
    except (ValueError, OSError, RefusedError) as error:
        if "\n" in str(error).strip() or not str(error):
            raise RuntimeError(f"a refusal that is no line: {error!r}") from error
        return _VALUES.sub("_", str(error))[:60]
    return ""


def corpus() -> dict[str, list[str]]:
    return dict(json.loads(CORPUS.read_text())) if CORPUS.exists() else {}


def run(name: str, words: list[str]) -> None:
    """Run Atheris with its own options; it ends the process."""
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]

    with atheris.instrument_imports(include=["casino_env"]):
        from tests.hostile import runner

        kind = runner.kinds()[name]
    seeds = runner.ready(kind, SEED).seeds
    atheris.Setup([sys.argv[0], *words], lambda data: attempt(kind, seeds, data))
    atheris.Fuzz()


def keep(name: str, cases: list[bytes]) -> None:
    """Write the shortest case for each answer to the corpus."""
    from tests.hostile import runner

    kind = runner.kinds()[name]
    seeds, by_answer = runner.ready(kind, SEED).seeds, dict[str, str]()
    for case in sorted(cases, key=lambda case: (len(case), case)):
        by_answer.setdefault(attempt(kind, seeds, case), case.hex())
    if by_answer:  # empty if all work is done by kernels
        CORPUS.write_text(json.dumps(corpus() | {name: sorted(by_answer.values())[:_MOST]}, indent=0) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.guided", description=__doc__.splitlines()[0])
    parser.add_argument("kind", help="as python -m tests.fuzz --hostile names it")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--keep", action="store_true", help="write corpus.json anew")
    parser.add_argument("--atheris", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    args = parser.parse_args()
    os.environ["CASINO_ENV_QUIET"] = "1"
    if args.atheris is not None:
        run(args.kind, args.atheris)
    bad = Path("build/hostile")
    bad.mkdir(parents=True, exist_ok=True)
    here = [sys.executable, "-m", "tests.hostile.guided", args.kind, "--atheris"]
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(corpus().get(args.kind, ())):
            (Path(folder) / str(number)).write_bytes(bytes.fromhex(case))
        limits = [f"-max_len={_LONGEST}", "-timeout=5", f"-max_total_time={60 * args.minutes:.0f}"]
        place = f"-artifact_prefix={bad}/{args.kind.replace(' ', '-')}-"
        done = subprocess.run([*here, *limits, place, folder])
        if args.keep and done.returncode == 0:
            keep(args.kind, [path.read_bytes() for path in Path(folder).iterdir()])
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
