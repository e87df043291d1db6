"""The web server under attack: crashes, hangs, floods, slow connections, full disks. One answer is lost, no more."""

import json
import threading
import time

import numpy as np
import pytest

pytest.importorskip("uvicorn", reason="needs the extra `play`")
pytest.importorskip("httpx2", reason="starlette's test client needs it")

from starlette.testclient import TestClient

from casino_env.game import Game
from casino_env.play.store import Store
from casino_env.play.web.app import make_app
from casino_env.play.web.desk import Desk
from tests.desks import HOME, JSON, begin, change, client_of, step, to_my_turn
from tests.full_disks import full_disk

ROGUES = tuple(f"tests.rogues:{name}" for name in ("Crashes", "Stuck", "Eats", "Raises", "Slower"))


@pytest.fixture
def client(tmp_path):
    with client_of(Store(tmp_path)) as found:
        yield found


@pytest.fixture(scope="module")
def rogues(tmp_path_factory):
    """A server that offers agents which do what a defect might do."""
    desk = Desk(named=ROGUES, patience=3.0, workers=2)
    desk.open()
    app = make_app(Store(tmp_path_factory.mktemp("rogues")), desk, agents=("greedy", *ROGUES))
    with TestClient(app, base_url=HOME) as found:
        yield found
    desk.close()


@pytest.mark.parametrize(
    ("rogue", "status", "code", "said"),
    [
        ("Crashes", 503, "lost", "has ended; nothing has changed"),
        ("Stuck", 503, "budget", "more than 3 seconds"),
        ("Eats", 503, "memory", "not enough memory"),
        ("Raises", 500, "internal", "KeyError (rogues.py:"),
    ],
)
def test_an_agent_that_breaks_costs_one_answer(rogues, rogue, status, code, said):
    state = rogues.post(
        "/api/games", json={"variant": "mini", "seats": ["you", f"tests.rogues:{rogue}"], "seed": 1}
    ).json()
    while state["mine"]:
        state = change(rogues, state, "move", actions=state["moves"][0]["actions"]).json()
    for _ in range(2):
        reply = change(rogues, state, "advance")
        assert (reply.status_code, reply.json()["error"]) == (status, code)
        assert said in reply.json()["message"]
        assert "\n" not in reply.json()["message"]
        assert rogues.get(f"/api/games/{state['id']}").json()["version"] == state["version"]
    other = begin(rogues, "mini")
    assert step(rogues, other, np.random.default_rng(1)).status_code == 200


@pytest.mark.parametrize(("rogue", "said"), [("Crashes", "has ended"), ("Stuck", "more than 1 seconds")])
def test_an_agent_that_breaks_when_it_is_tried_is_named(monkeypatch, rogue, said):
    monkeypatch.setattr("casino_env.play.web.desk._REHEARSAL_SECONDS", 1.0)
    spec = f"tests.rogues:{rogue}"
    desk = Desk(named=(spec,), workers=2)
    desk.open()
    with pytest.raises(ValueError, match=f"^{spec}: .*{said}"):
        desk.rehearse([spec])
    desk.close()


def test_long_thinking_holds_up_no_quick_move(rogues):
    """Three slow agents at once on two workers: one of these is always there for moves."""
    slow = [
        rogues.post("/api/games", json={"variant": "mini", "seats": ["you", ROGUES[-1]], "seed": seed}).json()
        for seed in range(3)
    ]
    slow = [change(rogues, s, "move", actions=s["moves"][0]["actions"]).json() if s["mine"] else s for s in slow]
    threads = [threading.Thread(target=change, args=(rogues, state, "advance")) for state in slow]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    began = time.monotonic()
    assert begin(rogues, "mini")
    assert time.monotonic() - began < 0.8
    for thread in threads:
        thread.join()


def test_requests_beyond_the_row_are_told_to_come_back(rogues, monkeypatch):
    monkeypatch.setattr("casino_env.play.web.guard.MAX_OPEN", 0)
    reply = rogues.get("/api/menu")
    assert (reply.status_code, reply.json()["error"]) == (503, "busy")


# --- positions that once brought the server down -------------------------------------------------------------------

LOOP = {
    "variant": "swazi", "players": 2, "to_move": 0, "hands": [["2S"], ["3S"]], "layout": ["5H", "6H"],
    "piles": [["5S"], []], "turn": {"mode": 3, "acted": 1, "hand_card": "5S", "open_value": 5, "picked": ["5H"]},
}  # fmt: skip


@pytest.mark.parametrize("variant", ["swazi", "south-african", "sotho", "khasino", "cassino"])
def test_a_position_that_cannot_be_is_refused_everywhere(client, variant):
    position = LOOP | {"variant": variant}
    reply = client.post("/api/games", json={"variant": variant, "seats": ["you", "greedy"], "position": position})
    assert reply.status_code == 400
    for ask in ({"do": "apply", "action": "end"}, {"do": "move"}, {"do": "position"}):
        assert client.post("/api/engine", json=ask | {"position": position}).json()["ok"] is False
    record = f"casino-record 1\nvariant: {variant}\nplayers: 2\nrules: {{}}\nrules_version: 1\nmatch: false\n"
    reply = client.post("/api/replay", json={"record": f"{record}position: {json.dumps(position)}\n\n0: end\n"})
    assert reply.status_code == 400


@pytest.mark.parametrize(
    "more",
    [
        {"rules": {"target": 10**30}},
        {"rules": {"variant": "swazi"}},
        {"rules": {"players": 3}},
        {"rules": {"name": "x" * 50_000}},
        {"position": {"variant": "swazi", "rules": {"players": 3}}},
        {"position": Game("swazi", 2).to_json() | {"turn": {"picked": ["5H"] * 20_000}}},
        {"position": Game("swazi", 3).to_json()},
        {"seats": ["you", "policy:south-african-2"]},
        {"seats": [["you"], {}]},
        {"seed": 2**64},
        {"seed": -1},
    ],
)
def test_what_cannot_be_begun_is_one_line(client, more):
    body = {"variant": "swazi", "seats": ["you", "greedy"]} | more
    reply = client.post("/api/games", json=body)
    assert reply.status_code == 400, reply.text
    assert "\n" not in reply.json()["message"]
    assert "/" not in reply.json()["message"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"simulations": 10_000_000}, "at most 20,000"),
        ({"simulations": 10**30}, "at most 20,000"),
        ({"time": 11.0}, "at most 10 seconds"),
        ({"agent": "search:sims=1000000"}, "not offered"),
        ({"agent": "os:system:command=true"}, "not offered"),
        ({"id": "\ud800", "do": "dance"}, "must be one of"),
    ],
)
def test_the_engine_has_a_budget(client, more, said):
    body = {"do": "move", "position": Game("swazi", 2).to_json()} | more
    reply = client.post("/api/engine", content=json.dumps(body), headers=JSON).json()
    assert reply["ok"] is False
    assert said in reply["message"]


def test_the_engine_has_the_policies_that_the_page_has(client):
    body = {"do": "move", "position": Game("swazi", 2).to_json(), "agent": "policy:swazi-2"}
    assert client.post("/api/engine", json=body).json()["ok"] is True


# --- disks and memory ----------------------------------------------------------------------------------------------


def refused(reply):
    assert (reply.status_code, reply.json()["error"]) == (503, "disk")
    assert "/" not in reply.json()["message"], "no paths of this machine"


def test_a_full_disk_changes_no_game(tmp_path):
    with client_of(Store(tmp_path)) as client:
        state = to_my_turn(client, begin(client, "mini"))
        path = tmp_path / f"{state['id']}.jsonl"
        with full_disk(50):
            refused(client.post("/api/games", json={"variant": "mini", "seats": ["you", "greedy"]}))
        with full_disk(path.stat().st_size + 20):
            refused(change(client, state, "move", actions=state["moves"][0]["actions"]))
        assert len(list(tmp_path.iterdir())) == 1
        assert client.get(f"/api/games/{state['id']}").json()["version"] == state["version"]
        assert change(client, state, "move", actions=state["moves"][0]["actions"]).status_code == 200


def test_few_games_stay_in_memory_and_none_is_lost(tmp_path, monkeypatch):
    """And games that nobody began leave nothing there."""
    monkeypatch.setattr("casino_env.play.web.games._IN_MEMORY", 3)
    with client_of(Store(tmp_path)) as client:
        games = _games_of(client.app)
        for number in range(200):
            assert client.get(f"/api/games/{number:016d}").status_code == 404
        assert not games._locks and not games._open
        states = [begin(client, "mini", seed=seed) for seed in range(8)]
        for state in states:
            found = client.get(f"/api/games/{state['id']}").json()
            assert found["scene"] == state["scene"]
            assert step(client, found, np.random.default_rng(1)).status_code == 200
        assert len(games._open) == 3


def _games_of(app):
    """The games behind an app."""
    routes = app._app.routes
    return next(route.endpoint.__self__ for route in routes if route.path == "/api/menu")._games
