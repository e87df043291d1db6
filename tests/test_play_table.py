"""The table between a person and agents: whole deals, undo, saving, what it refuses."""

import json

import numpy as np
import pytest

from casino_env.actions import action_text
from casino_env.game import Game
from casino_env.play.counting import result
from casino_env.play.seen import scene_data, seen
from casino_env.play.table import Setup, Table, TableError
from casino_env.presets import PRESETS
from casino_env.record import replay
from casino_env.rules import player_counts
from tests.hidden import twin_of
from tests.refusals import refused
from tests.tables import PLAYERS, copy_of, play_on, table_of


@pytest.mark.parametrize("variant", PRESETS)
def test_whole_deals_and_their_records(variant):
    rng = np.random.default_rng(1)
    for players in player_counts(variant)[:2]:
        table = table_of(variant, players, seat=players - 1)
        play_on(table, rng)
        again = replay(table.record())
        assert again.scores() == table.game.scores()
        ended = dict(table.events[-1].ended or {})
        left = ended.pop("left")
        assert ended == {k: v for k, v in result(table.game).items() if k != "winners"}
        assert left is None or left["cards"]


@pytest.mark.parametrize(("players", "games"), [(2, 3), (3, 1), (4, 5)])
def test_a_house_rule_makes_it_a_match_of_games(players, games):
    """Best of so many: the table counts games won, and its record makes the same match again."""
    rng = np.random.default_rng(2)
    seats = ("you", *["random"] * (players - 1))
    table = Table(Setup("kasa", players, seats, 4, rules={"match_games": games}))
    play_on(table, rng)
    score = seen(table)["match_score"]
    assert seen(table)["match"] and max(score) == games // 2 + 1
    ends = [event for event in table.events if event.ended]
    assert len(ends) >= max(score) and result(table.game)["winners"] == [
        seat for seat in range(players) if score[seat] == max(score)
    ]
    assert replay(table.record()).winner == table.game.winner


def test_undo_goes_back_to_the_same_table_and_no_further_than_the_turn():
    rng = np.random.default_rng(2)
    undone = 0
    table = table_of("swazi", 3)
    while not table.game.over:
        if table.waiting:
            table.advance(PLAYERS)
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
    assert undone > 5
    with pytest.raises(TableError, match="nothing to take back"):
        table.undo()


@pytest.mark.parametrize("variant", ["swazi", "cassino", "khasino"])
def test_a_saved_table_goes_on_in_mid_turn(variant):
    rng = np.random.default_rng(3)
    table = table_of(variant, 2)
    for _ in range(25):
        play_on(table, rng, 1)
        twin = Table.from_rows(json.loads(json.dumps(table.head())), json.loads(json.dumps(table.rows())))
        assert twin.game == table.game
        assert twin.events == table.events
        assert seen(twin) == seen(table)
        if table.can_undo:
            copy = copy_of(table)
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
        table.advance(PLAYERS)
    own = next(move.cards[0] for move in table.moves() if move.do == "discard")
    other = seen(table)["scene"]["seats"][0]["hand"][-1]
    before = table.rows()
    with pytest.raises(ValueError, match=said):
        table.play([text.format(own=own, other=other) for text in actions])
    assert table.rows() == before


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


def tops_of(table: Table) -> list[str | None]:
    return [seat["top"] for seat in seen(table)["scene"]["seats"]]


def shown_after(table: Table, actions: list[int], rng: np.random.Generator) -> set[str]:
    """What the person might see after these actions, as far as it knows before: the hidden cards lie in many ways."""
    shown = set()
    for _ in range(12):
        twin = twin_of(table.game, table.person, rng, skip_forced=False)
        for action in actions:
            twin.apply(action)
        shown.add(json.dumps(scene_data(twin, table.person)))
    return shown


def steals(variant: str, rng: np.random.Generator) -> tuple[int, int]:
    """Moves that took the top of a pile: after how many of them the person may go back, and after how many not."""
    back = news = 0
    table = table_of(variant, 2, "counter", seed=int(rng.integers(1000)))
    while not table.game.over:
        if table.waiting:
            table.advance(PLAYERS)
            continue
        tops, choice = tops_of(table), table.moves()
        likely = [move for move in choice if set(move.cards) & set(tops)] or choice
        before, began = copy_of(table), len(table.game.log)
        table.play(list(likely[int(rng.integers(len(likely)))].actions))
        if table.mine and any(old and new and old != new for old, new in zip(tops, tops_of(table), strict=True)):
            several = len(shown_after(before, [action for _, action, _ in table.game.log[began:]], rng)) > 1
            assert not (several and table.can_undo)
            back, news = back + table.can_undo, news + several
    return back, news


@pytest.mark.parametrize(("variant", "secret"), [("swazi", True), ("african", True), ("khasino", False)])
def test_undo_is_no_way_to_look_under_a_pile(variant, secret):
    """Where piles are sorted in secret, the card under a stolen top may be news; where they lie open, it is none."""
    rng = np.random.default_rng(9)
    counts = [steals(variant, rng) for _ in range(8)]
    back, news = sum(one for one, _ in counts), sum(two for _, two in counts)
    assert back > 3
    assert (news > 3) == secret, (back, news)


def test_agents_do_not_depend_on_how_long_they_sit_there():
    """A game goes on after a restart as it would have without one."""
    tables = [table_of("swazi", 3, "random", seed=5) for _ in range(2)]
    rngs = [np.random.default_rng(3) for _ in tables]
    while not tables[0].game.over:
        for table, rng in zip(tables, rngs, strict=True):
            play_on(table, rng, 1)
        tables[1] = copy_of(tables[1])
    assert tables[0].game == tables[1].game


def test_a_table_is_not_changed_for_ever(monkeypatch):
    monkeypatch.setattr("casino_env.play.table._MOST_CHANGES", 3)
    table = table_of("mini", 2)
    with pytest.raises(TableError, match="changed 3 times"):
        play_on(table, np.random.default_rng(1))


def test_a_saved_game_that_is_refused_is_told_in_one_line():
    table = table_of("mini")
    for key, value in (("format", "\n"), ("rules_version", "\n"), ("rules_version", 10**5000), ("setup", "\n")):
        with refused(r"^[^\n]+$", most=200):
            Table.from_rows(table.head() | {key: value}, [])
