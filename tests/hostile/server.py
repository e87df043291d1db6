"""The web server without its processes: jobs run here, so that what they do wrong is seen. One a process."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from casino_env.play.players import Players
from casino_env.play.store import Store
from casino_env.play.web.app import make_app
from casino_env.play.web.crew import Answer, answered
from casino_env.play.web.desk import Desk
from casino_env.play.web.refusals import RefusedError as Refusal
from tests.hostile.kind import RefusedError

HOST = "127.0.0.1:8000"
AGENTS = ("random", "greedy", "counter", "search:sims=8")
Reply = tuple[int, bytes]
_GAMES = 1000  # before the server begins afresh


class _Here(Desk):
    """Does the jobs itself."""

    def __init__(self) -> None:
        super().__init__()
        self._players = Players()

    async def ask(self, job: str, *arguments: Any, slow: bool = False) -> Answer:
        answer = Answer.unpacked(answered(job, (self._players, *arguments)).packed())
        if answer.status != 200:
            raise Refusal(answer.status, answer.facts["code"], answer.facts["message"])
        return answer


class Server:
    """An app with some games, asked without a network."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        folder = Path(tempfile.mkdtemp(prefix="hostile-"))
        Finalize(self, shutil.rmtree, (folder, True), exitpriority=1)
        desk = _Here()
        self._app = make_app(Store(folder), desk, agents=AGENTS)
        self._loop.run_until_complete(self._attend(desk))
        self.begun = 0

    async def _attend(self, desk: Desk) -> None:
        desk.attend()

    def ask(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        path, _, query = path.partition("?")
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": path, "root_path": "", "scheme": "http",
            "raw_path": path.encode("utf-8", "replace"), "query_string": query.encode("utf-8", "replace"),
            "headers": [(key.encode("latin-1"), text.encode("latin-1", "replace")) for key, text in headers.items()],
            "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 9),
        }  # fmt: skip
        return self._loop.run_until_complete(self._ask(scope, body))

    async def _ask(self, scope: dict[str, Any], body: bytes) -> Reply:
        status, parts = 0, []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if not waiting:
                await asyncio.Event().wait()  # whoever asked stays on the line
            return waiting.pop()

        async def send(message: dict[str, Any]) -> None:
            nonlocal status
            status = message.get("status", status)
            parts.append(message.get("body", b""))

        await self._app(scope, receive, send)
        return status, b"".join(parts)

    def begin(self, setup: dict[str, Any]) -> dict[str, Any]:
        self.begun += 1
        headers = {"host": HOST, "content-type": "application/json"}
        return json.loads(self.ask("POST", "/api/games", headers, json.dumps(setup).encode())[1])  # type: ignore[no-any-return]


_servers: dict[int, Server] = {}


def the_server() -> Server:
    """Of this process; another after some games, so that none has thousands."""
    server = _servers.get(os.getpid())
    if server is None or server.begun >= _GAMES:
        server = _servers[os.getpid()] = Server()
    return server


def checked(reply: Reply) -> None:
    """A refusal is one line of JSON with a status of the 400s, or 503."""
    status, body = reply
    if status < 400:
        return
    said = json.loads(body)
    if status >= 500 and status != 503:
        raise AssertionError(f"{status}: {said}")
    if set(said) != {"error", "message"} or "\n" in said["message"] or not said["message"]:
        raise AssertionError(f"{status}: {said}")
    raise RefusedError(said["message"])
