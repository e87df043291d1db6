"""The protocol for one seat: its view, complete turns with probabilities, and shapes as JSON Schema."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from casino_env.agents.protocol import session
from casino_env.agents.protocol.session import REQUESTS, Session
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.views import game_of, view_of

SCHEMA = json.loads((Path(session.__file__).parent / "schema.json").read_text())
GAMES = (("south-african", 2), ("khasino", 4), ("cassino", 3), ("sotho", 2))


@pytest.fixture
def engine() -> Session:
    return Session("greedy")


def tables(variant, players, seed, every=1):
    """Yield positions of a deal played at random."""
    game, rng = Game(variant, players, seed=seed), np.random.default_rng(seed)
    while not game.over:
        if len(game.log) % every == 0:
            yield game.clone()
        game.apply(game.legal()[int(rng.integers(len(game.legal())))])


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_a_view_holds_all_that_its_seat_knows(variant, players):
    for game in tables(variant, players, seed=1):
        view = json.loads(json.dumps(view_of(game, game.seat)))
        again, seat, memory = game_of(view)
        assert (seat, memory, again.legal()) == (game.seat, "perfect", game.legal())
        assert observe(again).vector.tolist() == observe(game).vector.tolist()
        assert view_of(again, seat) == view


@pytest.mark.parametrize(("variant", "players"), [*GAMES, ("swazi", 3)])
def test_a_view_holds_nothing_else(variant, players):
    """Two games that the seat cannot tell apart have the same view."""
    rng = np.random.default_rng(3)
    for game in tables(variant, players, seed=2, every=5):
        other = observe(game).determinizations(1, rng)[0]
        assert view_of(other, game.seat) == view_of(game, game.seat)


def test_a_match_does_not_tell_the_next_deal():
    view = view_of(Game("swazi", 2, seed=1, match=True), 0)
    assert view["match"] == {"deals": 0}


def test_advice_for_a_view_is_advice_for_its_position(engine):
    for game in tables("cassino", 2, seed=4, every=7):
        view = view_of(game, game.seat)
        for agent in ("greedy", "counter"):
            by_view = engine.reply({"do": "move", "agent": agent, "view": view})
            assert by_view["ok"], by_view
            assert by_view == engine.reply({"do": "move", "agent": agent, "position": game.to_json()})


def test_advice_names_the_turn_and_every_other_with_its_chance(engine):
    game = Game("south-african", 2, seed=3)
    reply = engine.reply({"do": "advise", "view": view_of(game, game.seat)})
    assert reply["actions"][0] == reply["action"]
    listed = engine.reply({"do": "turns", "view": view_of(game, game.seat)})["turns"]
    assert len(reply["turns"]) == len(listed) == len(game.turns())
    chances = [turn["chance"] for turn in reply["turns"]]
    assert chances == sorted(chances, reverse=True)
    assert sum(chances) == pytest.approx(1)
    assert reply["value"] is None
    drawn = engine.reply({"do": "advise", "agent": "random", "position": game.to_json()})
    assert 0.9 < sum(turn["chance"] for turn in drawn["turns"]) < 1.0001
    assert drawn["turns"][0]["chance"] < 1


def test_a_face_down_pile_may_be_a_number(engine):
    game = list(tables("cassino", 2, seed=4))[40]
    view = view_of(game, game.seat)
    view["piles"] = [len(pile) for pile in view["piles"]]
    assert engine.reply({"do": "move", "view": view})["ok"]
    assert game_of(view)[2] == "none"


def view(**changes):
    return view_of(Game("swazi", 2, seed=5), 0) | changes


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (view(stock=17), "17 .*|cards are counted as hidden"),
        (view(hands=[3, 12]), "list them"),
        (view(hands=[["AS"], ["2S"]]), "give their number"),
        (view(hands=[["AS"], True]), "whole number"),
        (view(hands=[["AS"]]), "a list of 2"),
        (view(piles=[0, 0]), "face up"),
        (view(seat=2), "seat"),
        (view(seat=1), "the view's seat|list them"),
        (view(hands=[["XX"], 12]), "not a card"),
        (view(builds=7), "builds"),
        (view(proven=[7, []]), "proven"),
        (view(turn=7), "turn"),
        (view(players=9), "players"),
        (view(colour="red"), "colour"),
        ({"variant": "swazi", "players": 2}, "seat is missing"),
        ({"seat": 0}, "missing"),
        ([], "a view must be"),
        ("AS", "a view must be"),
    ],
)
def test_views_that_cannot_be(engine, wrong, said):
    reply = engine.reply({"do": "move", "view": wrong})
    assert (reply["ok"], reply["error"]) == (False, "position"), reply
    assert re.search(said, reply["message"]), reply
    assert "\n" not in reply["message"] and len(reply["message"]) < 400


def test_a_build_needs_its_card(engine):
    """Its owner has to hold a card of that rank, but all of them are seen elsewhere."""
    wrong = {
        "variant": "swazi", "players": 2, "seat": 0, "hands": [["9H", "9D"], 1], "layout": ["9C"],
        "builds": [{"value": 9, "owner": 1, "sets": [["9S"], ["6C", "3D"]]}], "stock": 0,
    }  # fmt: skip
    assert engine.reply({"do": "move", "view": wrong})["error"] == "position"


def test_whoever_does_not_decide_gets_no_advice(engine):
    game = Game("swazi", 2, seed=5)
    reply = engine.reply({"do": "move", "view": view_of(game, 1 - game.seat)})
    assert "decides now" in reply["message"]
    both = engine.reply({"do": "move", "view": view(), "position": game.to_json()})
    assert both["error"] == "malformed"
    assert engine.reply({"do": "see", "position": game.to_json(), "seat": 7})["error"] == "malformed"


def test_the_end_says_who_has_won_and_by_what(engine):
    state = engine.reply({"do": "new", "variant": "mini", "seed": 4})
    assert state["winners"] == []
    while not state["over"]:
        state = engine.reply({"do": "apply", "action": state["legal"][0]})
    best = [seat for seat, points in enumerate(state["scores"]) if points == max(state["scores"])]
    assert state["winners"] == (best if len(best) == 1 else [])
    assert [sum(row) for row in zip(*state["breakdown"].values(), strict=True)] == state["scores"]


def test_hello_says_who_is_there(engine):
    reply = engine.reply({"do": "hello"})
    assert reply["requests"] == list(REQUESTS)
    assert reply["trained"]["policy:swazi-3-easy"] == {
        "level": "easy", "games": [{"variant": "swazi", "players": 3, "rules": {}}],
    }  # fmt: skip
    assert 0 <= reply["seconds"] < 60


# --- shapes ---------------------------------------------------------------------------------------------------------


def wrong(name, data):
    """Return what is wrong with data of this shape of schema.json; empty if nothing is."""
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})
    return "; ".join(f"{error.json_path}: {error.message}" for error in validator.iter_errors(data))


def test_the_schema_has_every_request_with_its_keys():
    shapes = SCHEMA["$defs"]
    for name, (_, keys) in REQUESTS.items():
        assert set(shapes[f"{name}_request"]["properties"]) == {"id", "do", *keys}


def test_every_reply_has_its_shape(engine):
    game, states = Game("cassino", 2, seed=6), ("new", "position", "apply")  # they return the state
    for request in (
        {"do": "hello"}, {"do": "new", "seed": 3}, {"do": "see"}, {"do": "turns"}, {"do": "move"}, {"do": "advise"},
        {"do": "position", "position": game.to_json()}, {"do": "see", "seat": 1}, {"do": "quit"},
    ):  # fmt: skip
        assert wrong(f"{request['do']}_request", request) == ""
        shape = "state" if request["do"] in states else request["do"]
        assert wrong(f"{shape}_reply", engine.reply(request)) == ""
    assert wrong("error_reply", engine.reply({"do": "dance"})) == ""
    assert wrong("view", view()) == ""
    assert wrong("view", view(stock="many")) == "$.stock: 'many' is not of type 'integer'"
    assert "required" in wrong("quit_reply", {})
