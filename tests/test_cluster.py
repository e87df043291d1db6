"""Matches on a Ray cluster of two nodes on this machine: the same results, whatever is lost on the way."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="make test-cluster installs it")

from ray.cluster_utils import Cluster  # noqa: E402

pytestmark = pytest.mark.slow  # processes

ROOT = Path(__file__).parent.parent
BOTS = ("random", "greedy", "builder", "counter", "search:sims=2", "search:sims=4")


@pytest.fixture
def cluster():
    """A head that keeps the books and plays nothing, and two nodes with a core each."""
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    found.players = [found.add_node(num_cpus=1) for _ in range(2)]
    yield found
    found.shutdown()


def evaluate(*words, path=ROOT):
    """path: where own agents lie."""
    return subprocess.Popen(
        [sys.executable, "-m", "evaluate", *map(str, words)], cwd=ROOT, text=True,
        env=os.environ | {"PYTHONPATH": f"{path}:{ROOT}"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finished(process, code=0):
    out, err = process.communicate(timeout=500)
    assert process.returncode == code, err
    return out, err


def lines(folder):
    return {path.name: path.read_bytes() for path in (folder / "pairs").glob("*.jsonl")}


def test_a_tournament_with_a_node_killed_in_the_middle(cluster, tmp_path):
    """The same table and the same deals as on this machine alone."""
    words = ("tournament", *BOTS, "--deals", 24, "--variant", "south-african", "--seed", 5)
    finished(evaluate(*words, "--out", tmp_path / "here", "--threads", 2))
    far = evaluate(*words, "--out", tmp_path / "far", "--ray", cluster.address)
    while sum(text.count(b"\n") for text in lines(tmp_path / "far").values()) < 60 and far.poll() is None:
        time.sleep(0.1)
    assert far.poll() is None, far.communicate()
    cluster.remove_node(cluster.players[0], allow_graceful=False)
    finished(far)
    assert lines(tmp_path / "far") == lines(tmp_path / "here")
    assert (tmp_path / "far" / "standings.json").read_bytes() == (tmp_path / "here" / "standings.json").read_bytes()


def test_a_match_that_was_stopped_goes_on(cluster, tmp_path):
    words = ("match", "search:sims=16", "counter", "--deals", 40, "--seed", 3, "--ray", cluster.address, "--json")
    begun = evaluate(*words, "--out", tmp_path / "kept")
    while not (tmp_path / "kept").exists() or (tmp_path / "kept").read_bytes().count(b"\n") < 8:
        assert begun.poll() is None, begun.communicate()
        time.sleep(0.1)
    begun.kill()
    begun.communicate()
    there = json.loads(finished(evaluate(*words, "--out", tmp_path / "kept"))[0])
    here = json.loads(finished(evaluate(*(words[:-3]), "--json", "--threads", 1))[0])
    assert {**there, "seconds": 0, "digest": 0} == {**here, "seconds": 0, "digest": 0}


def test_an_agent_that_ends_its_process_is_named(cluster, tmp_path):
    (tmp_path / "rogue.py").write_text(
        "import os\n\nclass Rogue:\n    def reset(self, seat, rng):\n        pass\n\n"
        "    def act(self, observation):\n        os._exit(3)\n"
    )
    rogue = evaluate("match", "rogue:Rogue", "counter", "--deals", 4, "--ray", cluster.address, path=tmp_path)
    _, err = finished(rogue, code=1)
    assert "rogue:Rogue" in err and "died" in err and "Traceback" not in err


def test_a_cluster_that_is_not_there():
    _, err = finished(evaluate("match", "greedy", "random", "--deals", 2, "--ray", "127.0.0.1:1"), code=1)
    assert err.startswith("evaluate: --ray 127.0.0.1:1: ") and err.count("\n") == 1
