"""The table between a person and agents: moves, undo, saving, and that nothing hidden leaves it."""

import json
import subprocess
import sys
import threading

import numpy as np
import pytest

from casino_env.engine.state import GAME
from casino_env.game import Game
from casino_env.record import replay
from casino_env.rules import PRESETS, make_rules, player_counts
from play.moves import at_rest, moves
from play.replay import replay_data, time_line
from play.rules_text import rules_text
from play.seen import scene_data, seen
from play.store import FullError, NoSuchGameError, Store
from play.table import Setup, Table, TableError
from play.terminal.picking import candidates, lit, tokens
from tests.hidden import swap_hidden
from tests.random_play import every_game, label, random_moments


def play_on(table: Table, rng: np.random.Generator, steps: int = 10_000) -> None:
    """Random moves of the person, the agents' in between."""
    for _ in range(steps):
        if table.game.over:
            return
        if table.waiting:
            table.advance()
        else:
            choice = table.moves()
            table.play(list(choice[int(rng.integers(len(choice)))].actions))


def table_of(variant: str, players: int = 2, agent: str = "greedy", seat: int = 0, **more: object) -> Table:
    seats = [agent] * players
    seats[seat] = "you"
    return Table(Setup(variant, players, tuple(seats), **{"seed": 7} | more))  # type: ignore[arg-type]


# --- moves -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_moves_are_all_there_is_and_end_at_rest(rules):
    for game in random_moments(rules, 12):
        if game.over:
            continue
        here = Game.from_bytes(game.to_bytes(), rules, skip_forced=False)
        found = moves(here)
        assert {move.actions[0] for move in found} == set(map(text_of, here.legal()))
        for move in found[:20]:
            ahead = here.clone()
            for action in move.actions:
                ahead.apply(action)
            assert at_rest(ahead) or len(move.actions) == 1
            assert move.text


def text_of(action: int) -> str:
    from casino_env.actions import action_text

    return action_text(action)


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


# --- the table ---------------------------------------------------------------------------------------------------


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
        table.play([text_of(table.game.legal()[0])])


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


# --- what the person may know ------------------------------------------------------------------------------------


def twin_of(table: Table, rng: np.random.Generator) -> Table:
    """The same table with the hidden cards in other places."""
    twin = Table.from_json(table.to_json())
    records = np.frombuffer(table.game.to_bytes(), GAME).copy()
    swapped = swap_hidden(records, table.rules, table.person, rng).tobytes()
    twin.game = Game.from_bytes(swapped, table.rules, skip_forced=False)
    return twin


@pytest.mark.parametrize(("variant", "players"), [("swazi", 3), ("khasino", 4), ("cassino", 2), ("swazi-crazy", 2)])
def test_hidden_cards_change_nothing_that_is_sent(variant, players):
    rng = np.random.default_rng(5)
    changed = 0
    table = table_of(variant, players, "random")
    while not table.game.over:
        play_on(table, rng, 3)
        twin = twin_of(table, rng)
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
            assert json.dumps(seen(table)) == json.dumps(seen(twin_of(table, rng)))


def test_open_hands_are_for_replays():
    game = Game("swazi", 2, seed=1)
    assert not scene_data(game, 0)["seats"][1]["hand"]
    assert scene_data(game, None)["seats"][1]["hand"]


# --- replays, rules ----------------------------------------------------------------------------------------------


def test_a_replay_shows_every_step():
    table = table_of("khasino", 2)
    play_on(table, np.random.default_rng(7))
    line = time_line(table.record())
    told = "; ".join(step.text for step in line.steps if step.text != "end")
    assert told == "; ".join(event.text for event in table.events if event.text != "end")
    assert line.end.scores() == table.game.scores()
    first, last = replay_data(line, 0, None), replay_data(line, 10_000, None)
    assert first["scene"]["seats"][1]["hand"]
    assert last["result"]["scores"] == table.game.scores()
    assert replay_data(line, 3, 1)["scene"]["seats"][0]["hidden"] > 0


def test_rules_in_words_for_every_game():
    for name in PRESETS:
        for players in player_counts(name):
            sections = dict(rules_text(make_rules(name, players)))
            assert {"Cards", "Taking", "Points"} <= set(sections)
    assert rules_text(make_rules("swazi", 2)) != rules_text(make_rules("sotho", 2))


def test_a_switch_changes_the_words():
    insisting = rules_text(make_rules("swazi", 2))
    assert rules_text(make_rules("swazi", 2, insist_capture="never")) != insisting


# --- the store ---------------------------------------------------------------------------------------------------


def test_games_survive_a_restart(tmp_path):
    store = Store(tmp_path)
    name, _ = store.begin(Setup("swazi", 2, ("you", "greedy"), seed=3))
    with store.change(name) as table:
        while table.waiting:
            table.advance()
    with store.change(name) as table:
        table.play(list(table.moves()[0].actions))
    again = Store(tmp_path).get(name)
    assert seen(again) == seen(table)
    assert again is not table
    path = tmp_path / f"{name}.jsonl"
    whole = path.read_text()
    path.write_text(whole + '["discard')  # the machine stopped in the middle of a line
    other = Store(tmp_path)
    assert seen(other.get(name)) == seen(table)
    assert path.read_text() == whole
    with other.change(name) as table:
        table.undo()
    assert Store(tmp_path).get(name).changes == [*again.changes, None]


def test_idle_games_are_dropped_and_records_stay(tmp_path):
    store = Store(tmp_path, idle=0.0)
    over, _ = store.begin(Setup("mini", 2, ("you", "greedy"), seed=3))
    with store.change(over) as table:
        play_on(table, np.random.default_rng(8))
    name, _ = store.begin(Setup("mini", 2, ("you", "greedy"), seed=3))
    assert sorted(store.drop_idle()) == sorted([name, over])
    with pytest.raises(NoSuchGameError):
        store.get(name)
    assert replay((tmp_path / f"{over}.record").read_text()).over
    assert Store(tmp_path, idle=1000.0).drop_idle() == []


def test_many_games_with_room_for_few_in_memory(tmp_path, monkeypatch):
    """Games leave memory and come back while several threads play and look at them; nothing is lost or done twice."""
    monkeypatch.setattr("play.store._IN_MEMORY", 2)
    store = Store(tmp_path)
    games = [store.begin(Setup("mini", 2, ("you", "greedy"), seed=seed))[0] for seed in range(6)]
    wrong = []

    def visit(seed: int) -> None:
        rng = np.random.default_rng(seed)
        try:
            for _ in range(60):
                name = games[int(rng.integers(len(games)))]
                seen(store.get(name))
                with store.change(name) as table:
                    play_on(table, rng, 1)
        except Exception as error:  # noqa: BLE001  a thread's error would be lost
            wrong.append(error)

    threads = [threading.Thread(target=visit, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert all(Store(tmp_path).get(name).game == store.get(name).game for name in games)
    assert all(store.get(name).game.over for name in games)


def test_a_store_is_full_at_some_time(tmp_path):
    store = Store(tmp_path, most=1)
    store.begin(Setup("mini"))
    with pytest.raises(FullError, match="1 games"):
        store.begin(Setup("mini"))


@pytest.mark.parametrize("name", ["../secret", "x", "", "a" * 16 + "/..", "........" * 2])
def test_strange_names_reach_no_file(tmp_path, name):
    (tmp_path / "secret.jsonl").write_text("{}")
    with pytest.raises(NoSuchGameError):
        Store(tmp_path / "games").get(name)


@pytest.mark.parametrize("text", ["", "{", "{}\n", "17\n", '{"format": "casino-table 1", "rules_version": 0}\n'])
def test_damaged_files_are_told_and_left_alone(tmp_path, text):
    path = tmp_path / f"{'a' * 16}.jsonl"
    path.write_text(text)
    with pytest.raises(TableError, match="cannot be read"):
        Store(tmp_path).get("a" * 16)
    assert path.read_text() == text


# --- the command -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--variant", "swaz"], 1, "did you mean"),
        (["--variant", "swazi", "--opponents", "nobody"], 2, "unknown agent"),
        (["--variant", "swazi", "--seat", "5"], 1, "seats are 0 to 1"),
        (["--variant", "swazi", "--opponents", "greedy", "greedy"], 1, "1 other seats"),
        (["--web", "--port", "99999"], 1, "port"),
        (["--nonsense"], 2, "unrecognized"),
    ],
)
def test_wrong_calls_are_one_line(arguments, code, said, tmp_path, capsys):
    from play.__main__ import main

    done: object
    try:
        done = main([*arguments, "--games", str(tmp_path)])
    except SystemExit as stop:
        done = stop.code
    error = capsys.readouterr().err
    assert done == code
    assert said in error
    assert "Traceback" not in error


def test_help_needs_nothing_heavy():
    script = "import sys, play.__main__; print(*[n for n in ('torch', 'textual', 'starlette') if n in sys.modules])"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.split() == []
