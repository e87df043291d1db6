"""The deals of a match: a list of seeds made from one seed, and their results for the two agents; and the SQLite file
that keeps a match, a tournament or a score in fresh games: its pairings with their settings, and a row per deal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.agents.files import DamagedFileError, ordinary
from casino_env.arrays import Array
from casino_env.evaluate.matches.intervals import controlled
from casino_env.evaluate.matches.pairing import A, B
from casino_env.rules import Rules
from casino_env.validate import int_in

NUMBERS, LUCK = ("diff", "win", "draw"), "luck"
MOST_DEALS = 10_000_000
_STREAM = 0x0B00  # separates this random stream from others of the same seed
_JSON_BITS = 53  # integers that every JSON reader keeps exactly


@dataclass(frozen=True)
class Book:
    """Deals as seeds: every program with the same rules deals the same cards from them."""

    rules: Rules
    seed: int
    seeds: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.seeds)


def make_book(rules: Rules, deals: int, seed: int = 0) -> Book:
    """Return the first deals of a seed; a longer book of the same seed begins with the same deals."""
    deals, seed = int_in(deals, "deals", 1, MOST_DEALS), int_in(seed, "seed", 0, 2**64 - 1)
    numbers = np.random.PCG64([_STREAM, seed]).random_raw(deals) >> np.uint64(64 - _JSON_BITS)
    return Book(rules, seed, tuple(numbers.tolist()))


@dataclass(frozen=True)
class PlayedDeals:
    """The results of each deal for agent a, as means over its games."""

    diff: Array  # points of a less points of b (means over their seats)
    win: Array  # share of the games won, a draw counting half
    draw: Array  # share of the games drawn
    luck: Array | None = None  # part of diff that is luck, in points (luck.py); None: not judged

    def __len__(self) -> int:
        return len(self.diff)

    @property
    def columns(self) -> dict[str, Array]:
        known = {name: getattr(self, name) for name in NUMBERS}
        return known if self.luck is None else known | {LUCK: self.luck}

    @property
    def fair(self) -> Array:
        """diff less the luck, if that was judged."""
        return self.diff if self.luck is None else controlled(self.diff, self.luck)

    @classmethod
    def none(cls, *, judged: bool = False) -> PlayedDeals:
        return cls(*np.zeros((len(NUMBERS) + judged, 0)))

    def first(self, count: int) -> PlayedDeals:
        return PlayedDeals(*(column[:count] for column in self.columns.values()))

    def and_then(self, more: PlayedDeals) -> PlayedDeals:
        pairs = zip(self.columns.values(), more.columns.values(), strict=True)
        return PlayedDeals(*(np.concatenate(pair) for pair in pairs))


def summed_up(results: Array, seatings: Array) -> PlayedDeals:
    """Return the results of each deal from those of its games (play_duplicate). Where the rules break ties, a seat that
    is level at the top may have won."""
    games, players = seatings.shape
    points, winner, luck = np.split(results, [players, players + 1], axis=2)
    winner = winner[..., 0].astype(np.int64)
    seats = (seatings[0] == A).sum() * (seatings[0] == B).sum()  # the same product in every row
    is_a = np.broadcast_to(seatings == A, points.shape)
    best_a = np.where(is_a, points, -(1 << 30)).max(axis=2)
    best_b = np.where(is_a, -(1 << 30), points).max(axis=2)
    level = best_a == best_b
    of_a = np.take_along_axis(seatings == A, np.maximum(winner, 0).T, axis=1).T
    won = ((best_a > best_b) | (level & (winner >= 0) & of_a)).sum(axis=1)
    drawn = (level & (winner < 0)).sum(axis=1)
    diff = _weighted(points, seatings).sum(axis=1) / (seats * games)
    lucky = _weighted(luck, seatings).sum(axis=1) / (seats * games) if luck.size else None
    return PlayedDeals(diff, (won + drawn / 2) / games, drawn / games, lucky)


def _weighted(points: Array, seatings: Array) -> Array:
    """Return, by deal and game, mean points of a's seats less mean points of b's, times both numbers of seats: as these
    are integers, sums are exact."""
    is_a = (seatings == A)[None]
    of_a, of_b = (seatings == A).sum(axis=1), (seatings == B).sum(axis=1)
    return np.asarray((points * is_a).sum(axis=2) * of_b - (points * ~is_a).sum(axis=2) * of_a)


# --- the file --------------------------------------------------------------------------------------------------------

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
_FRESH = """CREATE TABLE IF NOT EXISTS fresh (pairing INTEGER, number INTEGER, row TEXT,
                                           PRIMARY KEY (pairing, number)) WITHOUT ROWID"""
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
            raise ValueError(f"{self.path}: written by another program, or by another version of this one")
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
                raise ValueError(f"{self.path}: another process is writing it") from None
            raise OSError(f"{self.path}: {error}") from None
        except sqlite3.DatabaseError as error:
            raise DamagedFileError(f"{self.path}: {error}; delete it to play its deals again") from None

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
        names = [*NUMBERS, *[LUCK] * bool(settings.get("judge"))]
        rows = self._read(f"SELECT number, {', '.join(names)} FROM deals WHERE pairing = ? ORDER BY number", number)
        if [row[0] for row in rows] != [*range(len(rows))]:
            raise DamagedFileError(f"{self.path}: deals are missing; delete it to play them again")
        return PlayedDeals(*np.array([row[1:] for row in rows], float).reshape(-1, len(names)).T.copy())

    def add(self, number: int, begin: int, seeds: tuple[int, ...], deals: PlayedDeals) -> None:
        """Append deals to a pairing. begin: number of the first one; seeds: their seeds."""
        columns = [column.tolist() for column in deals.columns.values()]
        rows = zip([number] * len(deals), range(begin, begin + len(deals)), seeds, *columns, strict=True)
        words = f"INSERT INTO deals (pairing, number, seed, {', '.join(deals.columns)}) VALUES (?, ?, ?"
        self._write((f"{words}{', ?' * len(columns)})", [*rows]))

    # --- deals of fresh games ---

    def fresh_deals(self, pairing: int) -> list[dict[str, Any]]:
        self._write((_FRESH, [()]))
        rows = self._read("SELECT row FROM fresh WHERE pairing = ? ORDER BY number", pairing)
        return [json.loads(row) for (row,) in rows]

    def add_fresh(self, pairing: int, number: int, row: dict[str, Any]) -> None:
        self._write(("INSERT INTO fresh VALUES (?, ?, ?)", [(pairing, number, json.dumps(row))]))

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
