"""Read and change files of deals with SQLite alone, without the project's code."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

Rows = list[tuple[Any, ...]]


def rows_of(path: Path) -> tuple[Rows, Rows]:
    """Return pairings (a, b, settings) and deals (a, b, number, seed, diff, win, draw, luck)."""
    deals = "SELECT a, b, number, seed, diff, win, draw, luck FROM pairings JOIN deals ON pairing = id ORDER BY 1, 2, 3"
    with closing(sqlite3.connect(path, timeout=60)) as database:
        pairings = database.execute("SELECT a, b, settings FROM pairings ORDER BY 1, 2").fetchall()
        return pairings, database.execute(deals).fetchall()


def count_of(path: Path) -> int:
    """Return how many deals the file holds; 0 if it does not exist or has no tables yet."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path, timeout=60)) as database:
        if not database.execute("SELECT * FROM sqlite_master").fetchone():
            return 0
        return int(database.execute("SELECT count(*) FROM deals").fetchone()[0])


def changed(path: Path, statement: str, *given: Any) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(statement, given)
        database.commit()
