"""Saved games of the page: journals with flipped bits, and others whose checksums fit but whose content is spoilt."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from casino_env.agents.files import seal, unseal
from casino_env.play.players import Players
from casino_env.play.seen import seen
from casino_env.play.store import Store, UnknownGameError
from casino_env.play.table import Setup, Table
from casino_env.play.web.jobs import reopen
from tests.hostile.kind import RUNS_IT, Kind, RefusedError
from tests.hostile.spoiling import spoil_bytes, spoil_json
from tests.tables import play_on

Row = dict[str, Any]

_NAME = "a" * 16
_PLAYERS = Players()
_stores: dict[int, Store] = {}


def seeds(rng: Random) -> list[bytes]:
    found = []
    for number in range(60):
        variant = rng.choice(("swazi", "mini", "cassino", "khasino", "african"))
        agent = rng.choice(("random", "greedy", "counter"))
        table = Table(Setup(variant, 2, ("you", agent), seed=number, match=rng.random() < 0.2))
        play_on(table, np.random.default_rng(number), rng.randint(0, 40))
        if table.can_undo and rng.random() < 0.5:
            table.undo()
        found.append("".join(seal(row) + "\n" for row in (table.head(), *table.rows())).encode())
    return found


def spoil(data: bytes, rng: Random) -> bytes:
    how = rng.random()
    if how < 0.2:
        return spoil_bytes(data, rng)
    rows = [unseal(line, "") for line in data.decode().splitlines()]
    if how < 0.5:
        rows = _other_order(rows, rng)
    else:
        number = 0 if rng.random() < 0.5 else rng.randrange(len(rows))
        row = spoil_json(rows[number], rng)
        rows[number] = row if isinstance(row, dict) else {"row": row}
    setup = rows[0].get("setup")
    if rng.random() < 0.1 and isinstance(setup, dict):
        setup["seats"] = ["you", RUNS_IT]
    return "".join(_sealed(row) + "\n" for row in rows).encode("utf-8", "surrogatepass")


def _other_order(rows: list[Row], rng: Random) -> list[Row]:
    """Changes that are right each by itself, but not where they stand."""
    head, *changes = rows
    if not changes:
        return rows
    at, other = rng.randrange(len(changes)), rng.randrange(len(changes))
    ways: tuple[list[Row], ...] = (
        changes[:at],
        [*changes[:at], {"actions": None}, *changes[at:]],
        [*changes[:at], changes[other], *changes[at + 1 :]],
        [*changes[:at], *changes[at + 1 :]],
        [*changes[:at], *_joined(changes[at : at + 2]), *changes[at + 2 :]],
    )
    return [head, *rng.choice(ways)]


def _joined(changes: list[Row]) -> list[Row]:
    """Two as one."""
    return [{"actions": [action for row in changes for action in row["actions"] or []]}]


def _sealed(row: dict[str, object]) -> str:
    try:
        return seal(row)
    except ValueError:  # what JSON cannot hold
        return "{}"


def use(data: bytes, rng: Random) -> None:
    store = _stores.setdefault(os.getpid(), Store(Path(tempfile.mkdtemp(prefix="hostile-"))))
    (store.folder / f"{_NAME}.jsonl").write_bytes(data)
    try:
        table = reopen(_PLAYERS, *store.read(_NAME)).table
    except UnknownGameError as error:  # cut off within its first line
        raise RefusedError(str(error)) from None
    assert table is not None
    seen(table)
    play_on(table, np.random.default_rng(rng.randrange(1000)), 6)


KINDS = (Kind("saved games", 10_000, seeds, spoil, use),)
