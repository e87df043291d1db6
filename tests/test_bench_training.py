"""The benchmark of training: positions of games as a learner plays them, and every part of every learner's time."""

import json

import numpy as np
import pytest

from benchmarks.__main__ import main as benchmarks
from benchmarks.parts import ARITHMETIC, PARTS
from benchmarks.thoughts import list_all, record_decisions, see_all
from benchmarks.training import LEARNERS
from casino_env.engine import entrypoints
from casino_env.engine.action_set import actions_of
from casino_env.engine.state import GAME
from casino_env.train.algorithms import make_algorithm
from casino_env.train.config import make_config

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


def test_a_wrong_setting_is_one_line(capsys):
    assert benchmarks(["training", "--set", "network.width=5"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
