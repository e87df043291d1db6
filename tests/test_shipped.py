"""Policies that come with the project: how they are made, found and measured."""

import json

import numpy as np
import pytest

from agents import make_agent
from agents.policy import Weights, shipped
from evaluate.__main__ import main as evaluate
from train.__main__ import main as train
from train.commands import opponents
from train.run import Run

SMALL = """
[game]
variant = "khasino"
players = 3
[network]
hidden = [8]
[ppo]
games = 8
minibatch = 64
horizon = 8
[run]
decisions = 640
levels = { easy = 0.3, medium = 0.6 }
panel = []
deals = 2
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of configs, one of runs and one of shipped policies, made by the command."""
    folder = tmp_path_factory.mktemp("shipped")
    (folder / "configs").mkdir()
    (folder / "configs" / "khasino-3.toml").write_text(SMALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opponents, "CONFIGS", folder / "configs")
        patch.setattr(shipped, "FOLDER", folder / "policies")
        assert train(["opponents", "--runs", str(folder / "runs"), "--to", str(folder / "policies")]) == 0
        yield folder


def again(made):
    return train(["opponents", "khasino-3", "--runs", str(made / "runs"), "--to", str(made / "policies")])


def test_every_level_is_found_by_its_name(made):
    assert shipped.shipped() == ["khasino-3", "khasino-3-easy", "khasino-3-medium"]
    weights = [make_agent(f"policy:{name}").weights.theta for name in shipped.shipped()]
    assert not np.array_equal(weights[0], weights[1]) and not np.array_equal(weights[1], weights[2])


def test_a_shipped_policy_is_the_trained_one_in_half_precision(made):
    ours, theirs = Weights.load("khasino-3"), Weights.load(str(made / "runs" / "khasino-3"))
    assert np.array_equal(ours.theta, theirs.theta.astype(np.float16).astype(np.float32))
    assert not np.array_equal(ours.theta, theirs.theta)


def test_strength_lies_beside_the_weights_and_goes_on_where_it_was(made, capsys):
    words = ["strength", "khasino-3", "--deals", "8", "--runs", str(made / "strength"), "--threads", "1"]
    assert evaluate(words) == 0
    rows = {row["against"]: row for row in shipped.description("khasino-3")["strength"]}
    assert list(rows) == ["random", "greedy", "builder", "counter", "policy:khasino-3-medium"]
    assert evaluate([*words, "--against", "counter", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["khasino-3"][-1] == rows["counter"]
    assert again(made) == 0  # the same weights: what was measured of them stays
    assert len(shipped.description("khasino-3")["strength"]) == 5


def test_a_finished_training_is_not_repeated(made):
    before = (made / "runs" / "khasino-3" / "progress.jsonl").read_bytes()
    assert again(made) == 0
    assert (made / "runs" / "khasino-3" / "progress.jsonl").read_bytes() == before


def test_a_run_with_other_settings_is_not_taken_for_it(made, capsys):
    config = made / "configs" / "khasino-3.toml"
    config.write_text(SMALL.replace("640", "6400"))
    assert again(made) == 1
    assert "trained with other settings" in capsys.readouterr().err
    config.write_text(SMALL)


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_an_unknown_name_is_refused_with_the_nearest(made, capsys, command):
    code = train(["opponents", "kasino-3"]) if command == "train" else evaluate(["strength", "kasino-3"])
    assert code in (1, 2)
    assert "did you mean 'khasino-3'" in capsys.readouterr().err


def test_a_level_that_cannot_be_a_file_is_refused(tmp_path, capsys):
    assert train(["--set", "run.levels={ policy = 0.5 }", "--runs", str(tmp_path)]) == 2
    assert "cannot be the name of a file" in capsys.readouterr().err
    assert train(["--set", "run.levels={ easy = 1.5 }", "--runs", str(tmp_path)]) == 2
    assert "a share is between 0 and 1" in capsys.readouterr().err


def test_levels_are_the_same_after_a_kill(made, tmp_path):
    run = Run.start(Run.resume(made / "runs" / "khasino-3").config, tmp_path)
    for _ in range(4):
        run.algorithm.learn(run.progress())
        run._keep_levels()
    assert (run.folder / "easy.json").exists() and not (run.folder / "medium.json").exists()
    run.save()
    run.close()
    Run.resume(run.folder).train(quiet=True)
    for file in ("easy", "medium", "policy"):
        ours = (run.folder / f"{file}.safetensors").read_bytes()
        assert ours == (made / "runs" / "khasino-3" / f"{file}.safetensors").read_bytes()


def test_a_strength_without_interval_is_refused(made, capsys):
    before = shipped.description("khasino-3-easy")
    assert evaluate(["strength", "khasino-3-easy", "--deals", "1", "--runs", str(made / "strength")]) == 1
    assert "--deals 1: must be 2 or more" in capsys.readouterr().err
    assert shipped.description("khasino-3-easy") == before


def test_profile_lies_beside_the_weights(made, capsys):
    assert evaluate(["profile", "khasino-3", "--deals", "4"]) == 0
    assert "builds of" in capsys.readouterr().out
    found = shipped.description("khasino-3")["profile"]
    assert found["style"]["against"] == "counter" and found["counter"]["agent"] == "counter"
    assert "regret" not in found  # the solver judges two players
    assert evaluate(["profile", "khasino"]) == 1
    assert "unknown policy 'khasino'" in capsys.readouterr().err
