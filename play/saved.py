"""A table that is saved after every change: for the terminal, where one person plays in the same process."""

from __future__ import annotations

import threading
from collections.abc import Callable

from casino_env.play.players import Players
from casino_env.play.store import Store
from casino_env.play.table import Setup, Table


class SavedTable:
    """Begins a game and keeps it in a store."""

    def __init__(self, store: Store, setup: Setup, players: Players) -> None:
        self.table = Table(setup)
        players.check(self.table.opponents, self.table.rules)
        self._store, self._lock, self._written = store, threading.Lock(), 0
        self.name = store.new_name()
        self._journal = store.begin(self.name, self.table.head())

    def change(self, do: Callable[[Table], None]) -> None:
        """One change at a time. Raises OSError where it is done but cannot be saved; the next one saves it as well."""
        with self._lock:
            do(self.table)
            self._journal.append(*self.table.rows(self._written))
            self._written = self.table.version
            if self.table.game.over:
                self._store.finish(self.name, self.table.record())

    def close(self) -> None:
        self._journal.close()
