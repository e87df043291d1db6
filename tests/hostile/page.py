"""What the page's server is given: requests, records to replay, and saved games."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from multiprocessing.util import Finalize
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from casino_env.agents.files import seal, unseal
from casino_env.game import Game
from casino_env.play.players import Players
from casino_env.play.seen import seen
from casino_env.play.store import Store, UnknownGameError
from casino_env.play.table import Setup, Table
from casino_env.play.web.app import make_app
from casino_env.play.web.crew import Answer, answered
from casino_env.play.web.desk import Desk
from casino_env.play.web.jobs import reopen
from casino_env.play.web.refusals import RefusedError as Refusal
from tests.hostile.engine import seeds_record as records
from tests.hostile.engine import spoil_position, spoil_record
from tests.hostile.games import moments
from tests.hostile.kind import RUNS_IT, Kind, RefusedError
from tests.hostile.spoiling import ODD, spoil_bytes, spoil_json, spoil_json_text, spoil_text
from tests.tables import play_on

# --- the server without its processes: jobs run here, so that what they do wrong is seen; one a process --------------

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


# --- requests to the web server: every route, with spoilt bodies, addresses and headers ------------------------------


GAME = "GAME"  # stands for the name of a game of the server
_SETUP = {"variant": "swazi", "players": 2, "seats": ["you", "greedy"], "rules": {"insist_capture": "ask"}, "seed": 3}
_RECORD = "casino-record 1\nvariant: mini\nplayers: 2\nrules: {}\nrules_version: 1\nmatch: false\nseed: 7\n\n"

Request = dict[str, Any]


def seeds_request(rng: Random) -> list[Request]:
    found = [_request("GET", path) for path in _GETS]
    found += [_request("POST", path, body) for path, body in _POSTS for _ in range(4)]
    for game in rng.sample(moments(rng, 1), 40):
        found += _about(game)
    return found


_GETS = (
    "/", "/api/menu", "/api/rules?variant=swazi&players=3", f"/api/games/{GAME}?since=2", f"/api/games/{GAME}/rules",
    f"/api/games/{GAME}/hints?agent=counter", f"/api/games/{GAME}/position", f"/api/games/{GAME}/record",
    "/static/main.js",
)  # fmt: skip
_POSTS: tuple[tuple[str, Any], ...] = (
    ("/api/games", _SETUP),
    (f"/api/games/{GAME}/move", {"version": 0, "actions": ["end"], "since": 0}),
    (f"/api/games/{GAME}/advance", {"version": 0, "since": 0}),
    (f"/api/games/{GAME}/undo", {"version": 0, "since": 0}),
    ("/api/replay", {"record": _RECORD, "step": 3, "seat": 1, "agent": "greedy"}),
    ("/api/engine", {"id": 1, "do": "hello"}),
)


def _about(game: Game) -> list[Request]:
    """With a position in it."""
    position = game.to_json()
    seats = ["you", *["greedy"] * (game.rules.players - 1)]
    setup = {"variant": game.rules.name, "players": game.rules.players, "seats": seats, "position": position}
    move = {"do": "move", "position": position, "agent": "search:sims=8", "simulations": 8, "seed": 1}
    return [_request("POST", "/api/games", setup), _request("POST", "/api/engine", move)]


def _request(method: str, path: str, body: Any = None) -> Request:
    headers = {"host": HOST, "origin": f"http://{HOST}", "content-type": "application/json"}
    return {"method": method, "path": path, "headers": headers, "body": body, "data": json.dumps(body).encode()}


def spoil_request(request: Request, rng: Random) -> Request:
    request, what = dict(request), rng.random()
    if what < 0.1:
        request["path"] = spoil_text(request["path"], rng)
    elif what < 0.25:
        request["headers"] = {key: _odd_header(text, rng) for key, text in request["headers"].items()}
    elif request["body"] is not None:
        body = request["body"]
        if rng.random() < 0.5 and isinstance(body.get("position"), dict):
            body = body | {"position": spoil_position(body["position"], rng)}
        elif rng.random() < 0.5 and "record" in body:
            body = body | {"record": spoil_text(body["record"], rng)}
        request["data"] = spoil_json_text(body, rng) if rng.random() < 0.7 else json.dumps(body).encode()
    else:
        request["path"] += f"&{rng.choice(('since', 'players', 'agent', 'variant'))}={rng.choice(ODD)}"
    return request


_ODD_HEADERS = ("[::1", "http://[", "", "evil.example", "null", "\x00", "x" * 5000, "http://[::1]:80")


def _odd_header(text: str, rng: Random) -> str:
    if rng.random() < 0.5:
        return text
    return rng.choice((*_ODD_HEADERS, str(spoil_json([text], rng)))).encode("latin-1", "replace").decode("latin-1")


def use_request(request: Request, rng: Random) -> None:
    server = the_server()
    path, data = request["path"], request["data"]
    if GAME in path:
        state = server.begin(_SETUP | {"variant": rng.choice(("swazi", "mini", "cassino")), "seed": 1, "rules": {}})
        path = path.replace(GAME, state["id"])
        if state["mine"] and rng.random() < 0.5 and b'"end"' in data:
            data = data.replace(b'"end"', json.dumps(rng.choice(state["moves"])["actions"])[1:-1].encode())
    reply = server.ask(request["method"], path, request["headers"], data)
    if reply[0] == 201:
        _play_on(json.loads(reply[1]), rng)
    checked(reply)


def _play_on(state: dict[str, Any], rng: Random) -> None:
    """A game that was let in goes on; what its own moves get is no refusal."""
    server, headers = the_server(), {"host": HOST, "content-type": "application/json"}
    for _ in range(rng.choice((1, 4, 12))):
        if state["over"]:
            return
        what, body = "advance", {"version": state["version"]}
        if state["mine"]:
            what, body = "move", body | {"actions": rng.choice(state["moves"])["actions"]}
        status, reply = server.ask("POST", f"/api/games/{state['id']}/{what}", headers, json.dumps(body).encode())
        state = json.loads(reply)
        if status != 200 and not state["message"].endswith("has nothing to decide"):  # its build has lost its card
            raise AssertionError(f"{status}: {state}")
        if status != 200:
            return


# --- the page's replay: spoilt records at odd steps, for odd seats, with and without an agent ------------------------


def seeds_replay(rng: Random) -> list[dict[str, Any]]:
    return [{"record": record, "step": rng.randrange(60), "seat": None} for record in records(rng)]


def spoil_replay(data: dict[str, Any], rng: Random) -> dict[str, Any]:
    if rng.random() < 0.4:
        data = data | {"step": rng.choice((0, -1, 10**9, 10**30))}
    if rng.random() < 0.6:
        data = data | {"seat": rng.choice((0, 1, 1, 5, -1, 10**30))}
    return data | {"record": spoil_record(data["record"], rng)} if rng.random() < 0.6 else data


def use_replay(data: dict[str, Any], rng: Random) -> None:
    answer = answered("replay", (_PLAYERS, data, rng.choice(("", "greedy", "counter"))))
    if answer.status != 200:
        checked((answer.status, json.dumps({"error": "", "message": answer.facts["message"]}).encode()))


# --- saved games of the page: journals with flipped bits, and others whose checksums fit but whose content is spoilt -


Row = dict[str, Any]

_NAME = "a" * 16
_PLAYERS = Players()
_stores: dict[int, Store] = {}


def seeds_game(rng: Random) -> list[bytes]:
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


def spoil_game(data: bytes, rng: Random) -> bytes:
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


def use_game(data: bytes, rng: Random) -> None:
    store = _stores.setdefault(os.getpid(), Store(Path(tempfile.mkdtemp(prefix="hostile-"))))
    (store.folder / f"{_NAME}.jsonl").write_bytes(data)
    try:
        table = reopen(_PLAYERS, *store.read(_NAME)).table
    except UnknownGameError as error:  # cut off within its first line
        raise RefusedError(str(error)) from None
    assert table is not None
    seen(table)
    play_on(table, np.random.default_rng(rng.randrange(1000)), 6)


KINDS = (
    Kind("requests", 10_000, seeds_request, spoil_request, use_request),
    Kind("replays", 2_000, seeds_replay, spoil_replay, use_replay),
    Kind("saved games", 10_000, seeds_game, spoil_game, use_game),
)
