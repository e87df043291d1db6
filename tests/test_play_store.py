"""Games on disk: restarts, idle ones, full disks, names and files that are not what they should be."""

import os
import time

import numpy as np
import pytest

from casino_env.agents.files import DamagedFileError
from casino_env.play.saved import SavedTable
from casino_env.play.seen import seen
from casino_env.play.store import DROPPED, FullError, Store, UnknownGameError
from casino_env.play.table import Setup, Table
from casino_env.record import replay
from tests.full_disks import full_disk
from tests.tables import PLAYERS, play_on

HEAD = {"format": "casino-table 2"}


def begun(store: Store, variant: str = "mini") -> SavedTable:
    return SavedTable(store, Setup(variant, 2, ("you", "greedy"), seed=3), PLAYERS)


def reread(store: Store, name: str) -> Table:
    return Table.from_rows(*store.read(name))


def test_games_survive_a_restart(tmp_path):
    saved = begun(Store(tmp_path), "swazi")
    saved.change(lambda table: play_on(table, np.random.default_rng(1), 5))
    path = tmp_path / f"{saved.name}.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"actions": ["disc')  # the machine stopped in the middle of a line
    saved.close()
    again = Store(tmp_path)
    assert seen(reread(again, saved.name)) == seen(saved.table)
    with again.go_on(saved.name) as journal:
        assert path.read_bytes() == whole
        journal.append({"actions": None})
    assert len(again.read(saved.name)[1]) == saved.table.version + 1


@pytest.mark.parametrize("room", [0, 40, 150])
def test_a_begin_on_a_full_disk_leaves_nothing(tmp_path, room):
    store = Store(tmp_path, most=1)
    with full_disk(room), pytest.raises(OSError):
        store.begin(store.new_name(), HEAD | {"long": "x" * 200})
    assert list(tmp_path.iterdir()) == []
    store.begin(store.new_name(), HEAD)


def test_after_a_full_disk_nothing_is_lost(tmp_path):
    """What could not be written is written with what comes next, whole, and the record of the end as well."""
    saved, rng = begun(Store(tmp_path)), np.random.default_rng(2)
    path = tmp_path / f"{saved.name}.jsonl"
    while not saved.table.game.over:
        size = path.stat().st_size
        with full_disk(size + 30), pytest.raises(OSError):
            saved.change(lambda table: play_on(table, rng, 1))
        assert path.stat().st_size == size
        if not saved.table.game.over:
            saved.change(lambda table: play_on(table, rng, 1))
            assert reread(Store(tmp_path), saved.name).game == saved.table.game
    saved.change(lambda _: None)
    assert reread(Store(tmp_path), saved.name).game.over
    assert replay((tmp_path / f"{saved.name}.record").read_text()).over


def test_idle_games_are_put_aside_and_records_stay(tmp_path):
    store = Store(tmp_path, idle=0.0)
    over, other = begun(store), begun(store)
    over.change(lambda table: play_on(table, np.random.default_rng(8)))
    time.sleep(0.05)
    assert store.drop_idle(frozenset([other.name])) == [over.name]
    assert store.drop_idle() == [other.name]
    with pytest.raises(UnknownGameError):
        store.read(over.name)
    assert replay((tmp_path / f"{over.name}.record").read_text()).over
    assert (tmp_path / DROPPED / f"{over.name}.jsonl").exists()
    assert Store(tmp_path, idle=1000.0).drop_idle() == []


def test_a_clock_that_jumps_drops_nothing(tmp_path, monkeypatch):
    store = Store(tmp_path, idle=1000.0)
    names = [begun(store).name for _ in range(3)]
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 10**7)
    assert store.drop_idle() == []
    os.utime(tmp_path / f"{names[0]}.jsonl", (now - 10**7, now - 10**7))  # used while the clock was wrong
    store.touch(names[0])
    assert store.drop_idle() == []
    assert all(store.read(name) for name in names)


def test_a_store_is_full_at_some_time(tmp_path):
    store = Store(tmp_path, most=1)
    begun(store)
    with pytest.raises(FullError, match="1 games"):
        begun(store)


@pytest.mark.parametrize("name", ["../secret", "x", "", "a" * 16 + "/..", "........" * 2])
def test_strange_names_reach_no_file(tmp_path, name):
    (tmp_path / "secret.jsonl").write_text("{}")
    with pytest.raises(UnknownGameError):
        Store(tmp_path / "games").read(name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}\n", "not written by this program, or by an older version"),
        ('{"format": "casino-table 1", "rules_version": 0}\n', "not written by this program, or by an older version"),
        ("\x00\n", "not written by this program"),
        ('{"a": 1, "checksum": "00"}\n', "damaged: its checksum does not fit; without this line"),
    ],
)
def test_damaged_files_are_told_and_left_alone(tmp_path, text, said):
    path = tmp_path / f"{'a' * 16}.jsonl"
    path.write_text(text)
    with pytest.raises(DamagedFileError, match=f"the saved game {path.name}, line 1: {said}"):
        Store(tmp_path).read("a" * 16)
    assert path.read_text() == text


@pytest.mark.parametrize("text", ["", "{"])
def test_a_game_that_was_never_acknowledged_is_unknown(tmp_path, text):
    (tmp_path / f"{'a' * 16}.jsonl").write_text(text)
    with pytest.raises(UnknownGameError):
        Store(tmp_path).read("a" * 16)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("os:system:command=true", "code of its own"),
        ("tests.tables:table_of", "code of its own"),
        ("nobody", "unknown"),
    ],
)
def test_saved_games_name_agents_of_the_project(spec, said):
    table = Table(Setup("swazi", 2, ("you", spec)))
    with pytest.raises(ValueError, match=said):
        PLAYERS.check(table.opponents, table.rules)


def test_a_policy_sits_down_to_its_own_game_only():
    table = Table(Setup("swazi", 2, ("you", "policy:south-african-2")))
    with pytest.raises(ValueError, match="policy:south-african-2 does not play swazi with 2 players"):
        PLAYERS.check(table.opponents, table.rules)
