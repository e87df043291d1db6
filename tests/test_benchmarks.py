"""Benchmarks: commands by name, the time of each part of each learner, and peers that are not installed."""

import json

import numpy as np
import pytest

from benchmarks import peers, speedrun
from benchmarks.__main__ import COMMANDS
from benchmarks.__main__ import main as benchmarks
from benchmarks.thoughts import list_all, record_decisions, see_all
from benchmarks.training import ARITHMETIC, LEARNERS, PARTS
from casino_env.engine import entrypoints
from casino_env.engine.action_set import actions_of
from casino_env.engine.state import GAME
from casino_env.train.algorithms import make_algorithm
from casino_env.train.config import make_config
from docs.tables import filled

FEW = {"selfplay": {"games": 4, "horizon": 4, "minibatch": 8}, "afterstates": {"deals": 4, "minibatch": 8}}


def test_positions_are_those_in_which_somebody_decides():
    learner = make_algorithm(make_config({**FEW, "network": {"hidden": [8, 8]}, "machine": {"overlap": False}}))
    learner.learn(0.0)
    games = learner.games()
    turns, rules = int(games.buffer.used.sum()), games.deals.rules
    player = games.player(learner.learner.weights.flat, 0.5)
    mix, positions = learner.opponents.mix(games.rules), np.zeros(500, GAME)
    count = record_decisions(games.deals, games.seats, mix, player, games.works[0], games.buffer, positions)
    assert turns <= count < 500
    assert all(len(actions_of(entrypoints.legal(positions[k : k + 1], rules))) > 1 for k in range(count))
    views = positions[:count].copy()
    see_all(positions[:count], rules, player, views)
    assert list_all(views, rules, games.works[0].judged) > count


@pytest.mark.slow
def test_every_part_of_every_learner_has_its_time(capsys):
    sizes = [f"{section}.{name}={value}" for section, settings in FEW.items() for name, value in settings.items()]
    words = [word for size in sizes for word in ("--set", size)]
    assert benchmarks(["training", "--seconds", "0.05", "--json", *words]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["learner"].split()[0] for row in rows] == [name for name, _ in LEARNERS]
    for row in rows:
        assert set(PARTS) < set(row)
        assert row["kernels"] == pytest.approx(sum(row[part] for part in ARITHMETIC))
        assert all(row[part] > 0.0 for part in (*ARITHMETIC, "features", "loop", "matrices"))
        assert (row["turns"] > 0.0) == row["learner"].startswith("afterstates")
    assert benchmarks(["training", "--seconds", "0.05", *words]) == 0
    assert capsys.readouterr().out.count("\n") == 1 + 1 + len(PARTS) + 3 + 3


@pytest.mark.slow
def test_the_speed_run_board_has_a_row_a_release(capsys, monkeypatch, tmp_path):
    old, board = "| 0.0.9 (abc) | 99 | 99 | 1 | +3.01 | 1 | 0.1 | x |", tmp_path / "board.md"
    rows = [*speedrun._HEAD, old, old.replace("0.0.9", "0.1.0")]
    board.write_text(filled(speedrun.PAGE.read_text(), "speedrun", rows))
    monkeypatch.setattr(speedrun, "PAGE", board)
    monkeypatch.setattr(speedrun, "GOAL", -30.0)
    words = ["speedrun", "--turns", "2000", "3000", "--seeds", "2", "--deals", "4"]
    assert benchmarks([*words, "--write", "--set", "afterstates.epochs=1"]) == 0
    assert "`configs/speedrun.toml, afterstates.epochs=1` |" in capsys.readouterr().out
    kept = [line for line in board.read_text().splitlines() if line.startswith("| 0.")]
    assert kept[0] == old and len(kept) == 2 and "| 2,000 |" in kept[1]
    monkeypatch.setattr(speedrun, "GOAL", 30.0)
    assert benchmarks([*words, "--json"]) == 1  # not reached
    row = json.loads(capsys.readouterr().out)
    assert row["turns"] == 3000 and len(row["runs"]) == 2 and row["seconds"] > 0


def test_a_wrong_setting_is_one_line(capsys):
    assert benchmarks(["training", "--set", "network.width=5"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_benchmarks_are_found_by_name(capsys):
    assert benchmarks(["luck", "--deals", "1"]) == 1
    assert "--deals 1: must be 2 or more" in capsys.readouterr().err
    assert benchmarks([]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:]] == list(COMMANDS)
    assert benchmarks(["lucky"]) == 2
    assert "did you mean 'luck'" in capsys.readouterr().err


def test_ladder(capsys):
    words = ["ladder", "--variant", "khasino", "--deals", "60"]
    assert benchmarks([*words, "--players", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["game"] == "khasino 4, partners"
    assert [row["a"] for row in found["steps"]] == ["greedy", "builder", "counter", "partner"]
    assert all(row["diff"] > 0 for row in found["steps"])
    assert benchmarks(words) == 0
    said = capsys.readouterr().out.splitlines()
    assert (
        len(said) == 3 and said[0].startswith("| game | greedy over random |") and said[2].startswith("| khasino 2 |")
    )


def test_a_peer_that_is_not_there_is_a_row_with_the_reason():
    def missing(_name):
        raise ModuleNotFoundError("No module named 'nothing'\nand more")

    ours = [
        peers.Row("casino-env", "south-african 2", "", lambda _: lambda _: 1000.0, name, "-", threads)
        for name, threads in (("vector_1", "1"), ("vector_all", "all"), ("aec", "1"))
    ]
    theirs = peers.Row("Other", "whist", "env", lambda _: lambda _: 40.0, "whist", "-")
    rows = [*ours, theirs, peers.Row("Another", "snap", "env", missing, "snap", "-")]
    peers.measure(rows, 0.01)
    lines = peers.table(rows)
    assert lines[-2] == "| Other - | whist | env | 1 | 40 | 25 | 25 |"
    assert (
        lines[-1] == "| Another - | snap | env | 1 | not measured: ModuleNotFoundError: No module named 'nothing' | | |"
    )


def test_only_the_section_between_the_markers_changes():
    page = "before\n\n<!-- peers:begin -->\n\nold\n\n<!-- peers:end -->\nafter\n"
    new = filled(page, "peers", ["new"])
    assert new == page.replace("old", "new") and filled(new, "peers", ["new"]) == new


def test_the_page_without_markers_is_refused():
    with pytest.raises(ValueError, match="peers:begin"):
        filled("nothing here", "peers", ["new"])
