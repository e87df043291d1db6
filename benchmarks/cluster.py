"""python -m benchmarks cluster: what a task of a Ray cluster costs, beside the same work in this process.

Without --ray a cluster of two nodes is begun on this machine: a node is a process here, so nothing is gained by it, and
what is lost is the price of handing work out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.cluster import Cluster
from casino_env.evaluate.matches.match import Contest
from casino_env.evaluate.matches.workers import Processes, Workers
from casino_env.extras import install_command
from casino_env.rules import make_rules

AGENTS = ("search:sims=8", "counter")
# Without what a cluster of its own would watch itself with: three nodes share this machine.
_BARE = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
_EQUAL = {"worker_niceness": 0}  # Ray's workers give way to all others; those that they are held against do not
RULES = make_rules("south-african", 2)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks cluster", description=__doc__)
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="of a cluster that is there already")
    parser.add_argument("--tasks", type=int, default=1000, help="empty ones (1000)")
    parser.add_argument("--deals", type=int, default=200, help="of a match (200)")
    args = parser.parse_args(arguments)
    with running(args.ray) as address:
        workers = Cluster(address)
        with workers:
            waited, sent = one_by_one(args.tasks), all_at_once(args.tasks)
            cores = workers.cores
            there = seconds_a_deal(workers, args.deals)
        with Processes(cores) as beside:
            here = seconds_a_deal(beside, args.deals)
    print(f"empty tasks, one after the other: {1e3 * waited:.2f} ms each")
    print(f"empty tasks, all at once:         {1e3 * sent:.2f} ms each")
    print(f"{' - '.join(AGENTS)}, {args.deals} deals, a task each, on {cores} cores:")
    print(f"  {1e3 * there:.1f} ms a deal on the cluster, {1e3 * here:.1f} in processes: {there / here:.2f} times")
    return 0


@contextmanager
def running(address: str) -> Iterator[str]:
    """A cluster; the one of the address, or one of two nodes that ends with this."""
    if address:
        yield address
        return
    with two_nodes() as local:
        yield local.address


@contextmanager
def two_nodes() -> Iterator[Any]:
    """A Ray cluster on this machine: a head that keeps the books and plays nothing, and two players with a core each.
    Its attribute players has the nodes."""
    try:
        from ray.cluster_utils import Cluster as LocalCluster
    except ImportError:
        raise SystemExit(f"benchmarks: this needs Ray: {install_command('cluster')}") from None
    local = LocalCluster(initialize_head=True, head_node_args={"num_cpus": 0, "_system_config": _EQUAL, **_BARE})
    try:
        local.players = [local.add_node(num_cpus=1, **_BARE) for _ in range(2)]
        yield local
    finally:
        local.shutdown()


def one_by_one(tasks: int) -> float:
    """Seconds a task when each waits for the one before."""
    import ray

    nothing = ray.remote(_nothing)
    ray.get(nothing.remote(0))
    return timed(lambda: [ray.get(nothing.remote(k)) for k in range(tasks)]) / tasks


def all_at_once(tasks: int) -> float:
    import ray

    nothing = ray.remote(_nothing)
    ray.get([nothing.remote(k) for k in range(10)])
    return timed(lambda: ray.get([nothing.remote(k) for k in range(tasks)])) / tasks


def _nothing(number: int) -> int:
    return number


def seconds_a_deal(workers: Workers, deals: int) -> float:
    """Of a match whose agents play one game at a time; the first deals load kernels and are not counted."""
    play(workers, 20, 1)
    return timed(lambda: play(workers, deals, 2)) / deals


def play(workers: Workers, deals: int, seed: int) -> None:
    for _ in Contest(AGENTS, make_book(RULES, deals, seed), seed=seed).play(workers):
        pass


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
