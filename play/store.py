"""Games on disk, one file each, a line longer after every action; the latest used ones in memory as well."""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agents.files import write_file
from play.table import Setup, Table, TableError

FOLDER = Path("runs/play")
_IN_MEMORY = 256
_ID = re.compile(r"[A-Za-z0-9_-]{16}")


class UnknownGameError(KeyError):
    """Never begun here, or dropped."""

    def __str__(self) -> str:
        return "there is no such game: it was never begun here, or has been dropped"


class FullError(RuntimeError):
    """As many games as the store is for."""


class Store:
    """Tables by id. idle: seconds after which a game that nobody touches is dropped. most: games at one time."""

    def __init__(self, folder: Path = FOLDER, idle: float = 7 * 86400, most: int = 10_000) -> None:
        self.folder, self._idle, self._most = folder, idle, most
        folder.mkdir(parents=True, exist_ok=True)
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._written: dict[str, int] = {}  # changes of a table in memory that are in its file
        self._locks: dict[str, threading.RLock] = {}  # of games; they stay, since somebody may be waiting for one
        self._guard = threading.Lock()  # of the two above
        self._count = sum(1 for _ in folder.glob("*.jsonl"))

    def begin(self, setup: Setup) -> tuple[str, Table]:
        if self._count >= self._most:
            raise FullError(f"there are {self._count} games already; finish or drop some first")
        table, name = Table(setup), secrets.token_urlsafe(12)
        self._count += 1
        write_file(self.folder / f"{name}.jsonl", _lines(table).encode())
        self._written[name] = 0
        self._remember(name, table)
        return name, table

    def get(self, name: str) -> Table:
        """The table of an id; raises UnknownGameError, or TableError where its file is of no use."""
        found = self._in_memory(name)
        if found is None:
            with self._lock(name):  # a file is read while nobody writes it
                found = self._in_memory(name) or self._remember(name, self._load(name))
        return found

    @contextmanager
    def change(self, name: str) -> Iterator[Table]:
        """The table to change, by one at a time; saved afterwards."""
        with self._lock(name):
            table = self.get(name)
            yield table
            self._save(name, table)

    def drop_idle(self) -> list[str]:
        """Drop games whose file is older than the time set; records of finished games stay."""
        limit = time.time() - self._idle
        dropped = []
        for path in self.folder.glob("*.jsonl"):
            if not _ID.fullmatch(path.stem):
                continue  # not ours
            with self._lock(path.stem):
                if path.exists() and path.stat().st_mtime < limit:
                    path.unlink()
                    dropped.append(path.stem)
        with self._guard:
            for name in dropped:
                self._forget(name)
            self._count -= len(dropped)
        return dropped

    # --- parts ---

    def _lock(self, name: str) -> threading.RLock:
        if not _ID.fullmatch(name):
            raise UnknownGameError(name)
        with self._guard:
            return self._locks.setdefault(name, threading.RLock())

    def _in_memory(self, name: str) -> Table | None:
        with self._guard:
            if name in self._tables:
                self._tables.move_to_end(name)
            return self._tables.get(name)

    def _save(self, name: str, table: Table) -> None:
        """What is new, at the end of the file."""
        new = table.changes[self._written[name] :]
        if not new:
            return
        with (self.folder / f"{name}.jsonl").open("a") as file:
            file.write("".join(json.dumps(change) + "\n" for change in new))
        self._written[name] = len(table.changes)
        if table.game.over:
            write_file(self.folder / f"{name}.record", table.record().encode())

    def _load(self, name: str) -> Table:
        path = self.folder / f"{name}.jsonl"
        if not path.exists():
            raise UnknownGameError(name)
        try:
            text = path.read_text()
            head, *changes = _whole_lines(text)
            table = Table.from_json(json.loads(head) | {"changes": [json.loads(line) for line in changes]})
        except (ValueError, TypeError, KeyError) as error:
            raise TableError(f"the saved game {path} cannot be read: {error}") from None
        if text != _lines(table):  # the machine stopped in the middle of a line
            write_file(path, _lines(table).encode())
        self._written[name] = len(table.changes)
        return table

    def _remember(self, name: str, table: Table) -> Table:
        """Keeps the table; the longest unused one leaves memory, unless somebody is changing it."""
        with self._guard:
            table = self._tables.setdefault(name, table)
            self._tables.move_to_end(name)
            for other in list(self._tables)[: max(0, len(self._tables) - _IN_MEMORY)]:
                lock = self._locks.setdefault(other, threading.RLock())
                if lock.acquire(blocking=False):
                    self._forget(other)
                    lock.release()
        return table

    def _forget(self, name: str) -> None:
        self._tables.pop(name, None)
        self._written.pop(name, None)


def _lines(table: Table) -> str:
    """How the game begins, then a line a change."""
    data = table.to_json()
    rows = [data, *data.pop("changes")]
    return "".join(json.dumps(row) + "\n" for row in rows)


def _whole_lines(text: str) -> list[str]:
    """Without a last line that lacks its end."""
    return text[: text.rfind("\n") + 1].splitlines() or [text]
