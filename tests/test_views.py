"""What an app knows that sees one hand: the next view follows from its view, the action and what the house tells."""

from __future__ import annotations

import os
from random import Random

import pytest

from casino_env.actions import action_text
from casino_env.engine.state import SORTING
from casino_env.game import Game
from casino_env.golden import tables
from casino_env.next_view import ToldError, next_view, told_of
from casino_env.rules import Rules
from casino_env.views import view_of
from tests.comparing import random_switches, wander
from tests.random_play import every_game, label

TURNS = int(os.environ.get("VIEW_TURNS", "0"))  # of each table, instead of those that the tests ask for


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
