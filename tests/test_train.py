"""Runs of training: they learn, resume bit for bit, survive a kill, refuse what does not fit; the command."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.kills import kills
from tests.resuming import goes_on_bit_for_bit
from train.__main__ import main
from train.algorithms.ppo import Ppo
from train.checkpoint import CheckpointError, checkpoints
from train.config import make_config
from train.run import Run

SMALL = {
    "network": {"hidden": [16, 12]},
    "ppo": {"games": 8, "horizon": 16, "minibatch": 32},
    "opponents": {"bots": {"greedy": 0.25}, "frozen": 0.25, "pool": 2, "every": 200},
    "run": {"decisions": 128 * 8, "deals": 10, "panel": ["random"]},
}


def small(**sections):
    data = {section: SMALL.get(section, {}) | sections.get(section, {}) for section in SMALL | sections}
    return make_config(data)


@pytest.mark.parametrize("overlap", [True, False])
def test_a_resumed_run_is_the_same_run_bit_for_bit(tmp_path, overlap):
    whole, half = (
        Run.start(small(run={"name": name}, machine={"overlap": overlap}), tmp_path) for name in ("whole", "half")
    )
    goes_on_bit_for_bit(whole, half, iterations=5)


def test_learning_changes_the_weights_and_the_policy_follows():
    algorithm = Ppo(small())
    before = algorithm.learner.weights.flat.copy()
    algorithm.learn(0.0)
    assert not np.array_equal(before, algorithm.learner.weights.flat)
    assert 0 < np.abs(algorithm.learner.average - before).max() < np.abs(algorithm.learner.weights.flat - before).max()


def test_a_gradient_that_is_not_a_number_stops_the_run_and_keeps_the_weights():
    algorithm = Ppo(small())
    algorithm.learn(0.0)
    algorithm.learner.weights.parts["value.bias"][:] = np.nan
    before = {name: array.copy() for name, array in algorithm.learner.state().items()}
    steps = algorithm.learner.steps
    with pytest.raises(RuntimeError, match="not a number"):
        algorithm.learn(0.0)
    assert algorithm.learner.steps == steps
    for name, array in algorithm.learner.state().items():
        assert np.array_equal(array, before[name], equal_nan=True), name
        assert np.isnan(array).sum() <= 1, name  # the one that was put there


def test_checkpoints_that_do_not_fit_are_refused(tmp_path):
    run = Run.start(small(run={"name": "r"}), tmp_path)
    run.algorithm.learn(0.0)
    run.save()
    with pytest.raises(CheckpointError, match="holds a run already"):
        Run.start(small(run={"name": "r"}), tmp_path)
    folder = checkpoints(tmp_path / "r")[-1]
    head = json.loads((folder / "state.json").read_text())
    for change, said in (
        ({"rules_version": 0}, "rules_version is 0"),
        ({"format": "casino-checkpoint 2"}, "start a new run"),
    ):
        (folder / "state.json").write_text(json.dumps(head | change))
        with pytest.raises(CheckpointError, match=said):
            Run.resume(tmp_path / "r")
    (folder / "state.json").write_text(json.dumps(head))
    (folder / "state.safetensors").write_bytes(b"\x80\x04N.")
    with pytest.raises(CheckpointError, match="broken"):
        Run.resume(tmp_path / "r")
    with pytest.raises(CheckpointError, match="no checkpoint there"):
        Run.resume(tmp_path / "nowhere")


def test_an_unfinished_checkpoint_is_not_one(tmp_path):
    run = Run.start(small(run={"name": "r"}), tmp_path)
    run.algorithm.learn(0.0)
    run.save()
    (tmp_path / "r/checkpoints/000000999999.unfinished").mkdir()
    assert Run.resume(tmp_path / "r").algorithm.decisions == 128


def test_the_command_trains_and_says_what_came_of_it(tmp_path, capsys):
    path = tmp_path / "small.toml"
    path.write_text(
        "[network]\nhidden = [16]\n[ppo]\ngames = 8\nhorizon = 16\nminibatch = 64\n[run]\ndecisions = 500\n"
    )
    assert main([str(path), "--runs", str(tmp_path), "--set", "run.deals=10", "--deals", "20", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["decisions"] == 512
    assert [row["b"] for row in data["matches"]] == ["random", "greedy", "counter"]
    folder = Path(data["run"])
    assert {"config.json", "policy.json", "policy.safetensors", "progress.jsonl", "tensorboard"} <= {
        each.name for each in folder.iterdir()
    }
    assert "layer0.weight" in load_file(folder / "policy.safetensors")
    about = json.loads((folder / "policy.json").read_text())
    assert about["config"]["ppo"]["games"] == 8
    assert main([str(path), "--runs", str(tmp_path), "--deals", "10"]) == 0
    assert f"The run lies in {folder}-2" in capsys.readouterr().out
    assert main([str(path), "--runs", str(tmp_path), "--set", f"run.name={folder.name}"]) == 1
    assert "holds a run already" in capsys.readouterr().err
    assert main(["--resume", str(folder), "--deals", "10"]) == 0
    assert "The run lies in" in capsys.readouterr().out


def test_the_command_refuses_in_one_line(tmp_path, capsys):
    assert main([str(tmp_path / "none.toml")]) == 2
    assert main(["--set", "ppo.learning_rate=0"]) == 2
    assert main(["--resume", str(tmp_path)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_a_file_that_is_called_like_a_command_is_trained(tmp_path, capsys, monkeypatch):
    (tmp_path / "sweep").write_text("[ppo]\nclipp = 1\n")
    monkeypatch.chdir(tmp_path)
    assert main(["./sweep"]) == 2
    assert "ppo.clipp: there is no such setting" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_survives_kill_9():
    seen = kills(2, seed=1)
    assert seen == sorted(set(seen))
