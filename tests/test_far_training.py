"""Trainings as tasks of a cluster, tested without the cluster: a run's folder is sent as bytes."""

import sys

import pytest

from casino_env.agents.files import write_file
from casino_env.train.checkpoint import checkpoints
from casino_env.train.cli import main
from casino_env.train.commands import ray_trainings
from casino_env.train.commands.ray_trainings import read_run, write_run
from casino_env.train.run import Run
from tests.trainings import small


@pytest.fixture
def config():
    run = {"algorithm": "afterstates", "name": "tiny", "decisions": 1500, "deals": 4, "evaluate_minutes": 1e-6}
    return small(game={"variant": "mini"}, network={"hidden": [8]}, opponents={"bots": {}}, run=run)


def test_what_was_begun_here_goes_on_there(config, tmp_path):
    """A run resumed from the bytes of its folder ends bit for bit as an undisturbed one."""
    begun = Run.start(config, tmp_path / "begun")
    begun.algorithm.learn(begun.progress())
    begun.save()
    begun.close()
    files = ray_trainings._train(config.model_dump(mode="json"), read_run(begun.folder))
    write_run(files, tmp_path / "far" / "tiny")
    far, here = (Run.finished(config, tmp_path / place) for place in ("far", "here"))
    for name in ("policy.safetensors", f"checkpoints/{checkpoints(here.folder)[-1].name}/state.safetensors"):
        assert (far.folder / name).read_bytes() == (here.folder / name).read_bytes()


def test_a_folder_comes_back_as_it_was(config, tmp_path):
    run = Run.finished(config, tmp_path / "here")
    files = read_run(run.folder)
    assert {"config.json", "policy.safetensors", "policy.json", "progress.jsonl"} <= set(files)
    assert not any(name.startswith(".") for name in files)
    old = tmp_path / "there" / "checkpoints" / "000000000001"
    old.mkdir(parents=True)
    write_run(files, tmp_path / "there")
    assert read_run(tmp_path / "there") == files
    assert not old.exists()
    assert not ray_trainings._missing(config, tmp_path / "here")


def test_a_folder_that_was_cut_off_on_its_way_is_no_run(config, tmp_path, monkeypatch):
    """Writing the folder again after the failure makes it complete."""
    files = read_run(Run.finished(config, tmp_path / "here").folder)
    for left in range(len(files)):
        room = iter(range(left))

        def full(path, data, room=room):
            if next(room, None) is None:
                raise OSError(28, "no space left")
            write_file(path, data)

        for module in ("checkpoint", "commands.ray_trainings"):
            monkeypatch.setattr(f"casino_env.train.{module}.write_file", full)
        with pytest.raises(OSError, match="no space"):
            write_run(files, tmp_path / "there" / "tiny")
        there = checkpoints(tmp_path / "there" / "tiny")
        assert all(len(list(path.iterdir())) == 2 for path in there)
    monkeypatch.undo()
    write_run(files, tmp_path / "there" / "tiny")
    assert read_run(tmp_path / "there" / "tiny") == files


def test_what_lies_there_is_taken_up_or_refused(config, tmp_path):
    """bring() trains missing runs; none is missing here, so that it contacts no cluster."""
    assert ray_trainings._missing(config, tmp_path)
    Run.finished(config, tmp_path)
    ray_trainings.bring([config], tmp_path, "nowhere")
    other = config.changed(run={"seed": 7})
    assert not ray_trainings._missing(other, tmp_path)
    with pytest.raises(ValueError, match="trained with other settings"):
        Run.finished(other, tmp_path)


def test_ray_is_asked_for_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    tried = tmp_path / "tried.toml"
    tried.write_text("[changes]\nother = { 'run.seed' = 1 }\n")
    assert main(["ablate", str(tried), "--runs", str(tmp_path), "--ray", "auto"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("train: --ray needs Ray: pip install") and "cluster" in error and error.count("\n") == 1
