"""python -m benchmarks killed: a tournament on a Ray cluster of two nodes, one of which is killed in the middle.

The same tournament is played in processes of this machine before; both have to write the same bytes, or this fails.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cluster import two_nodes

_PLAIN = "policy:south-african-2,turns=1,exact=0"  # cheap: it looks at its own turn alone
AGENTS = ("random", "greedy", "builder", "counter", _PLAIN, f"{_PLAIN},temperature=1")
_LOOK = 0.05  # seconds between two looks at how much has been played
_PLAYED = "pairs/*.jsonl"  # below the folder of a tournament: a file for each pair, a line for each deal


@dataclass(frozen=True)
class Played:
    """What a tournament came to."""

    files: dict[str, bytes]  # the table, and the deals of each pair
    table: str
    seconds: float


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks killed", description=__doc__)
    parser.add_argument("agents", nargs="*", metavar="AGENT", default=AGENTS, help=", ".join(AGENTS))
    parser.add_argument("--deals", type=int, default=2000, help="of each pair (2000)")
    args = parser.parse_args(arguments)
    words = [*args.agents, "--deals", str(args.deals), "--seed", "5"]
    every = args.deals * len(args.agents) * (len(args.agents) - 1) // 2
    with tempfile.TemporaryDirectory() as folder:
        here = on_this_machine(words, Path(folder) / "here")
        print(f"in processes of this machine: {every:,} deals in {here.seconds:.0f} s", flush=True)
        far, at = with_a_node_killed(words, Path(folder) / "far", every // 2)
    print(f"on two nodes, one killed after {at:,} deals: {every:,} deals in {far.seconds:.0f} s")
    same = far.files == here.files
    print(f"{len(far.files)} files, {'the same bytes in both' if same else 'NOT the same'}: {digest(far.files)}\n")
    print(far.table)
    return 0 if same else 1


def on_this_machine(words: list[str], folder: Path) -> Played:
    began = time.perf_counter()
    return _finished(_begun([*words, "--threads", "2"], folder), folder, began)


def with_a_node_killed(words: list[str], folder: Path, after: int) -> tuple[Played, int]:
    """One of two nodes, as soon as so many deals have been played; how many there were then."""
    with two_nodes() as cluster:
        began = time.perf_counter()
        process = _begun([*words, "--ray", cluster.address], folder)
        while (at := sum(path.read_bytes().count(b"\n") - 1 for path in folder.glob(_PLAYED))) < after:
            if process.poll() is not None:
                raise RuntimeError(f"over before {after} deals were seen: {process.communicate()[1]}")
            time.sleep(_LOOK)
        cluster.remove_node(cluster.players[0], allow_graceful=False)
        if process.poll() is not None:
            raise RuntimeError("the tournament was over before the node was killed: it needs more deals")
        return _finished(process, folder, began), at


def _begun(words: list[str], folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "evaluate", "tournament", *words, "--out", str(folder)]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _finished(process: Any, folder: Path, began: float) -> Played:
    out, err = process.communicate()
    if process.returncode:
        raise RuntimeError(f"the tournament failed: {err}")
    seconds = time.perf_counter() - began
    paths = [folder / "standings.json", *sorted(folder.glob(_PLAYED))]
    return Played({path.name: path.read_bytes() for path in paths}, out, seconds)


def digest(files: dict[str, bytes]) -> str:
    """Of all of them, by name."""
    return hashlib.sha256(b"".join(name.encode() + files[name] for name in sorted(files))).hexdigest()[:16]
