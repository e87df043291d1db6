"""Games on disk: a journal each, a line longer after every change, and the record of those that are over."""

from __future__ import annotations

import os
import re
import secrets
import time
from pathlib import Path
from typing import Any

from casino_env.agents.files import DamagedFileError, Journal, read_journal, write_file

Row = dict[str, Any]

FOLDER = Path("runs/play")
DROPPED = "dropped"  # the folder in which games lie that nobody has touched for long
_NAME = re.compile(r"[A-Za-z0-9_-]{16}")


class UnknownGameError(KeyError):
    """Never begun here, or dropped."""

    def __str__(self) -> str:
        return "there is no such game: it was never begun here, or has been dropped"


class FullError(RuntimeError):
    """As many games as the store is for."""


class Store:
    """Files by the names of games. idle: seconds after which a game that nobody touches is dropped. most: games."""

    def __init__(self, folder: Path = FOLDER, idle: float = 7 * 86400, most: int = 10_000) -> None:
        self.folder, self.idle, self._most = folder, idle, most
        folder.mkdir(parents=True, exist_ok=True)
        self._count = sum(1 for _ in folder.glob("*.jsonl"))
        self._began = time.time(), time.monotonic()

    def new_name(self) -> str:
        if self._count >= self._most:
            raise FullError(f"there are {self._count} games already; finish or drop some first")
        return secrets.token_urlsafe(12)

    def begin(self, name: str, head: Row) -> Journal:
        """A new file; none, and none counted, if the disk is full."""
        path = self._path(name)
        try:
            journal = Journal(path, head)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        self._count += 1
        return journal

    def read(self, name: str) -> tuple[Row, list[Row]]:
        """The head and the rows of a game; raises UnknownGameError, DamagedFileError."""
        path = self._path(name)
        if not path.exists():
            raise UnknownGameError(name)
        rows = _rows(path)
        if not rows:  # killed at its first line: nobody has been told of it
            raise UnknownGameError(name)
        return rows[0], rows[1:]

    def go_on(self, name: str) -> Journal:
        """To write the next rows of a game that has been read."""
        return Journal(self._path(name), {})

    def finish(self, name: str, record: str) -> None:
        """The record of a game that is over, unless it is there."""
        path = self.record_path(name)
        if not path.exists():
            write_file(path, record.encode())

    def record_path(self, name: str) -> Path:
        return self._path(name).with_suffix(".record")

    def touch(self, name: str) -> None:
        """Somebody has used the game."""
        os.utime(self._path(name), (self._now(), self._now()))

    def drop_idle(self, used: frozenset[str] = frozenset()) -> list[str]:
        """Put the games aside that nobody has touched for long, but none of those in use: nothing is deleted."""
        limit = self._now() - self.idle
        old = [path for path in self.folder.glob("*.jsonl") if _is_before(path, limit)]
        dropped = [path.stem for path in old if _NAME.fullmatch(path.stem) and path.stem not in used]
        if dropped:
            (self.folder / DROPPED).mkdir(exist_ok=True)
        for name in dropped:
            self._path(name).replace(self.folder / DROPPED / f"{name}.jsonl")
            self._count -= 1
        return dropped

    # --- parts ---

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise UnknownGameError(name)
        return self.folder / f"{name}.jsonl"

    def _now(self) -> float:
        """Seconds as the clock of the machine had them at the start, so that setting it makes no game old."""
        clock, ticks = self._began
        return clock + time.monotonic() - ticks


def _is_before(path: Path, limit: float) -> bool:
    try:
        return path.stat().st_mtime < limit
    except FileNotFoundError:
        return False


def _rows(path: Path) -> list[Row]:
    """Raises ValueError that names the file, but not where it lies: it is told to whoever asks for the game."""
    try:
        return read_journal(path)
    except ValueError as error:
        words = f"the saved game {str(error).replace(str(path), path.name)}"
        hint = "; without this line and those after it the game goes on" if isinstance(error, DamagedFileError) else ""
        raise DamagedFileError(words + hint) from None
