"""Runs of training: they learn, survive a kill, refuse what does not fit; the command."""

import json
import random
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save

from casino_env.agents.files import checksum, read_journal, seal, unseal
from casino_env.evaluate.matches.pairing import AgentFailedError
from casino_env.train.algorithms import make_algorithm
from casino_env.train.algorithms.algorithm import TrainingError
from casino_env.train.checkpoint import CheckpointError, checkpoints
from casino_env.train.cli import main
from casino_env.train.config import ConfigError
from casino_env.train.run import Run
from tests.kills import KINDS, rows
from tests.refusals import refused
from tests.rogues import PressesCtrlC
from tests.trainings import small


def test_learning_changes_the_weights_and_the_policy_follows():
    algorithm = make_algorithm(small())
    before = algorithm.learner.weights.flat.copy()
    algorithm.learn(0.0)
    assert not np.array_equal(before, algorithm.learner.weights.flat)
    assert 0 < np.abs(algorithm.learner.average - before).max() < np.abs(algorithm.learner.weights.flat - before).max()


def test_a_run_that_needs_more_memory_than_there_is():
    big = {"games": 4096, "horizon": 1_000_000}
    with refused("this run needs about", ConfigError):
        make_algorithm(small(run={"algorithm": "ppo"}, selfplay=big))


def test_a_gradient_that_is_not_a_number_stops_the_run_and_keeps_the_weights():
    algorithm = make_algorithm(small())
    algorithm.learn(0.0)
    algorithm.learner.weights.parts["value.bias"][:] = np.nan
    before = {name: array.copy() for name, array in algorithm.learner.state().items()}
    steps = algorithm.learner.steps
    with pytest.raises(RuntimeError, match="not a number"):
        algorithm.learn(0.0)
    assert algorithm.learner.steps == steps
    for name, array in algorithm.learner.state().items():
        assert np.array_equal(array, before[name], equal_nan=True), name
        assert np.isnan(array).sum() <= 1, name  # the NaN that was put there


@pytest.fixture
def kept(tmp_path):
    """Return the folder of a run with two checkpoints."""
    run = Run.start(small(run={"name": "r"}), tmp_path)
    for _ in range(2):
        run.algorithm.learn(0.0)
        run.save()
    run.close()
    return run.folder


def changed(folder, change):
    """Change counters of the last checkpoint, and seal it again."""
    path = checkpoints(folder)[-1] / "state.json"
    path.write_text(seal(unseal(path.read_text(), "") | change))


def put_arrays(folder, arrays):
    """Replace the arrays of the last checkpoint."""
    data = save(arrays)
    (checkpoints(folder)[-1] / "state.safetensors").write_bytes(data)
    changed(folder, {"arrays": checksum(data)})


def test_checkpoints_that_do_not_fit_are_refused(kept):
    with pytest.raises(CheckpointError, match="already holds a run"):
        Run.start(small(run={"name": "r"}), kept.parent)
    with pytest.raises(CheckpointError, match="no checkpoint found"):
        Run.resume(kept.parent / "nowhere")
    assert not (kept.parent / "nowhere").exists()


def test_a_flipped_bit_anywhere_in_a_run_is_refused_with_the_way_back(kept):
    draw, last = random.Random(1), checkpoints(kept)[-1]
    files = [last / "state.json", last / "state.safetensors", kept / "config.json"]
    for path in files:
        good = path.read_bytes()
        for _ in range(30):
            at, bit = draw.randrange(len(good)), draw.randrange(8)
            path.write_bytes(good[:at] + bytes([good[at] ^ 1 << bit]) + good[at + 1 :])
            with refused(f"{path.name}: .*; (delete|begin)", CheckpointError):
                Run.resume(kept)
        path.write_bytes(good)
    assert Run.resume(kept).algorithm.decisions == 256


def test_the_way_back_leads_on(kept):
    (kept / "config.json").write_text("{}")
    with pytest.raises(CheckpointError, match=r"config\.json: .*; delete it, and --resume takes the settings"):
        Run.resume(kept)
    (kept / "config.json").unlink()
    last = checkpoints(kept)[-1]
    (last / "state.safetensors").write_bytes(b"\x80\x04N.")
    with pytest.raises(CheckpointError, match=f"damaged.*; delete {last}, and --resume continues from 000000000128"):
        Run.resume(kept)
    shutil.rmtree(last)
    run = Run.resume(kept)
    assert run.algorithm.decisions == 128
    run.train(quiet=True)
    assert run.progress() == 1.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"iteration": -1}, "iteration = -1; it must be greater than or equal to 0"),
        ({"decisions": "128"}, "decisions = '128'"),
        ({"ahead": 1.5}, "ahead = 1.5"),
        ({"steps": None}, "steps = None"),
        ({"seconds": "1"}, "seconds = '1'"),
        ({"random": 5}, "random = 5"),
        ({"random": {}}, "random: not the state of a generator"),
        ({"random": {"bit_generator": "PCG64", "state": 5}}, "random: not the state of a generator"),
    ],
)
def test_counters_that_cannot_be_are_refused(kept, change, said):
    changed(kept, change)
    with pytest.raises(ValueError, match=said):
        Run.resume(kept)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("games0.buffer.chosen", lambda a: a.__setitem__(3, 10**9), "chosen: not among the legal actions"),
        ("games0.buffer.chosen", lambda a: a.__setitem__(3, -1), "chosen: not among the legal actions"),
        ("games0.buffer.counts", lambda a: a.__setitem__(3, 10**6), "counts: from .* to 1000000"),
        ("games0.buffer.indices", lambda a: a.__setitem__((3, 0), -5), "indices: from -5"),
        ("games0.buffer.indices", lambda a: a.__setitem__((3, 0), 30000), "indices: from .* to 30000"),
        ("games0.buffer.side", lambda a: a.__setitem__(3, 2), "side: from 0 to 2"),
        ("games0.buffer.legal", lambda a: a.__setitem__((3, 3), 2**60), "legal: from"),
        ("games0.buffer.values", lambda a: a.__setitem__((3, 1), np.nan), "values: has NaN or infinite values"),
        ("games0.buffer.done", lambda a: a.view(np.uint8).__setitem__(3, 7), "done: must be true or false"),
        ("games0.control", lambda a: a.__setitem__((0, 0), 99), "control: from 0 to 99"),
        ("games0.actor", lambda a: a.__setitem__(0, 5), "game 0: "),
        ("games0.legal", lambda a: a.__setitem__(0, 0), "game 0: its legal actions or actor are wrong"),
        ("games0.records", lambda a: a.__setitem__(slice(0, 60), 255), "game 0: "),
        ("games0.episodes", lambda a: a.__setitem__(0, -1), "episodes: from -1"),
        ("learner.theta", lambda a: a.__setitem__(0, np.inf), "theta: has NaN or infinite values"),
        ("games0.deviation", lambda a: a.__setitem__(0, np.nan), "deviation: has NaN"),
        ("games0.begun", lambda a: a.__setitem__(0, -1), "begun: from -1"),
    ],
)
def test_arrays_that_cannot_be_reach_no_kernel(kept, name, change, said):
    arrays = {key: array.copy() for key, array in load_file(checkpoints(kept)[-1] / "state.safetensors").items()}
    change(arrays[name])
    put_arrays(kept, arrays)
    with pytest.raises(CheckpointError, match=said):
        Run.resume(kept)


@pytest.mark.parametrize("change", [{}, {"learner.theta": np.zeros(3, np.float32)}, {"learner.theta": None}])
def test_arrays_of_another_run_are_refused(kept, change):
    last = checkpoints(kept)[-1]
    arrays = load_file(last / "state.safetensors") | change if change else {"x": np.zeros(1)}
    put_arrays(kept, {key: array for key, array in arrays.items() if array is not None})
    with pytest.raises(CheckpointError, match=f"does not belong to this run: .*; delete {last}"):
        Run.resume(kept)


def test_a_run_has_one_writer(tmp_path, capsys):
    run = Run.start(small(run={"name": "r"}), tmp_path)
    before = (run.folder / "config.json").read_bytes()
    for arguments in (["--set", "run.name=r"], ["--set", "run.name=r", "--set", "run.seed=2"]):
        assert main([*arguments, "--runs", str(tmp_path)]) == 1
        assert capsys.readouterr().err == f"train: {run.folder}: another process is writing this run\n"
    run.algorithm.learn(0.0)
    run.save()
    assert main(["--resume", str(run.folder)]) == 1
    assert "another process is writing this run" in capsys.readouterr().err
    assert (run.folder / "config.json").read_bytes() == before
    other = Run.start(small(run={}), tmp_path), Run.start(small(run={}), tmp_path)
    assert other[0].folder != other[1].folder


def test_ctrl_c_waits_for_the_end_of_an_iteration(tmp_path):
    """Half an iteration cannot be resumed: the checkpoint is what an undisturbed run had at the same point."""
    whole = Run.start(small(run={"name": "whole"}), tmp_path)
    whole.train(quiet=True)
    run = Run.start(small(run={"name": "cut"}), tmp_path)
    learn, rounds = run.algorithm.learn, iter(range(100))

    def interrupted(progress):
        if next(rounds) == 3:
            signal.raise_signal(signal.SIGINT)
        return learn(progress)

    run.algorithm.learn = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt, match=f"what was learnt is kept: casino train --resume {run.folder}"):
        run.train(quiet=True)
    resumed = Run.resume(run.folder)
    assert resumed.algorithm.decisions == 4 * 128
    resumed.train(quiet=True)
    first, second = (one.folder / "policy.safetensors" for one in (whole, resumed))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("resumed", ["by the command", "by its name"])
def test_the_last_match_with_the_panel_is_played_after_ctrl_c(tmp_path, monkeypatch, resumed):
    def interrupted(run, share):
        if share == 1.0:
            raise KeyboardInterrupt
        return {}

    config = small(run={"name": "r"})
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Run, "strength", interrupted)
        Run.start(config, tmp_path).train(quiet=True)
    for _ in range(2):
        if resumed == "by the command":
            Run.resume(tmp_path / "r").train(quiet=True)
        else:
            Run.finished(config, tmp_path, quiet=True)
        rows = read_journal(tmp_path / "r" / "progress.jsonl")
        assert [row["decisions"] for row in rows if row.get("vs")] == [1024]
        assert rows[-1] == rows[-2] | {"vs": rows[-1]["vs"]}


def test_matches_at_the_end_hear_ctrl_c_within_a_decision(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("casino_env.train.cli._FINAL", ("tests.rogues:PressesCtrlC:2",))
    monkeypatch.setattr(PressesCtrlC, "asked", 0)
    words = ["--set", "run.algorithm=ppo", "--set", "run.decisions=1", "--set", "run.panel=[]", "--set", "run.name=r"]
    assert main([*words, "--runs", str(tmp_path)]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert (
        said == f"train: interrupted; what was learnt is kept: casino train --resume {tmp_path}/r plays these matches"
    )
    assert PressesCtrlC.asked <= 4  # asked by two threads; one piece of work asks it some twenty times


def test_nothing_is_said_to_be_kept_when_nothing_was(tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("casino_env.train.run.compile_for", interrupted)
    assert main(["--runs", str(tmp_path), "--set", "selfplay.games=8", "--set", "selfplay.minibatch=32"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "train: interrupted; nothing was learnt yet"


def test_a_match_on_the_way_that_fails_is_one_line_and_keeps_what_was_learnt(tmp_path, monkeypatch):
    def fails(*_, **__):
        raise AgentFailedError("counter", "it fell asleep")

    run = Run.start(small(run={"name": "r"}), tmp_path)
    monkeypatch.setattr("casino_env.train.run.match", fails)
    with pytest.raises(TrainingError, match="failed: counter: it fell asleep; what was learnt is kept"):
        run.train(quiet=True)
    assert Run.resume(run.folder).algorithm.decisions == 128  # the first evaluation follows the first iteration


def test_processor_time_ends_a_run_and_is_kept_with_it(tmp_path, monkeypatch):
    """A resumed run continues the count."""
    spent = iter(range(0, 10_000, 3))
    monkeypatch.setattr("casino_env.train.run._clocks", lambda: np.array([time.perf_counter(), float(next(spent))]))
    run = Run.start(small(run={"name": "r", "cpu_minutes": 0.5, "minutes": 60.0, "checkpoint_minutes": 1e-9}), tmp_path)
    run.train(quiet=True)
    assert 30 <= run.cpu_seconds < 36 and run.progress() == run.cpu_seconds / 30
    assert read_journal(run.folder / "progress.jsonl")[-1]["cpu_seconds"] == round(run.cpu_seconds, 1)
    assert Run.resume(run.folder).cpu_seconds == run.cpu_seconds


def test_minutes_are_minutes_of_learning(tmp_path, monkeypatch):
    """Matches during the training, slow ones here, count neither as minutes nor in the rate."""
    asked = []

    def slow(run, share=1.0):
        asked.append(share)
        time.sleep(1.0)
        return {}

    monkeypatch.setattr(Run, "strength", slow)
    run = Run.start(small(run={"name": "r", "minutes": 0.005, "evaluate_minutes": 0.001}), tmp_path)
    began = time.perf_counter()
    run.train(quiet=True)
    took = time.perf_counter() - began
    assert asked[-1] == 1.0 and len(asked) >= 2
    assert 0.3 <= run.seconds <= took - len(asked)
    kept = read_journal(run.folder / "progress.jsonl")
    assert kept[-1]["seconds"] == round(run.seconds, 1)
    assert kept[-1]["decisions_per_second"] == pytest.approx(run.algorithm.decisions / run.seconds, rel=0.2)


@pytest.mark.parametrize(
    ("panel", "said"),
    [("policy:swazi-2", "plays swazi with 2 players"), ("nobody", "unknown agent"), ("policy:nowhere", "no weights")],
)
def test_a_panel_that_cannot_play_is_refused_before_training(tmp_path, capsys, panel, said):
    assert main(["--runs", str(tmp_path), "--set", f"run.panel=['{panel}']"]) == 2
    line = capsys.readouterr().err
    assert line.startswith("train: run.panel: ") and said in line and line.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_files_name_only_agents_of_the_project(kept, tmp_path, capsys):
    trace, config = tmp_path / "trace", tmp_path / "c.toml"
    code = f"os:system:command=touch {trace}"
    for text in (f"[run]\npanel = ['{code}']", f"[run]\nalgorithm='best-response'\n[target]\nagent='{code}'"):
        config.write_text(text)
        assert main([str(config), "--runs", str(tmp_path)]) == 2
        assert "runs its own code: name it on the command line (or --trust)" in capsys.readouterr().err
    about = unseal((kept / "config.json").read_text(), "")
    about["config"]["run"]["panel"] = [code]
    (kept / "config.json").write_text(seal(about))
    assert main(["--resume", str(kept)]) == 1
    assert "runs its own code" in capsys.readouterr().err
    assert not trace.exists()


def test_the_command_trains_and_says_what_came_of_it(tmp_path, capsys):
    path = tmp_path / "small.toml"
    path.write_text(
        "[network]\nhidden = [16]\n[selfplay]\ngames = 8\nhorizon = 16\nminibatch = 64\n[run]\nalgorithm = 'ppo'\n"
        "decisions = 500\n"
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
    assert about["config"]["selfplay"]["games"] == 8
    assert main([str(path), "--runs", str(tmp_path), "--deals", "10"]) == 0
    assert f"The run is in {folder}-2" in capsys.readouterr().out
    assert main([str(path), "--runs", str(tmp_path), "--set", f"run.name={folder.name}"]) == 1
    assert "already holds a run" in capsys.readouterr().err
    assert main(["--resume", str(folder), "--deals", "10"]) == 0
    assert "The run is in" in capsys.readouterr().out


def test_the_command_refuses_in_one_line(tmp_path, capsys):
    assert main([str(tmp_path / "none.toml")]) == 2
    assert main(["--set", "selfplay.learning_rate=0"]) == 2
    assert main(["--resume", str(tmp_path)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_a_file_that_is_called_like_a_command_is_trained(tmp_path, capsys, monkeypatch):
    (tmp_path / "ablate").write_text("[ppo]\nclipp = 1\n")
    monkeypatch.chdir(tmp_path)
    assert main(["./ablate"]) == 2
    assert "ppo: unknown key 'clipp'" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_work_survives_kills_and_full_disks(kind):
    assert [row.times for row in rows([kind], kills=2, full=2, size=60, seed=1)] == [2, 2]


def test_levels_of_a_run_that_came_to_no_checkpoint_are_not_kept(tmp_path):
    """The named folder can then be used for a new run."""
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "low.json").write_text("{}")
    Run.start(small(run={"name": "r", "levels": {"low": 0.5}}), tmp_path).close()
    assert not (tmp_path / "r" / "low.json").exists()


def test_what_lies_among_checkpoints_and_is_somebodys_stays(kept, tmp_path):
    """Older checkpoints are removed, but no photographs, and nothing in another folder through a link."""
    photos = kept / "checkpoints"
    for year in ("2019", "000000000001", "000000000002"):
        (photos / year).mkdir()
        (photos / year / "beach.jpg").touch()
    (photos / "000000000001" / "state.json").touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "state.json").touch()
    (photos / "000000000003").symlink_to(tmp_path / "elsewhere")
    run = Run.resume(kept)
    run.algorithm.learn(0.0)
    run.save()
    assert len(list(photos.rglob("beach.jpg"))) == 3 and (tmp_path / "elsewhere" / "state.json").exists()
    assert not (photos / "000000000001" / "state.json").exists()
    assert {path.name for path in photos.iterdir() if (path / "state.safetensors").exists()} == {
        "000000000256", "000000000384"
    }  # fmt: skip
