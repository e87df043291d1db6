"""The SQLite file that keeps a match or a tournament: its pairings with their settings, and a row for each deal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.agents.files import DamagedFileError, ordinary
from casino_env.evaluate.matches.deals import LUCK, NUMBERS, PlayedDeals

Pair = tuple[str, str]
Settings = dict[str, Any]  # everything that the deals of two agents depend on

_OURS = 0x43415301  # SQLite's application_id: this program, and this version of the tables
_TABLES = (
    "CREATE TABLE pairings (id INTEGER PRIMARY KEY, a TEXT, b TEXT, settings TEXT, UNIQUE (a, b))",
    """CREATE TABLE deals (pairing INTEGER, number INTEGER, seed INTEGER, diff REAL, win REAL, draw REAL, luck REAL,
                           PRIMARY KEY (pairing, number)) WITHOUT ROWID""",
    "CREATE TABLE tournament (settings TEXT)",
    "CREATE TABLE failures (agent TEXT, problem TEXT, a TEXT, b TEXT, deals INTEGER)",
    f"PRAGMA application_id = {_OURS}",
)
_PATIENCE = 60  # seconds that a reader and the writer wait for each other


class DealsFile:
    """An open file. write: hold the write lock until it is closed; others may still read it.

    When a method that writes returns, its data survives a kill, a power cut and a full disk.
    """

    def __init__(self, path: str | Path, *, write: bool = False) -> None:
        self.path = Path(path)
        if write:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() or not write:
            ordinary(self.path)
        with self._named():
            self._db = sqlite3.connect(self.path, timeout=0 if write else _PATIENCE, isolation_level=None)
        try:
            with self._named():
                self._begin(write)
        except BaseException:
            self.close()
            raise

    def _begin(self, write: bool) -> None:
        if write:
            self._db.execute("BEGIN IMMEDIATE")  # the write lock, which a commit releases only for a moment
        (ours,) = self._db.execute("PRAGMA application_id").fetchone()
        empty = not self._db.execute("SELECT * FROM sqlite_master").fetchone()
        if ours != _OURS and not (empty and ours == 0):
            raise ValueError(f"{self.path}: not written by this program, or by another version of it")
        if write:
            for line in _TABLES if empty else ():
                self._db.execute(line)
            self._db.execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE}")
            self._commit()
        self.empty = empty and not write  # the writer was killed before it made the tables

    def _commit(self) -> None:
        self._db.execute("COMMIT")
        self._db.execute("BEGIN IMMEDIATE")

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Turn errors of SQLite into one-line errors with the name of the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise ValueError(f"{self.path}: is being written by another process") from None
            raise OSError(f"{self.path}: {error}") from None
        except sqlite3.DatabaseError as error:
            raise DamagedFileError(f"{self.path}: {error}; delete it, and its deals are played again") from None

    def _read(self, words: str, *given: Any) -> list[tuple[Any, ...]]:
        with self._named():
            return [] if self.empty else self._db.execute(words, given).fetchall()

    def _write(self, *changes: tuple[str, list[tuple[Any, ...]]]) -> None:
        """Execute all statements, each with its rows, in one transaction."""
        with self._named():
            for words, rows in changes:
                self._db.executemany(words, rows)
            self._commit()

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> DealsFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- pairings ---

    def pairings(self) -> dict[Pair, tuple[int, Settings]]:
        """Return the number and the settings of each pair of agents."""
        rows = self._read("SELECT a, b, id, settings FROM pairings ORDER BY id")
        return {(a, b): (number, json.loads(settings)) for a, b, number, settings in rows}

    def take_up(self, pair: Pair, settings: Settings) -> int:
        """Return the number of a pairing; add it if it is new. Raises ValueError if it has other settings."""
        # In an ASCII locale, other letters of an argument are surrogate escapes, which SQLite cannot store.
        a, b = (name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for name in pair)
        pair = a, b
        known = self.pairings()
        if pair not in known and known and self.tournament() is None:
            raise ValueError(f"{self.path}: holds {' - '.join(next(iter(known)))}, not {' - '.join(pair)}")
        if pair not in known:
            row = (*pair, json.dumps(settings))
            self._write(("INSERT INTO pairings (a, b, settings) VALUES (?, ?, ?)", [row]))
            known = self.pairings()
        number, found = known[pair]
        self.refuse_others(found, settings)
        return number

    def refuse_others(self, found: Settings, wanted: Settings) -> None:
        """Raise ValueError if the settings in the file differ from the wanted ones."""
        for key, value in json.loads(json.dumps(wanted)).items():
            if found.get(key) != value:
                was, now = json.dumps(found.get(key)), json.dumps(value)
                raise ValueError(f"{self.path}: was played with {key} = {was}, not {now}")

    # --- deals ---

    def deals(self, number: int, settings: Settings) -> PlayedDeals:
        """Return the deals of a pairing, in order."""
        names = [*NUMBERS, *[LUCK] * bool(settings["judge"])]
        rows = self._read(f"SELECT number, {', '.join(names)} FROM deals WHERE pairing = ? ORDER BY number", number)
        if [row[0] for row in rows] != [*range(len(rows))]:
            raise DamagedFileError(f"{self.path}: deals are missing; delete it, and they are played again")
        return PlayedDeals(*np.array([row[1:] for row in rows], float).reshape(-1, len(names)).T.copy())

    def add(self, number: int, begin: int, seeds: tuple[int, ...], deals: PlayedDeals) -> None:
        """Append deals to a pairing. begin: number of the first one; seeds: their seeds."""
        columns = [column.tolist() for column in deals.columns.values()]
        rows = zip([number] * len(deals), range(begin, begin + len(deals)), seeds, *columns, strict=True)
        words = f"INSERT INTO deals (pairing, number, seed, {', '.join(deals.columns)}) VALUES (?, ?, ?"
        self._write((f"{words}{', ?' * len(columns)})", [*rows]))

    # --- tournaments ---

    def tournament(self) -> Settings | None:
        """Return the settings of the tournament in this file, if it holds one."""
        rows = self._read("SELECT settings FROM tournament")
        return json.loads(rows[0][0]) if rows else None

    def begin_tournament(self, settings: Settings) -> None:
        """Store the settings of a new or extended tournament; forget earlier failures."""
        self._write(
            ("DELETE FROM tournament", [()]),
            ("INSERT INTO tournament (settings) VALUES (?)", [(json.dumps(settings),)]),
            ("DELETE FROM failures", [()]),
        )

    def failures(self) -> list[tuple[str, str, str | None, str | None, int]]:
        """Return the failures: agent, problem, the pair in which it happened, deals that the pair had played."""
        return self._read("SELECT agent, problem, a, b, deals FROM failures ORDER BY rowid")

    def fail(self, *row: Any) -> None:
        self._write(("INSERT INTO failures VALUES (?, ?, ?, ?, ?)", [row]))
