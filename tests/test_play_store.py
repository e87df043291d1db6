"""Games on disk: restarts, idle ones, many at once, names and files that are not what they should be."""

import threading

import numpy as np
import pytest

from casino_env.record import replay
from play.seen import seen
from play.store import FullError, Store, UnknownGameError
from play.table import Setup, TableError
from tests.tables import play_on


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
    with pytest.raises(UnknownGameError):
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
    with pytest.raises(UnknownGameError):
        Store(tmp_path / "games").get(name)


@pytest.mark.parametrize("text", ["", "{", "{}\n", "17\n", '{"format": "casino-table 1", "rules_version": 0}\n'])
def test_damaged_files_are_told_and_left_alone(tmp_path, text):
    path = tmp_path / f"{'a' * 16}.jsonl"
    path.write_text(text)
    with pytest.raises(TableError, match="cannot be read"):
        Store(tmp_path).get("a" * 16)
    assert path.read_text() == text
