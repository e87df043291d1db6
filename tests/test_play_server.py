"""The web server: whole games through it, nothing hidden in what it sends, hostile requests, and the page's engine."""

import json
import re
import threading

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra `play`")
pytest.importorskip("httpx2", reason="starlette's test client needs it")

from casino_env.cards import card_name, cards_of
from casino_env.game import Game
from casino_env.play.store import Store
from casino_env.play.table import Table
from casino_env.play.web.guard import MAX_BODY
from tests.desks import CARD, HOME, JSON, begin, change, client_of, hidden_names, step, to_my_turn


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


@pytest.fixture
def client(store):
    with client_of(store) as found:
        yield found


def table_of(store, state) -> Table:
    """The game as it is on the disk."""
    return Table.from_rows(*store.read(state["id"]))


# --- whole games, and what is in the bytes -----------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), [("south-african", 2), ("khasino", 4), ("swazi", 3), ("cassino", 2)])
def test_no_byte_of_a_game_tells_a_hidden_card(client, store, variant, players):
    """Every reply of a game, with hints and rules: the names of cards that are hidden at that moment are not in it."""
    rng = np.random.default_rng(1)
    seed = 987654321987
    state = begin(client, variant, players, seed=seed)
    looked = 0
    while not state["over"]:
        reply = step(client, state, rng)
        assert reply.status_code == 200, reply.text
        state = reply.json()
        table = table_of(store, state)
        hidden = hidden_names(table.game, table.person)
        texts = [
            reply.text,
            client.get(f"/api/games/{state['id']}").text,
            client.get(f"/api/games/{state['id']}/rules").text,
            client.get(f"/api/games/{state['id']}/past?step={int(rng.integers(state['count']))}").text,
        ]
        if state["mine"] and looked < 15:
            texts.append(client.get(f"/api/games/{state['id']}/hints?agent=counter").text)
        for text in texts if not state["over"] else []:
            looked += 1
            assert not hidden & set(CARD.findall(text)), text
            assert str(seed) not in text
    assert looked > 40
    assert state["result"]["scores"] == table_of(store, state).game.scores()


def test_a_leak_would_be_found(client, store):
    state = to_my_turn(client, begin(client, "swazi", 2))
    table = table_of(store, state)
    assert hidden_names(table.game, table.person) & set(CARD.findall(json.dumps(table.game.to_json())))


def test_the_record_waits_for_the_end(client):
    state = begin(client, "mini", 2)
    refused = client.get(f"/api/games/{state['id']}/record")
    assert refused.status_code == 409
    assert "once the game is over" in refused.json()["message"]
    rng = np.random.default_rng(2)
    while not state["over"]:
        state = step(client, state, rng).json()
    record = client.get(f"/api/games/{state['id']}/record").text
    shown = client.post("/api/replay", json={"record": record, "step": 2, "agent": "counter"}).json()
    assert shown["scene"]["seats"][1]["hand"]
    assert sum(shown["hints"]["likely"].values()) == pytest.approx(1, abs=0.01)


def test_a_position_to_copy_agrees_with_what_is_seen(client):
    state = to_my_turn(client, begin(client, "swazi", 3))
    game = Game.from_json(client.get(f"/api/games/{state['id']}/position").json())
    mine = state["scene"]["seats"][0]["hand"]
    assert [card_name(card) for card in cards_of(int(game.record["hands"][0]))] == mine


def test_undo_and_hints(client):
    state = to_my_turn(client, begin(client, "south-african", 2))
    hint = client.get(f"/api/games/{state['id']}/hints?agent=counter").json()
    assert hint["plan"][0] in {move["actions"][0] for move in state["moves"]}
    after = change(client, state, "move", actions=state["moves"][0]["actions"]).json()
    back = change(client, after, "undo").json()
    assert back["moves"] == state["moves"]
    assert back["scene"] == state["scene"]


def test_the_past_is_as_it_was_shown(client):
    first = to_my_turn(client, begin(client, "swazi", 3))
    later = change(client, first, "move", actions=first["moves"][0]["actions"]).json()
    past = client.get(f"/api/games/{first['id']}/past?step={first['count']}").json()
    assert past == {"step": first["count"], "title": first["title"], "scene": first["scene"]}
    assert client.get(f"/api/games/{first['id']}/past?step=999").json()["scene"] == later["scene"]
    assert client.get(f"/api/games/{first['id']}/past?step=-1").status_code == 400


def test_a_restart_in_mid_turn(store):
    with client_of(store) as client:
        state = to_my_turn(client, begin(client, "swazi", 2))
        state = change(client, state, "move", actions=state["moves"][0]["actions"]).json()
    with client_of(Store(store.folder)) as again:
        found = again.get(f"/api/games/{state['id']}").json()
    assert found["scene"] == state["scene"]
    assert found["moves"] == state["moves"]
    assert found["undo"] == state["undo"]


def test_two_at_once_change_a_game_once(client):
    state = to_my_turn(client, begin(client))
    codes = []

    def move() -> None:
        codes.append(change(client, state, "move", actions=state["moves"][0]["actions"]).status_code)

    threads = [threading.Thread(target=move) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [200] + [409] * 5


# --- hostile requests --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b"[" * 100_000, 400, "not JSON"),
        (b'"text"', 400, "must be a JSON object"),
        (b'{"seats": ["you", "greedy"], "players": NaN}', 400, "not JSON"),
        (b'{"seats": "you"}', 400, "not of the right kind"),
        (b'{"seats": ["you", 5]}', 400, "list of at most"),
        (b'{"seats": ["you", "search:sims=999999999"]}', 400, "is not offered"),
        (b'{"seats": ["you", "os:system"]}', 400, "is not offered"),
        (b'{"seats": ["you", "greedy"], "variant": "nothing"}', 400, "unknown variant"),
        (b'{"seats": ["you", "greedy"], "players": 3}', 400, "given for 3 players"),
        (b'{"seats": ["you", "greedy"], "players": true}', 400, "not of the right kind"),
        (b'{"seats": ["you", "greedy"], "rules": {"deck": "all"}}', 400, "deck"),
        (b'{"seats": ["you", "greedy"], "seed": 1e99}', 400, "not of the right kind"),
        (b'{"seats": ["you", "greedy"], "position": {"variant": "swazi", "players": 2}}', 400, ""),
        (b'{"seats": ["you", "greedy"], "colour": "red"}', 400, "unknown key"),
        (b"\xff\xfe", 400, "not JSON"),
        (b'"' + b"x" * MAX_BODY + b'"', 413, "at most"),
    ],
)
def test_strange_bodies_are_refused(client, body, status, said):
    reply = client.post("/api/games", content=body, headers=JSON)
    assert reply.status_code == status
    assert said in reply.json()["message"]


def test_a_body_without_length_is_counted(client):
    reply = client.post("/api/games", content=(b"x" * 50_000 for _ in range(8)), headers=JSON)
    assert reply.status_code == 413


@pytest.mark.parametrize(
    "name", ["x", "a" * 16, "..%2f..%2fetc%2fpasswd", "%00", "a" * 5000, "' or 1=1", "..", "%2e%2e"]
)
def test_wrong_ids_are_unknown(client, name):
    assert client.get(f"/api/games/{name}").status_code in (404, 405)
    assert client.post(f"/api/games/{name}/move", json={"version": 0, "actions": ["end"]}).status_code in (404, 405)


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"actions": ["end"]}, 409, "the table has changed"),
        ({"version": -1, "actions": ["end"]}, 409, "the table has changed"),
        ({"version": ..., "actions": ["end"]}, 400, "illegal"),
        ({"version": ..., "actions": ["17"]}, 400, "not an action"),
        ({"version": ..., "actions": []}, 400, "at least one"),
        ({"version": ..., "actions": [None]}, 400, "texts"),
        ({"version": ..., "actions": ["end"] * 1000}, 400, "at most"),
        ({"version": ..., "actions": ["discard <b>x</b>"]}, 400, "not a card"),
        ({"version": "1", "actions": ["end"]}, 400, "not of the right kind"),
    ],
)
def test_illegal_moves_leave_the_game_unharmed(client, store, body, status, said):
    state = to_my_turn(client, begin(client))
    before = store.read(state["id"])
    sent = {key: state["version"] if value is ... else value for key, value in body.items()}
    reply = client.post(f"/api/games/{state['id']}/move", json=sent)
    assert reply.status_code == status
    assert said in reply.json()["message"]
    assert store.read(state["id"]) == before


def test_moves_out_of_turn_are_refused(client):
    state = begin(client)
    while state["mine"]:
        state = change(client, state, "move", actions=state["moves"][0]["actions"]).json()
    reply = change(client, state, "move", actions=["end"])
    assert reply.status_code == 400
    assert "not your turn" in reply.json()["message"]
    assert client.get(f"/api/games/{state['id']}/hints").status_code == 409
    state = to_my_turn(client, state)
    assert change(client, state, "advance").status_code == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"host": "evil.example:8000"}, 403),
        ({"host": ""}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"host": "[::1"}, 400),
        ({"host": "[zz]"}, 400),
        ({"origin": "http://["}, 400),
        ({"content-length": "9" * 400}, 413),
        ({"origin": HOME}, 201),
        ({"host": "localhost:8000", "origin": "http://localhost:8000"}, 201),
    ],
)
def test_other_origins_and_odd_headers_are_kept_out(client, headers, status):
    body = json.dumps({"seats": ["you", "greedy"]}).encode()
    assert client.post("/api/games", content=body, headers=JSON | headers).status_code == status


def test_the_page_runs_no_foreign_scripts(client):
    page = client.get("/")
    assert page.headers["content-security-policy"].startswith("default-src 'self'")
    assert "http" not in re.sub(r"http-equiv", "", page.text)
    for name in re.findall(r'/static/([\w.]+)"', page.text):
        assert client.get(f"/static/{name}").status_code == 200
    assert client.get("/static/../app.py").status_code == 404
    assert client.get("/static/%2e%2e/app.py").status_code == 404


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"record": "x"}, "line 1"),
        ({"record": ""}, "line 1"),
        ({}, "line 1"),
        ({"record": "casino-record 1\nfoo: 1\n\n"}, "unknown key"),
        ({"record": 5}, "not of the right kind"),
    ],
)
def test_strange_records_are_refused(client, body, said):
    reply = client.post("/api/replay", json=body)
    assert reply.status_code == 400
    assert said in reply.json()["message"]


def test_the_engine_over_http(client):
    position = Game("swazi", 2, seed=3).to_json()
    reply = client.post("/api/engine", json={"id": 4, "do": "move", "position": position, "agent": "greedy"}).json()
    assert reply["ok"]
    assert reply["id"] == 4
    assert reply["action"] in reply["probabilities"]
    assert client.post("/api/engine", json=[1]).json()["ok"] is False
