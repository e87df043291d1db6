"""What a person at the table may know: nothing hidden leaves it, and replays show all."""

import json

import numpy as np
import pytest

from casino_env.game import Game
from casino_env.play.replay import replay_data, time_line
from casino_env.play.seen import scene_data, seen, seen_before
from casino_env.play.table import Table
from tests.hidden import twin_of
from tests.tables import copy_of, play_on, table_of


def twin_table(table: Table, rng: np.random.Generator) -> Table:
    """The same table with the hidden cards in other places."""
    twin = copy_of(table)
    twin.game = twin_of(table.game, table.person, rng, skip_forced=False)
    return twin


@pytest.mark.parametrize(("variant", "players"), [("swazi", 3), ("khasino", 4), ("cassino", 2), ("swazi-crazy", 2)])
def test_hidden_cards_change_nothing_that_is_sent(variant, players):
    rng = np.random.default_rng(5)
    changed = 0
    table = table_of(variant, players, "random")
    while not table.game.over:
        play_on(table, rng, 3)
        twin = twin_table(table, rng)
        if table.game.over:
            break
        changed += table.game != twin.game
        assert json.dumps(seen(table)) == json.dumps(seen(twin))
        assert table.position() == twin.position()
    assert changed > 5


@pytest.mark.parametrize("more", [{"pile_order": "ask"}, {"insist_capture": "ask", "insist_augment": "ask"}])
def test_nobody_sees_how_another_sorts_a_pile(more):
    """With the switches that no preset turns on: captured cards stay unordered for the others."""
    rng = np.random.default_rng(6)
    table = table_of("swazi", 3, "random", rules=more)
    while not table.game.over:
        play_on(table, rng, 1)
        if not table.game.over:
            assert json.dumps(seen(table)) == json.dumps(seen(twin_table(table, rng)))


@pytest.mark.parametrize(("variant", "players"), [("swazi", 3), ("cassino", 2), ("african", 4)])
def test_looking_back_shows_what_was_shown_then(variant, players):
    """Also where moves have been taken back, and in the earlier deals of a match: not a word more."""
    rng = np.random.default_rng(8)
    table = table_of(variant, players, "random", match=variant == "cassino")
    shown: dict[int, str] = {}
    for _ in range(150):
        shown[len(table.events)] = json.dumps(seen(table)["scene"])
        if table.game.over:
            break
        if table.can_undo and rng.random() < 0.4:
            table.undo()
        else:
            play_on(table, rng, 1)
    taken_back = table.changes.count(None)
    assert taken_back > 3
    for step in range(len(table.events)):
        assert json.dumps(seen_before(table, step)["scene"]) == shown[step]
    assert seen_before(table, 10_000)["scene"] == seen(table)["scene"]


@pytest.mark.parametrize(("variant", "face_up"), [("swazi", True), ("khasino", True), ("cassino", False)])
def test_piles_that_lie_face_up_are_shown_whole(variant, face_up):
    rng = np.random.default_rng(9)
    table, unsure = table_of(variant, 2), 0
    while not table.game.over:
        for seat in seen(table)["scene"]["seats"]:
            assert len(seat["cards"]) == (seat["pile"] if face_up else 0)
            assert seat["cards"][:1] == ([] if seat["top"] is None else [seat["top"]])
            unsure += len(seat["unsure"])
        play_on(table, rng, 1)
    assert (unsure > 0) == (variant == "swazi")  # piles of others are sorted in secret there


def test_open_hands_are_for_replays():
    game = Game("swazi", 2, seed=1)
    assert not scene_data(game, 0)["seats"][1]["hand"]
    assert scene_data(game, None)["seats"][1]["hand"]


def test_a_replay_shows_every_step():
    table = table_of("khasino", 2)
    play_on(table, np.random.default_rng(7))
    line = time_line(table.record(), table.setup.seats)
    told = [step.text for step in line.steps if step.text != "end the turn"]
    assert told == [event.text for event in table.events if event.text]
    assert line.end.scores() == table.game.scores()
    first, last = replay_data(line, 0, None), replay_data(line, 10_000, None)
    assert first["scene"]["seats"][1]["hand"]
    assert last["result"]["scores"] == table.game.scores()
    assert replay_data(line, 3, 1)["scene"]["seats"][0]["hidden"] > 0
