"""A web server for its tests: workers, started once for all of them and ended with them, and what a page asks of it."""

import atexit
import re
from functools import cache
from typing import Any

import numpy as np
from starlette.testclient import TestClient

from casino_env.cards import card_name, cards_of
from casino_env.game import Game
from casino_env.play.store import Store
from casino_env.play.web.app import make_app
from casino_env.play.web.desk import Desk
from tests.hidden import declared, stock_of

AGENTS = ("random", "greedy", "counter")
HOME = "http://127.0.0.1:8000"
JSON = {"content-type": "application/json"}
CARD = re.compile(r"\b[A2-9TJQK][SHDC]\b")
State = dict[str, Any]  # what the server says of a game


@cache
def the_desk() -> Desk:
    desk = Desk(patience=30.0, workers=2)
    desk.open()
    atexit.register(desk.close)
    return desk


def client_of(store: Store) -> TestClient:
    """It asks a server with these games."""
    return TestClient(make_app(store, the_desk(), agents=AGENTS), base_url=HOME)


def begin(client, variant="south-african", players=2, **more) -> State:
    """A game of a person against greedy ones."""
    seats = ["you"] + ["greedy"] * (players - 1)
    reply = client.post("/api/games", json={"variant": variant, "players": players, "seats": seats} | more)
    assert reply.status_code == 201, reply.text
    return reply.json()


def change(client, state: State, what: str, **more):
    """The reply to a change of a game: move, undo or advance."""
    body = {"version": state["version"], "since": state["count"]} | more
    return client.post(f"/api/games/{state['id']}/{what}", json=body)


def step(client, state: State, rng: np.random.Generator):
    """The reply to the next change of a game."""
    if not state["mine"]:
        return change(client, state, "advance")
    move = state["moves"][int(rng.integers(len(state["moves"])))]
    return change(client, state, "move", actions=move["actions"])


def to_my_turn(client, state: State) -> State:
    """Everybody else plays until the person decides."""
    while not state["mine"]:
        state = change(client, state, "advance").json()
    return state


def hidden_names(game: Game, person: int) -> set[str]:
    """Cards that the person has not seen and cannot work out from declared ones: other hands, and the stock."""
    hidden = set(stock_of(game.record))
    for seat in set(range(game.rules.players)) - {person}:
        hidden |= set(cards_of(int(game.record["hands"][seat]) & ~declared(game.record)))
    return set(map(card_name, hidden))
