"""The web server under kill -9 and full disks, with people at it: what it has answered is there, and as it has to be.

Each person knows what must come next: a table of the same seed in this process, which nobody kills, goes one step
further with each answer, and what the server says of its own table is compared with it, all of it.
"""

from __future__ import annotations

import http.client
import json
import random
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from casino_env.play.players import Players
from casino_env.play.seen import seen
from casino_env.play.table import Setup, Table

_GAMES = ("mini", "swazi", "african", "south-african", "cassino")
_AWAY = (OSError, http.client.HTTPException)  # nobody at the other end, or no longer
_NO_LIMIT = resource.RLIM_INFINITY
_PEOPLE = 3
_PATIENCE = 60.0  # seconds for a server to come up, or for somebody to get an answer


class LostError(AssertionError):
    """Something that was acknowledged is gone, or the game went on to something else."""


class Server:
    """One that is killed and started again, with the same port and the same folder."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = int(found.getsockname()[1])
        self._folder, self.ending = folder, False
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        words = [
            "-m",
            "casino_env.play.web",
            "--port",
            str(self.port),
            "--games",
            str(self._folder),
            "--hints",
            "greedy",
        ]
        self._process = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise LostError(f"the server did not come up again: {self._process.wait()}")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def narrow(self, room: int) -> None:
        """No file may become longer than this, in the process that writes them."""
        assert self._process is not None
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (room, _NO_LIMIT))

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        try:
            link.request(method, path, json.dumps(body).encode(), {"content-type": "application/json"})
            reply = link.getresponse()
            return reply.status, json.loads(reply.read())
        finally:
            link.close()


class Person(threading.Thread):
    """Plays game after game. `answers`: what has been acknowledged; `full`: what was refused for want of room."""

    def __init__(self, server: Server, number: int) -> None:
        super().__init__(daemon=True)
        self._server, self._draw, self._players = server, random.Random(number), Players()
        self.answers, self.full, self.games, self.wrong = 0, 0, 0, ""

    def run(self) -> None:
        try:
            while not self._server.ending:
                self._play()
        except LostError as error:
            self.wrong = str(error)

    def _play(self) -> None:
        draw = self._draw
        setup = {"variant": draw.choice(_GAMES), "seats": ["you", "greedy"], "seed": draw.randrange(10**9)}
        mine = Table(Setup.from_json(setup))
        state = self._begin(setup)
        while state is not None:
            self._same(mine, state)
            if mine.game.over:
                self.games += 1
                return
            state = self._go_on(mine, state["id"])

    def _begin(self, setup: dict[str, Any]) -> Any:
        """A game of which nobody was told may be there or not; whoever asked begins another."""
        while not self._server.ending:
            status, reply = self._try("POST", "/api/games", setup)
            if status == 201:
                return reply
        return None

    def _go_on(self, mine: Table, name: str) -> Any:
        """One change. Where no answer comes it has happened or not, and the server knows which."""
        what, actions = self._choice(mine)
        body = {"version": mine.version} | ({"actions": actions} if what == "move" else {})
        status, reply = self._try("POST", f"/api/games/{name}/{what}", body)
        if status == 0:
            status, reply = self._look(name)
        if status == 0:
            return None  # the end of it all
        if status == 503:
            self.full += 1
            status, reply = self._look(name)
            if reply.get("version") != mine.version:
                raise LostError(f"{name}: refused at version {mine.version}, and yet: {reply}")
        if reply.get("version") != mine.version:
            self._step(mine, what, actions)
        return reply

    def _choice(self, mine: Table) -> tuple[str, list[str]]:
        if not mine.mine:
            return "advance", []
        if mine.can_undo and self._draw.random() < 0.2:
            return "undo", []
        return "move", list(self._draw.choice(mine.moves()).actions)

    def _step(self, mine: Table, what: str, actions: list[str]) -> None:
        if what == "move":
            mine.play(actions)
        elif what == "undo":
            mine.undo()
        else:
            mine.advance(self._players)

    def _same(self, mine: Table, state: dict[str, Any]) -> None:
        expected = json.loads(json.dumps({"id": state.get("id")} | seen(mine)))
        if state != expected:
            raise LostError(f"version {mine.version} was acknowledged; the server says {state}")
        self.answers += 1

    def _look(self, name: str) -> tuple[int, Any]:
        """The game as it is, as soon as the server is there again."""
        while not self._server.ending:
            status, reply = self._try("GET", f"/api/games/{name}")
            if status == 200:
                return status, reply
            if status:
                raise LostError(f"{name}: {status} {reply}")
            time.sleep(0.02)
        return 0, {}

    def _try(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """0 if no answer came."""
        try:
            status, reply = self._server.ask(method, path, body)
        except _AWAY:
            time.sleep(0.02)
            return 0, {}
        except ValueError as error:
            raise LostError(f"{path}: half an answer: {error}") from None
        if status not in (200, 201, 503):
            raise LostError(f"{path}: {status} {reply}")
        return status, reply


# --- cuts ------------------------------------------------------------------------------------------------------------


class Hall:
    """A server with people at it."""

    def __init__(self, folder: Path, draw: random.Random) -> None:
        self._folder, self._draw = folder, draw
        self._server = Server(folder)
        self.people = [Person(self._server, draw.randrange(10**9)) for _ in range(_PEOPLE)]

    def __enter__(self) -> Hall:
        self._server.start()
        for person in self.people:
            person.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.ending = True
        self._server.kill()
        for person in self.people:
            person.join(_PATIENCE)

    def kill(self) -> None:
        """While they play, some time after something more was acknowledged."""
        self.wait_for("answers")
        time.sleep(self._draw.random() * 0.5)
        self._server.kill()
        self._server.start()

    def fill(self) -> None:
        """Until somebody was refused; then there is room again, at once or for the next server."""
        longest = max((path.stat().st_size for path in self._folder.glob("*.jsonl")), default=0)
        self._server.narrow(self._draw.randrange(200, longest + 300))
        self.wait_for("full")
        if self._draw.random() < 0.5:
            self._server.kill()
            self._server.start()
        else:
            self._server.narrow(_NO_LIMIT)
        self.wait_for("answers")

    def wait_for(self, what: str) -> None:
        before, until = self._sum(what), time.monotonic() + _PATIENCE
        while self._sum(what) == before:
            self.check()
            if time.monotonic() > until:
                raise LostError(f"nothing more was answered ({what}: {before}) in {_PATIENCE:g} seconds")
            time.sleep(0.01)

    def check(self) -> None:
        for person in self.people:
            if person.wrong:
                raise LostError(person.wrong)

    def _sum(self, what: str) -> int:
        return sum(getattr(person, what) for person in self.people)

    @property
    def games(self) -> int:
        return self._sum("games")


def cut_off_server(cut: str, times: int, draw: random.Random) -> int:
    """How many games went on to their ends at a server that was cut off so often."""
    with tempfile.TemporaryDirectory() as folder, Hall(Path(folder), draw) as hall:
        for _ in range(times):
            if cut == "kill -9":
                hall.kill()
            else:
                hall.fill()
            hall.check()
        hall.wait_for("games")
        return hall.games
