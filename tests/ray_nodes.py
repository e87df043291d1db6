"""A Ray cluster of two nodes on this machine, and a tournament during which one of them is killed."""

import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# Without what a cluster of its own would watch itself with: three nodes share this machine.
_BARE = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
_EQUAL = {"worker_niceness": 0}  # Ray's workers give way to all others; those that they are held against do not
_LOOK = 0.05  # seconds between two looks at how much has been played
_PLAYED = "pairs/*.jsonl"  # below the folder of a tournament: a file for each pair, a line for each deal


@contextmanager
def two_nodes():
    """A head that keeps the books and plays nothing, and two players with a core each; its attribute players has the
    nodes."""
    from ray.cluster_utils import Cluster

    local = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "_system_config": _EQUAL, **_BARE})
    try:
        local.players = [local.add_node(num_cpus=1, **_BARE) for _ in range(2)]
        yield local
    finally:
        local.shutdown()


@dataclass(frozen=True)
class Played:
    """What a tournament came to."""

    files: dict[str, bytes]  # the table, and the deals of each pair
    table: str


def on_this_machine(words, folder):
    return _finished(_begun([*words, "--threads", "2"], folder), folder)


def with_a_node_killed(words, folder, after):
    """One of two nodes, as soon as so many deals have been played; how many there were then."""
    with two_nodes() as cluster:
        process = _begun([*words, "--ray", cluster.address], folder)
        while (at := sum(path.read_bytes().count(b"\n") - 1 for path in folder.glob(_PLAYED))) < after:
            if process.poll() is not None:
                raise RuntimeError(f"over before {after} deals were seen: {process.communicate()[1]}")
            time.sleep(_LOOK)
        cluster.remove_node(cluster.players[0], allow_graceful=False)
        if process.poll() is not None:
            raise RuntimeError("the tournament was over before the node was killed: it needs more deals")
        return _finished(process, folder), at


def _begun(words: list[str], folder: Path):
    command = [sys.executable, "-m", "evaluate", "tournament", *words, "--out", str(folder)]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _finished(process, folder: Path) -> Played:
    out, err = process.communicate()
    if process.returncode:
        raise RuntimeError(f"the tournament failed: {err}")
    paths = [folder / "standings.json", *sorted(folder.glob(_PLAYED))]
    return Played({path.name: path.read_bytes() for path in paths}, out)
