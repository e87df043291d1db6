"""Views of an app that sees one hand: the next follows from the view, the action and what the house tells."""

from __future__ import annotations

import os
import re
from itertools import product
from random import Random
from typing import Any

import pytest

from casino_env.actions import action_text
from casino_env.agents.protocol.session import Session
from casino_env.engine.state import OWNER, SORTING
from casino_env.game import Game, IllegalActionError
from casino_env.golden import tables
from casino_env.position import PositionError
from casino_env.rules import Rules
from casino_env.views import ToldError, game_of, next_view, told_of, view_of
from tests.comparing import random_switches, wander
from tests.random_play import every_game, label
from tests.test_protocol_views import wrong

TURNS = int(os.environ.get("VIEW_TURNS", "0"))  # turns of each table, in place of the tests' own numbers


def play(rules: Rules, seed: int, turns: int, share: float = 1.0, match: bool = False) -> int:
    """Play this many turns at random; return how many views were followed, over this share of all actions."""
    rng, compared = Random(seed), 0
    memories = ("perfect", "none") if rules.stacking == "face_down" else ("perfect",)
    while turns > 0:
        game = Game(rules, seed=rng.getrandbits(40), match=match, skip_forced=False)
        while not game.over and turns > 0:
            before = game.clone()
            wander(game, rng)
            action = action_text(game.log[-1][1])
            turns -= game.record["turns"] != before.record["turns"]
            if rng.random() < share or game.record["deals"] != before.record["deals"]:
                pairs = [(seat, memory) for seat in range(rules.players) for memory in memories]
                compared += sum(follows(before, game, seat, action, memory) for seat, memory in pairs)
    return compared


def follows(before: Game, after: Game, seat: int, action: str, memory: str) -> int:
    seen, wanted = view_of(before, seat, memory), view_of(after, seat, memory)
    if before.record["mode"] == SORTING == after.record["mode"] and before.seat != seat:
        assert wanted == seen
        return 0
    told = told_of(before, after, seat)
    if memory == "none" and before.record["deals"] != after.record["deals"]:
        with pytest.raises(ToldError, match="go on with a new view"):
            next_view(seen, action, told)
        return 0
    step = next_view(seen, action, told)
    assert step.view == wanted, (seen, action, told)
    assert (step.seat, step.over) == (after.seat, after.over)
    assert step.legal == (after.legal() if after.seat == seat else [])
    if memory == "perfect":
        assert step.game is not None and step.game.breakdown() == after.breakdown()
    return 1


@pytest.mark.parametrize("table", sorted(tables()))
def test_the_next_view_is_that_of_the_game(table: str) -> None:
    assert play(tables()[table], seed=5, turns=50, share=0.05) > 5


# --- impossible views and actions ----------------------------------------------------------------------------------

OPEN = {  # seat 1 has built, seat 0 looks on; nine cards are in sight
    "variant": "khasino", "players": 2, "round": 2, "seat": 0, "to_move": 1, "hands": [["AH", "TS"], 3],
    "layout": ["7D"], "builds": [{"value": 9, "owner": 1, "sets": [["6C", "3D"]]}],
    "piles": [["4D", "4C"], ["5D", "5C"]], "stock": 28,
}  # fmt: skip
SECRET = {
    "variant": "swazi", "players": 3, "seat": 0, "to_move": 1, "hands": [["AH", "TS"], 12, 12], "layout": ["7D", "7C"],
    "builds": [{"value": 9, "owner": 1, "sets": [["6C", "3D"]]}], "piles": [["4D"], ["5D", "5C"], ["8H", "JS", "9H"]],
    "stock": 16,
}  # fmt: skip


@pytest.mark.parametrize(
    ("view", "action", "told", "error", "said"),
    [
        (OPEN, "discard AH", {}, IllegalActionError, "discard AH is illegal for seat 1: no hand that it can have"),
        (OPEN, "discard 7D", {}, IllegalActionError, "no hand that it can have"),
        (OPEN, "build 7", {}, IllegalActionError, "no hand that it can have"),  # build_limit is 1
        (OPEN | {"hands": [["AH", "TS"], 1], "stock": 30}, "discard 2S", {}, IllegalActionError, "no hand"),
        (OPEN, "discard 2S", {"dealt": ["3S"]}, ToldError, "dealt: seat 0 gets 0 cards with this action, not 1"),
        (OPEN, "discard 2S", {"cards": []}, ToldError, "told: unknown key 'cards'"),
        (OPEN, "discard 2S", {"dealt": "3S"}, ToldError, "dealt = '3S'; it must be a list"),
        (OPEN, "discard 2S", {"dealt": ["3X"]}, ToldError, "'3X' is not a card"),
        (OPEN, "discard 2S", {"take_build": 1}, ToldError, "take_build = 1; it must be true or false"),
        (OPEN, "discard 2S", {"owner": "1"}, ToldError, "owner = '1'; it must be a whole number from 0 to 1"),
        (OPEN, "discard 2S", {"leader": 2}, ToldError, "leader = 2; it must be a whole number from 0 to 1"),
        (OPEN, "discard 2S", {"dealt": None}, ToldError, "dealt = None; it must be a list"),
        (OPEN, "discard 2S", {"dealt": ["3S", "3S"]}, ToldError, "dealt: a card is listed twice"),
        (OPEN, "discard 2S", {"tops": ["4D"]}, ToldError, "tops: 4D is not on top of pile 0; 4C is"),
        (OPEN, "discard 2S", {"tops": ["KS"]}, ToldError, "tops: KS is in no pile"),
        (OPEN, "discard 2S", [], ToldError, "told = []; it must be an object"),
        (OPEN, "dance", {}, ValueError, "dance"),
        (OPEN | {"stock": 3}, "discard 2S", {}, ValueError, "counted as hidden"),
        (SECRET | {"turn": {"acted": 1, "mode": 1, "open_value": 9, "open_left": 9}}, "card 9H", {}, ToldError,
         "tops: a card of pile 2 has been taken; say which of its cards is on top now"),
    ],
)  # fmt: skip
def test_what_cannot_be(view: dict[str, Any], action: str, told: Any, error: type[ValueError], said: str) -> None:
    with pytest.raises(error, match=re.escape(said)):
        next_view(view, action, told)


def test_an_open_action_that_nothing_leads_to_is_no_view() -> None:
    game = Game("khasino", 2, seed=1, skip_forced=False)
    mover = game.seat
    game.apply(game.legal()[0])
    view = view_of(game, 1 - mover)
    view["turn"]["mode"] = 3
    with pytest.raises(PositionError, match=f"^turn: no action of seat {mover} leads to this open action$"):
        next_view(view, "end", {})


def test_a_card_that_is_not_in_the_deck_is_not_dealt() -> None:
    names = [rank + suit for rank in "A23456789T" for suit in "SHDC"]
    view = {
        "variant": "south-african", "players": 2, "seat": 0, "to_move": 1, "hands": [[], 0], "layout": names[:1],
        "builds": [], "piles": [names[1:10], names[10:20]], "stock": 20,
        "turn": {"acted": 1, "played": 1, "laid_now": names[0]},
    }  # fmt: skip
    told = {"dealt": [*names[20:29], "KS"]}
    with pytest.raises(ToldError, match=re.escape("told: hands[0]: KS is not in the deck of 40 cards")):
        next_view(view, "end", told)
    assert next_view(view, "end", told | {"dealt": names[20:30]}).view["hands"] == [names[20:30], 10]


def test_a_card_that_nobody_has_seen_becomes_known() -> None:
    step = next_view(OPEN, "discard 2S")
    assert step.view == OPEN | {
        "rules": {}, "proven": [[], []], "last_capture": None, "match_score": [0, 0],
        "hands": [["AH", "TS"], 2], "layout": ["7D", "2S"], "turn": {"acted": 1, "played": 1, "laid_now": "2S"},
    }  # fmt: skip
    assert (step.seat, step.over, step.legal) == (1, False, [])


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_every_view_is_of_a_game(rules: Rules) -> None:
    """This holds in the middle of another seat's set, too, though nobody else may know the card that backs it."""
    game, rng = Game(rules, seed=5, skip_forced=False), Random(5)
    memories = ("perfect", "none") if rules.stacking == "face_down" else ("perfect",)
    while not game.over:
        for seat, memory in product(range(rules.players), memories):
            view = view_of(game, seat, memory)
            made, *about = game_of(view)
            assert about == [seat, memory]
            assert view_of(made, seat, memory) == view
            assert made.legal()
        wander(game, rng)


def test_a_card_that_another_plays_is_in_its_hand() -> None:
    played = 0
    for seed in range(3):
        game, rng = Game("swazi", 2, seed=seed, skip_forced=False), Random(seed)
        while not game.over:
            card, mover = int(game.record["hand_card"]), game.seat
            if card >= 0:
                made, _, _ = game_of(view_of(game, 1 - mover))
                assert int(made.record["hands"][mover]) >> card & 1
                played += 1
            wander(game, rng)
    assert played > 5


def test_who_asks_for_its_own_build_has_one_card_for_it() -> None:
    view = {
        "variant": "african", "players": 4, "seat": 1, "leader": 2, "turns": 2, "to_move": 0,
        "hands": [12, ["2H", "3H", "5H", "6S", "8S", "8C", "9D", "TD", "QH", "KS", "KH", "KD"], 11, 11],
        "builds": [{"value": 5, "owner": 2, "sets": [["4C", "AC"]]}, {"value": 8, "owner": 3, "sets": [["7S", "AS"]]},
                   {"value": 9, "owner": 2, "sets": [["5S", "4S"]]}],
        "turn": {"mode": 7, "acted": 1, "open_value": 5, "take_build": 1, "settled": 1, "hand_card": "5D"},
    }  # fmt: skip
    assert next_view(view, "no").view["piles"] == [["4C", "AC", "5D"], [], [], []]


SAID = {  # seat 2 lays a set and may hold a ten; it takes its build and may hold another five
    "owner": ("card 2S", {
        "variant": "khasino", "players": 4, "round": 1, "to_move": 2, "seat": 0, "leader": 2, "turns": 4, "stock": 0,
        "hands": [["3S", "3H", "8S", "8C", "9S", "9D", "9C", "TD", "TC"], 9, 9, 9], "layout": ["8D"], "builds": [],
        "piles": [[], ["6D", "4S", "TS"], [], []], "proven": [[10], [], [], []], "last_capture": 1,
        "turn": {"mode": 1, "acted": 1, "open_value": 10, "open_left": 2, "open_last": "8D", "picked": ["8D"],
                 "open_cards": ["8D"]},
    }),
    "take_build": ("capture 5C", {
        "variant": "kasa", "players": 4, "round": 1, "to_move": 2, "seat": 1, "leader": 1, "turns": 5, "stock": 0,
        "hands": [9, ["AD", "3S", "3H", "3C", "4H", "5H", "5D", "9D"], 9, 9], "layout": ["7D"],
        "builds": [{"value": 5, "owner": 2, "sets": [["3D", "2C"]]}, {"value": 9, "owner": 1, "sets": [["8C", "AC"]]}],
    }),
}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "said"), [("owner", 0), ("owner", 2), ("owner", None), ("take_build", True), ("take_build", False)]
)
def test_what_depends_on_a_hidden_hand_is_told(key: str, said: Any) -> None:
    action, view = SAID[key]
    with pytest.raises(ToldError, match=f"^{key}: seat 2 may"):
        next_view(view, action)
    after = next_view(view, action, {key: said}).view
    if key == "take_build":
        assert after["turn"].get(key, 0) == said
    else:
        owners = [build["owner"] for build in after["builds"]]
        assert (owners, after["turn"].get("mode")) == (([], OWNER) if said is None else ([said], None))


def test_a_single_card_has_no_other_beside_it() -> None:
    """Nothing needs to be told then: the capture takes the build."""
    view = {
        "variant": "kasa", "players": 2, "round": 1, "to_move": 1, "seat": 0, "hands": [["AD", "3S"], 1], "stock": 34,
        "layout": ["7D"], "builds": [{"value": 5, "owner": 1, "sets": [["3D", "2C"]]}],
    }  # fmt: skip
    assert next_view(view, "capture 5C").view["turn"]["take_build"] == 1


def test_what_comes_to_light_is_told() -> None:
    begun = SECRET | {"turn": {"acted": 1, "mode": 1, "open_value": 9, "open_left": 9}}
    assert next_view(begun, "card 9H", {"tops": ["8H"]}).view["piles"] == [["4D"], ["5D", "5C"], ["JS", "8H"]]


def test_the_protocol_follows_a_view() -> None:
    engine = Session("greedy")
    engine.reply({"do": "new", "seed": 1})
    before = engine.reply({"do": "see"})
    reply = engine.reply({"do": "apply", "view": OPEN, "action": "discard 2S"})
    assert {key: reply[key] for key in ("ok", "seat", "over", "legal", "scores", "winners")} == {
        "ok": True, "seat": 1, "over": False, "legal": [], "scores": [0, 0], "winners": [],
    }  # fmt: skip
    request = {"do": "apply", "view": OPEN, "action": "discard 2S", "told": {"tops": [], "owner": None}}
    assert (wrong("apply_request", request), wrong("view_reply", reply)) == ("", "")
    assert engine.reply({"do": "see"}) == before, "the current game is another one"
    for request, code in (
        ({"view": OPEN, "action": "discard AH"}, "illegal"),
        ({"view": OPEN, "action": "discard 2S", "told": {"dealt": ["3S"]}}, "told"),
        ({"view": OPEN | {"stock": 3}, "action": "discard 2S"}, "position"),
        ({"view": OPEN, "action": "dance"}, "malformed"),
        ({"view": OPEN, "action": "discard 2S", "position": {}}, "malformed"),
        ({"action": "discard 2S", "told": {}}, "malformed"),
    ):
        reply = engine.reply({"do": "apply", **request})
        assert (reply["ok"], reply.get("error")) == (False, code), reply
        assert "\n" not in reply["message"]


# --- every action --------------------------------------------------------------------------------------------------


@pytest.mark.wide
@pytest.mark.parametrize(("table", "match"), [(name, match) for name in sorted(tables()) for match in (False, True)])
def test_the_next_view_is_that_of_the_game_in_every_action(table: str, match: bool) -> None:
    assert play(tables()[table], seed=6, turns=TURNS or 100, match=match) > 100


@pytest.mark.wide
@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_rules(seed: int) -> None:
    rng = Random(seed)
    for rules in [random_switches(rng) for _ in range(10)]:
        assert play(rules, seed=rng.getrandbits(20), turns=TURNS or 30, share=0.3) > 0


@pytest.mark.slow
@pytest.mark.parametrize("rules", every_game()[-7:], ids=label)
def test_games_in_which_others_are_asked(rules: Rules) -> None:
    assert play(rules, seed=1, turns=TURNS or 100, match=bool(rules.target)) > 100
