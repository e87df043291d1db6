"""The table between a person and agents: whole deals, undo, saving, what it refuses."""

import json

import numpy as np
import pytest

from casino_env.actions import action_text
from casino_env.game import Game
from casino_env.record import replay
from casino_env.rules import PRESETS, player_counts
from play.seen import seen
from play.table import Setup, Table, TableError
from tests.tables import play_on, table_of


@pytest.mark.parametrize("variant", PRESETS)
def test_whole_deals_and_their_records(variant):
    rng = np.random.default_rng(1)
    for players in player_counts(variant)[:2]:
        table = table_of(variant, players, seat=players - 1)
        play_on(table, rng)
        again = replay(table.record())
        assert again.scores() == table.game.scores()
        assert table.events[-1].ended == tuple(table.game.scores())


def test_undo_goes_back_to_the_same_table_and_no_further_than_the_turn():
    rng = np.random.default_rng(2)
    undone = 0
    table = table_of("swazi", 3)
    while not table.game.over:
        if table.waiting:
            table.advance()
            assert not table.can_undo
            continue
        before, data, events = table.game, seen(table), list(table.events)
        choice = table.moves()
        table.play(list(choice[int(rng.integers(len(choice)))].actions))
        if table.can_undo:
            undone += 1
            if undone % 2:
                table.undo()
                assert table.game == before
                assert table.events == events
                assert seen(table) == data | {"version": table.version}
    assert undone > 10
    with pytest.raises(TableError, match="nothing to take back"):
        table.undo()


@pytest.mark.parametrize("variant", ["swazi", "cassino", "khasino"])
def test_a_saved_table_goes_on_in_mid_turn(variant):
    rng = np.random.default_rng(3)
    table = table_of(variant, 2)
    for _ in range(25):
        play_on(table, rng, 1)
        twin = Table.from_json(json.loads(json.dumps(table.to_json())))
        assert twin.game == table.game
        assert twin.events == table.events
        assert seen(twin) == seen(table)
        if table.can_undo:
            copy = Table.from_json(table.to_json())
            copy.undo()
            assert len(copy.events) == len(table.events) - 1


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([], "at least one"),
        (["discard XX"], "not a card"),
        (["fly"], "not an action"),
        (["end"], "illegal"),
        (["discard {own}", "end", "discard {other}"], "not your turn"),
    ],
)
def test_illegal_moves_leave_the_table_as_it_was(actions, said):
    table = table_of("south-african", 2)
    while table.waiting:
        table.advance()
    own = next(move.cards[0] for move in table.moves() if move.do == "discard")
    other = seen(table)["scene"]["seats"][0]["hand"][-1]
    before = table.to_json()
    with pytest.raises(ValueError, match=said):
        table.play([text.format(own=own, other=other) for text in actions])
    assert table.to_json() == before


def test_the_person_cannot_play_for_an_agent():
    table = table_of("south-african", 2)
    while not table.waiting:
        table.play(list(table.moves()[0].actions))
    with pytest.raises(TableError, match="not your turn"):
        table.play([action_text(table.game.legal()[0])])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"seats": ("you", "you")}, "exactly one"),
        ({"seats": ("counter", "counter")}, "exactly one"),
        ({"seats": ("you",)}, "1 given for 2 players"),
        ({"variant": "swaz"}, "did you mean"),
        ({"seed": -1}, "whole number"),
        ({"seats": ("you", "nobody")}, "unknown agent"),
        ({"position": {"variant": "swazi"}}, "players"),
        ({"rules": {"steel": "no"}}, "unknown rule"),
    ],
)
def test_setups_that_cannot_be_are_refused(more, said):
    with pytest.raises(ValueError, match=said):
        Table(Setup(**({"variant": "swazi", "players": 2, "seats": ("you", "greedy")} | more)))


def test_a_table_from_a_position():
    start = Game("khasino", 2, seed=4)
    table = table_of("khasino", 2, position=start.to_json())
    play_on(table, np.random.default_rng(4))
    assert replay(table.record()).scores() == table.game.scores()
