"""Compare C with Python: python -m tests.same_in_c asks tests/same.c what tests/same.py asks node.

Questions: decisions of every kind of agent, verdicts of the judge, and positions in flat form, some of them spoilt.
"""

from __future__ import annotations

import base64
import ctypes
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from casino_env.agents.c_export import JUDGE, as_bytes
from casino_env.compiler import library
from casino_env.engine.invariants import FIELDS, LAST_NUMBER, MODE
from casino_env.game import Game
from casino_env.golden import tables
from casino_env.position import Reader
from casino_env.rules import Rules, rules_of
from tests.comparing import wander
from tests.same import Other, decisions, kinds_of_agents, or_error, verdicts

HERE = Path(__file__).parent
Data = dict[str, Any]


def compiled(source: Path, to: Path, *words: str) -> Path:
    """Compile a C program with the library."""
    shared = library.FOLDER / library.c_file_name(sys.platform)
    command = [sys.executable, "-m", "ziglang", "cc", "-O2", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined"]
    command += ["-ftrivial-auto-var-init=pattern"]  # so that unwritten memory is never zero by luck
    command += [f"-I{library.FOLDER}", str(source), str(shared), f"-Wl,-rpath,{library.FOLDER}", *words]
    subprocess.run([*command, "-o", str(to)], check=True, capture_output=True, text=True)
    return to


@cache
def c_library() -> Any:
    """Load the library of casino.h by ctypes."""
    c = ctypes.CDLL(str(library.FOLDER / library.c_file_name(sys.platform)))
    c.casino_open.restype = c.casino_rules_of.restype = ctypes.c_void_p
    c.casino_open.argtypes = ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_int)
    for text in ("action_text", "card_text", "error", "segment_name", "table", "version"):
        getattr(c, f"casino_{text}").restype = ctypes.c_char_p
    return c


class InC(Other):
    """tests/same.c, which reads questions as lines of words."""

    def __init__(self, folder: Path, *before: str) -> None:
        """before: words of a command that runs the program."""
        self._folder = folder
        super().__init__(*before, str(compiled(HERE / "same.c", folder / "same")))

    def words(self, question: Data) -> str:
        if question["do"] == "flat":
            return f"flat {question['table']}; {question['game']} {question['field']} {question['number']}\n"
        rules = rules_of(question["variant"], question["players"], question["rules"])
        if question["do"] == "advice":
            asked, view = question["options"], _hex(question["view"])
            return (
                f"judge {self._file(JUDGE, rules)} {question['seat']} {view} {asked['games']} {int(asked['seconds'])} "
                f"{int(asked['solve'])}\n"
            )
        steps = "".join(f" {_hex(step['view'])} {int(step['asked'])}" for step in question["steps"])
        file = self._file(question["spec"], rules)
        return f"agent {file} {question['seat']} {question['seed']} {len(question['steps'])}{steps}\n"

    def _file(self, spec: str, rules: Rules) -> Path:
        name = hashlib.sha256(f"{spec} {rules}".encode()).hexdigest()[:16]
        file = self._folder / f"{name}.casino"
        if not file.exists():
            file.write_bytes(as_bytes(spec, rules))
        return file

    def _ask(self, questions: list[Data]) -> list[Data]:
        found = []
        for question in questions:
            self._writer.write(self.words(question).encode())
            self._writer.flush()
            answer = json.loads(self._reader.readline())
            found.append(answer if isinstance(answer, dict) and "error" in answer else {"value": answer})
        return found


def _hex(view: str) -> str:
    return base64.b64decode(view).hex()


def positions(count: int, seed: int) -> Iterator[tuple[Data, Any]]:
    """Yield positions of random games to write and read again; half have one number changed in between."""
    rng = Random(seed)
    known = list(tables().items())
    for _ in range(count):
        table, rules = rng.choice(known)
        game = Game(rules, seed=rng.getrandbits(40), skip_forced=False)
        wander(game, rng, rng.randrange(80))
        field = -1 if rng.random() < 0.5 else rng.randrange(MODE if game.over else LAST_NUMBER)
        question = {"field": field, "number": rng.choice((-2, -1, 0, 1, 2, 5, 13, 60, 10**6))}
        read = Reader(game.to_json(), rules)
        if field >= 0:
            read.numbers[FIELDS[field]] = question["number"]
        read.stream = int(game.record["rng"]) if read.numbers["match"] else 0  # the flat form always has it
        mine = or_error(lambda read=read: np.atleast_1d(read.record()).tobytes().hex())  # type: ignore[misc]
        yield {"do": "flat", "table": table, "game": game.record.tobytes().hex()} | question, mine


def main() -> int:
    with TemporaryDirectory() as name, InC(Path(name)) as other:
        print("positions", dict(other.compare(positions(2000, 1))), flush=True)
        print("verdicts", dict(other.compare(verdicts(10))), flush=True)
        print("decisions", dict(other.compare(decisions(kinds_of_agents(), 1))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
