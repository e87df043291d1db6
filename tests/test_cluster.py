"""Matches and trainings on a local Ray cluster of two nodes give the same results, even if a node is lost."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="tests/interop.sh cluster installs it")

from ray.cluster_utils import Cluster

from casino_env.evaluate.matches.tournament import FILE
from casino_env.train.checkpoint import checkpoints
from tests.kept_deals import count_of, rows_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # processes; a minute each on a quiet machine

ROOT = Path(__file__).parent.parent
# Without Ray's monitoring, because three nodes share this machine.
_BARE = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
_EQUAL = {"worker_niceness": 0}  # by default Ray's workers have low priority; the local processes do not
SEARCH = "search:sims=2"  # one deal a task; bots play hundreds in a task


@pytest.fixture
def cluster():
    """Start a head that plays nothing and two nodes with one core each, in the attribute `players`."""
    local = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "_system_config": _EQUAL, **_BARE})
    try:
        local.players = [local.add_node(num_cpus=1, **_BARE) for _ in range(2)]
        yield local
    finally:
        local.shutdown()


def begun(part, *words, path=ROOT):
    """Start a command. path: working folder, from which own agents are imported."""
    return subprocess.Popen(
        [sys.executable, "-m", part, *map(str, words)], cwd=path, text=True,
        env=os.environ | {"PYTHONPATH": f"{path}:{ROOT}"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finished(process, code=0):
    out, err = process.communicate()
    assert process.returncode == code, err
    return out, err


def wait_until(process, seen):
    """Wait until `seen` is true; fail if the process ends first."""
    while not seen():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def deals_of(folder):
    """Return how many deals of a tournament have been played."""
    return count_of(folder / FILE)


def test_a_tournament_with_a_node_killed_in_the_middle(cluster, tmp_path):
    """The table and the deals equal those of a tournament without Ray."""
    words = ["tournament", "random", "counter", SEARCH, "search:sims=4", "--deals", "40", "--seed", "5", "--out"]
    here, far = tmp_path / "here", tmp_path / "far"
    table, _ = finished(begun("evaluate", *words, here, "--threads", "2"))
    process = begun("evaluate", *words, far, "--ray", cluster.address)
    wait_until(process, lambda: deals_of(far) >= 80)
    cluster.remove_node(cluster.players[0], allow_graceful=False)
    assert process.poll() is None and deals_of(far) < 240
    assert finished(process)[0] == table
    assert rows_of(here / FILE) == rows_of(far / FILE) and deals_of(far) == 240
    assert (here / "standings.json").read_bytes() == (far / "standings.json").read_bytes()


def test_an_agent_that_ends_its_process_is_named(cluster, tmp_path):
    (tmp_path / "rogue.py").write_text(
        "import os\n\nclass Rogue:\n    def reset(self, seat, rng):\n        pass\n\n"
        "    def act(self, observation):\n        os._exit(3)\n"
    )
    words = ("match", "rogue:Rogue", "counter", "--deals", 4, "--ray", cluster.address)
    _, err = finished(begun("evaluate", *words, path=tmp_path), code=1)
    assert "rogue:Rogue" in err and "died" in err and "Traceback" not in err


@pytest.mark.parametrize(
    "words", [("evaluate", "match", "greedy", "random", "--deals", 2), ("train", "ablate", "configs/ablations.toml")]
)
def test_a_cluster_that_is_not_there(words, tmp_path):
    runs = ("--runs", tmp_path) if words[0] == "train" else ()
    _, err = finished(begun(*words, *runs, "--ray", "127.0.0.1:1"), code=1)
    assert err.startswith(f"{words[0]}: --ray 127.0.0.1:1: ") and err.count("\n") == 1


# --- trainings --------------------------------------------------------------------------------------------------------

TINY = """[settings.network]
hidden = [8]
[settings.afterstates]
deals = 8
minibatch = 32
"""
CHANGES = f"""
seeds = 2
decisions = 3000
deals = 4
reference = "random"
[changes]
"slower" = {{ "afterstates.learning_rate" = 1e-3 }}
[settings.run]
panel = ["random"]
deals = 4
{TINY}"""
RUNS = {f"{row}-seed{seed}" for row in ("default", "slower") for seed in (0, 1)}


def study(command, tmp_path, runs, *words):
    return begun("train", command, tmp_path / "tried.toml", "--runs", tmp_path / runs, "--json", *words)


def trained(folder):
    """Return the weights of the runs that have checkpoints, by name."""
    return {run.name: (run / "policy.safetensors").read_bytes() for run in folder.glob("*") if checkpoints(run)}


def test_an_ablation_that_loses_a_node_and_is_stopped_goes_on(cluster, tmp_path):
    """Finished runs are not trained again, and all weights equal those trained without Ray, bit for bit."""
    (tmp_path / "tried.toml").write_text(CHANGES)
    folder = tmp_path / "far" / "tried"
    process = study("ablate", tmp_path, "far", "--ray", cluster.address)
    wait_until(process, lambda: trained(folder))
    cluster.remove_node(cluster.players[0], allow_graceful=False)
    wait_until(process, lambda: len(trained(folder)) > 1)
    process.kill()
    process.communicate()
    kept = trained(folder)
    assert len(kept) < len(RUNS)
    far, said = finished(study("ablate", tmp_path, "far", "--ray", cluster.address))
    assert f"{len(RUNS) - len(kept)} trainings on the cluster" in said
    here, _ = finished(study("ablate", tmp_path, "here"))
    assert json.loads(far)["rows"] == json.loads(here)["rows"]
    assert set(trained(folder)) == RUNS
    assert trained(folder) == trained(tmp_path / "here" / "tried")
