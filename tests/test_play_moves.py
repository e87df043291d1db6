"""The moves that a person picks from: all there is, each with what it takes."""

import pytest

from casino_env.actions import action_text
from casino_env.game import Game
from casino_env.play.moves import at_rest, moves
from casino_env.play.terminal.picking import candidates, lit, tokens
from tests.random_play import every_game, label, random_moments


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_moves_are_all_there_is_and_end_at_rest(rules):
    for game in random_moments(rules, 12):
        if game.over:
            continue
        here = Game.from_bytes(game.to_bytes(), rules, skip_forced=False)
        found = moves(here)
        assert {move.actions[0] for move in found} == set(map(action_text, here.legal()))
        for move in found[:20]:
            ahead = here.clone()
            for action in move.actions:
                ahead.apply(action)
            assert at_rest(ahead) or len(move.actions) == 1
            assert move.text


def test_a_capture_names_all_that_it_takes():
    data = {"variant": "south-african", "players": 2, "hands": [["7S", "8H", "8C"], ["AS", "AH"]], "layout": ["7D"],
            "builds": [{"value": 8, "owner": 0, "sets": [["5C", "3H"]]}], "piles": [[], ["6S", "AC"]]}  # fmt: skip
    found = [move for move in moves(Game.from_json(data, skip_forced=False)) if "capture 8H" in move.actions]
    assert {"8H", "7D", "AC", "b8"} in [set(tokens(move)) for move in found]
    assert {"8H", "b8"} in [set(tokens(move)) for move in found]
    assert {move.do for move in found} == {"capture"}


def test_picking_narrows_down_to_one_move():
    data = {"variant": "khasino", "players": 2, "hands": [["AH", "TS", "9C"], ["AS", "AD"]],
            "builds": [{"value": 9, "owner": 1, "sets": [["6C", "3D"]]}]}  # fmt: skip
    found = moves(Game.from_json(data, skip_forced=False))
    assert {"AH", "b9", "9C"} <= lit(found, set())
    first = candidates(found, {"AH", "b9"})[0]
    assert (first.do, first.actions) == ("raise", ("raise 9", "build 10", "card AH"))
    assert candidates(found, {"AH", "TS"}) == []
