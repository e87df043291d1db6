"""Two processes that train together: the same as one with twice the games, and resumed bit for bit."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from casino_env.train.checkpoint import CheckpointError, checkpoints
from casino_env.train.config import load_config
from casino_env.train.run import Run

pytestmark = pytest.mark.slow  # processes

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
earlier_selves = 0.25
every = 512
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
