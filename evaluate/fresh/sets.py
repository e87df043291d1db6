"""Sets of fresh games, made from a seed: kept in a file with the unfit ones, identified by a hash."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from casino_env.agents.files import checksum, parse, read_text, write_file
from casino_env.evaluate.exam import PARTS
from casino_env.evaluate.fresh.proving import Drawn, examined
from casino_env.evaluate.progress import Show
from casino_env.machine import end_with_parent
from casino_env.rules import RULES_VERSION, Rules, rules_of
from casino_env.validate import check_least, check_shape, of_kind

FORMAT = "casino-fresh 1"
OURS = Path(__file__).parent / "set.jsonl"  # the set that comes with the project
_HEAD = ("all", {"format": "text", "rules_version": ("int",), "seed": ("int",), "hash": "text"})


@dataclass
class FreshSet:
    """The rule sets drawn from a seed, in order. The fit ones are alternately public and held out; nothing is trained,
    and no prompt is tried, on those held out."""

    seed: int
    rows: list[dict[str, Any]] = field(default_factory=list)

    def rules(self, part: str = "all") -> list[Rules]:
        fit = [(number, row["rules"]) for number, row in enumerate(self.rows) if "rules" in row]
        return [
            rules_of(f"fresh {self.seed} {number}", 2, changes)
            for place, (number, changes) in enumerate(fit)
            if part in ("all", PARTS[place % 2])
        ]

    @property
    def hash(self) -> str:
        """The hash of the rules alone: it identifies the games."""
        return checksum(json.dumps([rules.choices() for rules in self.rules()], sort_keys=True).encode())

    def encoded(self) -> bytes:
        head = {"format": FORMAT, "rules_version": RULES_VERSION, "seed": self.seed, "hash": self.hash}
        return "".join(json.dumps(row) + "\n" for row in [head, *self.rows]).encode()


def read_set(path: Path) -> FreshSet:
    lines = read_text(path).splitlines()
    head, *rows = (parse(line, str(path)) for line in lines or ["{}"])
    made = isinstance(head, dict) and tuple(head.get(key) for key in ("format", "rules_version"))
    if made != (FORMAT, RULES_VERSION):
        raise ValueError(f"{path}: not a set of fresh rules, or one of another version; make one with `--make`")
    check_shape(head, _HEAD, f"{path}, line 1")
    for number, row in enumerate(rows, 2):
        of_kind(row, f"{path}, line {number}", dict)
    found = FreshSet(head["seed"], rows)
    if found.hash != head["hash"]:
        raise ValueError(f"{path}: its rules do not match its hash {head['hash']}")
    return found


def make_set(path: Path, seed: int, many: int, processes: int, show: Show) -> FreshSet:
    """Draw until so many rule sets are fit, after those that the file already holds."""
    check_least("count", many, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    made = read_set(path) if path.exists() else FreshSet(seed)
    if made.seed != seed:
        raise ValueError(f"{path} was drawn from seed {made.seed}, not {seed}")
    for drawn in _examined(seed, len(made.rows), processes) if len(made.rules()) < many else ():
        made.rows.append(drawn.row())
        write_file(path, made.encoded())
        show(len(made.rules()), drawn.unfit)
        if len(made.rules()) == many:
            break
    return made


def _examined(seed: int, begin: int, processes: int) -> Iterator[Drawn]:
    """Yield tested rule sets in the order of their numbers, with several processes at once."""
    if processes == 1:
        yield from (examined(seed, number) for number in count(begin))
    with get_context("spawn").Pool(processes, _prepare) as pool:
        ahead = [pool.apply_async(examined, (seed, begin + number)) for number in range(2 * processes)]
        for number in count(begin + len(ahead)):
            yield ahead.pop(0).get()
            ahead.append(pool.apply_async(examined, (seed, number)))


def _prepare() -> None:
    """Prepare a worker process: leave Ctrl-C to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
