"""OpenSpiel's own algorithms on our games: the exact solution of a `mini` preset.

    pip install -e '.[eval,spiel]'
    python examples/openspiel_bridge.py --variant mini --algorithm cfr+ --iterations 64

Importing evaluate.openspiel registers the game `python_casino`, for any preset and number of players.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspiel

from casino_env.evaluate.openspiel import load, tree_of

SOLVERS = {"cfr": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}


def solve(tree: Any, algorithm: str, iterations: int) -> Iterator[tuple[int, float, float]]:
    """Run a tabular algorithm on such a tree: (iteration, exploitability, seconds), ever more rarely."""
    solver, began = SOLVERS[algorithm](tree), time.perf_counter()
    yield 0, pyspiel.exploitability(tree, pyspiel.UniformRandomPolicy(tree)), time.perf_counter() - began
    for iteration in range(1, iterations + 1):
        solver.evaluate_and_update_policy()
        if iteration == iterations or iteration & (iteration - 1) == 0:
            yield iteration, pyspiel.exploitability(tree, solver.average_policy()), time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", choices=("mini", "mini-7"), default="mini", help="(mini)")
    parser.add_argument("--algorithm", choices=tuple(SOLVERS), default="cfr+")
    parser.add_argument("--iterations", type=int, default=64)
    parser.add_argument("--keep", type=Path, help="a file to keep the tree in, which takes a minute to make")
    args = parser.parse_args()
    tree, histories, sets = tree_of(load(args.variant), keep=args.keep)
    print(f"{args.variant}: {histories} histories, {sets} information sets")
    print(f"{'iteration':>9} {'exploitability':>15} {'seconds':>8}")
    for iteration, exploitability, seconds in solve(tree, args.algorithm, args.iterations):
        print(f"{iteration:>9} {exploitability:>15.5f} {seconds:>8.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
