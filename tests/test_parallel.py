"""Two processes that train together: the same as one with twice the games, and resumed bit for bit; their memory."""

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from casino_env.train import process_group
from casino_env.train.checkpoint import CheckpointError, checkpoints
from casino_env.train.config import load_config
from casino_env.train.process_group import ProcessGroup, SharedArrays, reserve_memory
from casino_env.train.run import Run

ROOT = Path(__file__).parent.parent
# One minibatch an iteration: what is averaged over two processes is then the gradient of all their rows.
SETTINGS = """
[network]
hidden = [16]
[selfplay]
games = 8
horizon = 16
minibatch = 128
[opponents]
bots = { greedy = 0.25 }
[run]
algorithm = "ppo"
decisions = 1024
panel = ["random"]
deals = 4
"""


def _launch(folder):
    """Two processes train by the config of the folder, and go on bit for bit."""
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "tests.two_processes"]
    done = subprocess.run(
        [sys.executable, *launch, str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=500, check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"process {k} of 2 went on bit for bit" for k in range(2)]


@pytest.mark.slow
def test_two_processes_learn_what_one_does_with_twice_the_games(tmp_path):
    (tmp_path / "small.toml").write_text(SETTINGS)
    one = Run.start(
        load_config(str(tmp_path / "small.toml"), ["selfplay.games=16", "selfplay.minibatch=256"]), tmp_path
    )
    one.train(quiet=True)
    _launch(tmp_path)
    last = checkpoints(tmp_path / "whole")[-1]
    state, parts = one.algorithm.state()[0], [load_file(last / f"{name}.safetensors") for name in ("state", "state-1")]
    for name in [name for name in state if name.startswith("learner.")]:
        assert np.array_equal(parts[0][name], parts[1][name]), name
        assert parts[0][name] == pytest.approx(state[name], abs=1e-5), name
    games = np.concatenate([part["games0.records"] for part in parts])
    assert np.array_equal(games, state["games0.records"])
    with pytest.raises(CheckpointError, match="trained by 2 processes, not 1"):
        Run.resume(tmp_path / "whole")


@pytest.mark.slow
def test_two_processes_judge_tables_alike(tmp_path):
    """Their deals have turns in different numbers; they take as many steps all the same, and count all turns."""
    settings = "[network]\nhidden = [16]\n[afterstates]\ndeals = 32\nminibatch = 128\n[run]\ndecisions = 6000\n"
    (tmp_path / "small.toml").write_text(settings + 'panel = ["random"]\ndeals = 4\n')
    _launch(tmp_path)
    last = checkpoints(tmp_path / "whole")[-1]
    parts = [load_file(last / f"{name}.safetensors") for name in ("state", "state-1")]
    assert all(np.array_equal(parts[0][name], parts[1][name]) for name in parts[0] if name.startswith("learner."))
    used = [part["games0.buffer.used"].sum() for part in parts]
    assert used[0] != used[1]  # of so many deals hardly by chance


ROUNDS, LENGTH = 40, 1000

needs_memory = pytest.mark.skipif(not process_group._MEMORY.is_dir(), reason="only Linux has such files")


@needs_memory
@pytest.mark.parametrize("size", [2, 3, 5])
def test_all_get_the_mean_of_every_round(size):
    path = reserve_memory(size, LENGTH)
    memories = [SharedArrays(path, rank, size, LENGTH) for rank in range(size)]
    os.unlink(path)
    given = np.random.default_rng(size).normal(size=(size, ROUNDS, LENGTH)).astype(np.float32)

    def work(rank):
        return [_averaged(memories[rank], given[rank, turn].copy()) for turn in range(ROUNDS)]

    with ThreadPoolExecutor(size) as pool:
        found = np.array(list(pool.map(work, range(size))))
    assert (found == found[0]).all()
    assert found[0] == pytest.approx(given.mean(axis=0), abs=1e-6)


def _averaged(memory, array):
    memory.average(array)
    return array


@needs_memory
def test_who_waits_for_nobody_says_so(monkeypatch):
    monkeypatch.setattr(process_group, "_PATIENCE", 0.01)
    path = reserve_memory(2, LENGTH)
    memory = SharedArrays(path, 0, 2, LENGTH)
    os.unlink(path)
    with pytest.raises(TimeoutError, match="not been heard of"):
        memory.average(np.zeros(LENGTH, np.float32))


def test_nothing_is_left_where_there_is_no_room(monkeypatch, tmp_path):
    def full(*_):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(process_group, "_MEMORY", tmp_path)
    monkeypatch.setattr(os, "posix_fallocate", full)
    assert reserve_memory(2, LENGTH) == ""
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(process_group, "_MEMORY", tmp_path / "nowhere")
    assert reserve_memory(2, LENGTH) == ""


def test_who_is_alone_shares_nothing():
    array = np.ones(3, np.float32)
    ProcessGroup().average(array)
    assert array.tolist() == [1.0, 1.0, 1.0]
