"""Requests to the web server: every route, with spoilt bodies, addresses and headers."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from casino_env.game import Game
from tests.hostile.engine import spoil_position
from tests.hostile.games import moments
from tests.hostile.kind import Kind
from tests.hostile.server import HOST, checked, the_server
from tests.hostile.spoiling import ODD, spoil_json, spoil_json_text, spoil_text

GAME = "GAME"  # stands for the name of a game of the server
_SETUP = {"variant": "swazi", "players": 2, "seats": ["you", "greedy"], "rules": {"insist_capture": "ask"}, "seed": 3}
_RECORD = "casino-record 1\nvariant: mini\nplayers: 2\nrules: {}\nrules_version: 1\nmatch: false\nseed: 7\n\n"

Request = dict[str, Any]


def seeds(rng: Random) -> list[Request]:
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


def spoil(request: Request, rng: Random) -> Request:
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


def use(request: Request, rng: Random) -> None:
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


KINDS = (Kind("requests", 10_000, seeds, spoil, use),)
