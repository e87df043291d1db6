"""What an app knows that sees one hand: the next view follows from its view, the action and what the house tells."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest

from casino_env.actions import action_text
from casino_env.cards import cards_of
from casino_env.engine.state import OWNER, SORTING, chain
from casino_env.game import Game
from casino_env.golden import tables
from casino_env.position import card_names
from casino_env.rules import Rules
from casino_env.views import ToldError, next_view, view_of
from tests.comparing import random_switches, wander
from tests.random_play import every_game, label

Data = dict[str, Any]
TURNS = int(os.environ.get("VIEW_TURNS", "0"))  # of each table, instead of those that the tests ask for


def told_of(before: Game, after: Game, seat: int) -> Data:
    """What a house tells of an action: everything that one seat may need."""
    was, now, told = before.record, after.record, Data()
    next_deal = was["deals"] != now["deals"] and not after.over
    got = int(now["hands"][seat]) & ~(0 if next_deal else int(was["hands"][seat]))
    if got:
        told["dealt"] = card_names(cards_of(got))
    if next_deal:
        told |= {"layout": after.to_json()["layout"], "leader": int(now["leader"])}
        return told
    value = int(was["open_value"])
    rules, piles = before.rules, range(before.rules.players)
    told["tops"] = [
        card_names([int(now["pile_top"][pile])])[0]
        for pile in piles
        if rules.stacking == "secret"
        and now["pile_top"][pile] >= 0
        and int(was["pile_top"][pile]) not in chain(now, int(now["pile_top"][pile]))
    ]
    if value and now["mode"] != OWNER:
        owners = [other for other in piles if int(now["owned"][other]) >> value & 1]
        told |= {"owner": owners[0]} if owners and not any(int(was["owned"][o]) >> value & 1 for o in piles) else {}
    elif now["mode"] == OWNER:
        told["owner"] = None
    if now["turns"] == was["turns"]:
        told["take_build"] = bool(now["take_build"]) or sum(map(int, was["owned"])) > sum(map(int, now["owned"]))
    return told


def play(rules: Rules, seed: int, turns: int, share: float = 1.0, match: bool = False) -> int:
    """How many views were followed over so many turns at random, of this share of all actions."""
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


@pytest.mark.slow
@pytest.mark.parametrize("match", [False, True])
@pytest.mark.parametrize("table", sorted(tables()))
def test_the_next_view_is_that_of_the_game_in_every_action(table: str, match: bool) -> None:
    assert play(tables()[table], seed=6, turns=TURNS or 100, match=match) > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_rules(seed: int) -> None:
    rng = Random(seed)
    for rules in [random_switches(rng) for _ in range(10)]:
        assert play(rules, seed=rng.getrandbits(20), turns=TURNS or 30, share=0.3) > 0


@pytest.mark.slow
@pytest.mark.parametrize("rules", every_game()[-7:], ids=label)
def test_games_in_which_others_are_asked(rules: Rules) -> None:
    assert play(rules, seed=1, turns=TURNS or 100, match=bool(rules.target)) > 100
