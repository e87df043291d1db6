"""The games of a server: the latest used ones in memory as bytes that only workers open, all of them on disk."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from casino_env.agents.files import Journal
from casino_env.play.store import Store
from casino_env.play.web.crew import Answer
from casino_env.play.web.desk import Desk
from casino_env.play.web.refusals import RefusedError

_IN_MEMORY = 256
_IDLE_SECONDS = 600.0  # after which a game leaves memory


@dataclass
class _Open:
    """A game in memory."""

    kept: bytes
    version: int
    slow: bool  # the agent that decides takes its time
    journal: Journal
    used: float  # by time.monotonic()


class Games:
    """Games by name: looked at by many at a time, changed by one."""

    def __init__(self, store: Store, desk: Desk) -> None:
        self._store, self._desk = store, desk
        self._open: OrderedDict[str, _Open] = OrderedDict()
        # Of the games that somebody is changing or opening just now; gone with the last of them.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def begin(self, setup: dict[str, Any]) -> Answer:
        name = self._store.new_name()
        answer = await self._desk.ask("begin", name, setup)
        async with self._lock(name):
            journal = await asyncio.to_thread(self._store.begin, name, answer.facts["rows"][0])
            await self._remember(name, answer, journal)
        return answer

    async def look(self, name: str, job: str, *arguments: Any, slow: bool = False) -> Answer:
        game = self._used(name)
        if game is None:
            async with self._lock(name):
                game = await self._reopened(name)
        return await self._desk.ask(job, game.kept, *arguments, slow=slow)

    async def change(self, name: str, version: Any, what: str, actions: list[str], since: int) -> Answer:
        """By a page that is up to date. It is on the disk before anybody hears of it, or has not happened."""
        async with self._lock(name):
            game = await self._reopened(name)
            if version != game.version:
                raise RefusedError(409, "stale", f"the table has changed: it is at version {game.version}")
            slow = game.slow and what == "advance"
            answer = await self._desk.ask("change", game.kept, name, what, actions, since, slow=slow)
            await asyncio.to_thread(game.journal.append, *answer.facts["rows"])
            await self._remember(name, answer, game.journal)
        return answer

    async def sweep(self) -> None:
        """Games that nobody uses leave memory, and after a longer time the folder."""
        limit = time.monotonic() - min(_IDLE_SECONDS, self._store.idle)
        await self._forget([name for name, game in self._open.items() if game.used <= limit])
        await asyncio.to_thread(self._store.drop_idle, frozenset(self._open))

    def close(self) -> None:
        for game in self._open.values():
            game.journal.close()
        self._open.clear()

    # --- parts ---

    def _lock(self, name: str) -> asyncio.Lock:
        """To be held by a variable or a with: nothing else keeps it."""
        return self._locks.get(name) or self._locks.setdefault(name, asyncio.Lock())

    def _used(self, name: str) -> _Open | None:
        if name in self._open:
            self._open.move_to_end(name)
            self._open[name].used = time.monotonic()
        return self._open.get(name)

    async def _reopened(self, name: str) -> _Open:
        """The game, read if it is not in memory. To be called with its lock."""
        game = self._used(name)
        if game is None:
            head, rows = await asyncio.to_thread(self._store.read, name)
            answer = await self._desk.ask("reopen", head, rows)
            journal = await asyncio.to_thread(self._store.go_on, name)
            game = await self._remember(name, answer, journal)
        return game

    async def _remember(self, name: str, answer: Answer, journal: Journal) -> _Open:
        facts = answer.facts
        game = _Open(answer.kept, facts["version"], facts["slow"], journal, time.monotonic())
        self._open[name] = game
        self._open.move_to_end(name)
        if facts["record"] is not None:
            await self._keep_record(name, facts["record"])
        await self._forget(list(self._open)[: max(0, len(self._open) - _IN_MEMORY)])
        return game

    async def _keep_record(self, name: str, record: str) -> None:
        """A copy for other programs. The game is saved without it, and where it fails the next opening tries again."""
        with suppress(OSError):
            await asyncio.to_thread(self._store.finish, name, record)

    async def _forget(self, names: list[str]) -> None:
        for name in names:
            if name in self._open and name not in self._locks:  # else somebody is changing it
                self._open.pop(name).journal.close()
                with suppress(OSError):
                    await asyncio.to_thread(self._store.touch, name)
