"""Solve a `mini` preset by OpenSpiel's algorithms, and measure the exploitability of our agents.

    pip install -e '.[eval,spiel]'
    python examples/openspiel_bridge.py --variant mini --algorithm cfr+ --iterations 64
    python examples/openspiel_bridge.py --algorithm mccfr --iterations 65536 --agents counter policy:runs/mine

Importing evaluate.openspiel registers the game `python_casino`, for any preset and number of players.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspiel

from casino_env import make_rules
from casino_env.evaluate.openspiel import load, tree_of
from casino_env.train.commands.exploit import as_text, exactly

# The class of each solver, and the name of the method that does an iteration.
SOLVERS = {
    "cfr": (pyspiel.CFRSolver, "evaluate_and_update_policy"),
    "cfr+": (pyspiel.CFRPlusSolver, "evaluate_and_update_policy"),
    "mccfr": (pyspiel.ExternalSamplingMCCFRSolver, "run_iteration"),
    "mccfr-outcomes": (pyspiel.OutcomeSamplingMCCFRSolver, "run_iteration"),
}


def solve(tree: Any, algorithm: str, iterations: int) -> Iterator[tuple[int, float, float]]:
    """Run a tabular algorithm on a tree; yield (iteration, exploitability, seconds) at powers of two."""
    make, name = SOLVERS[algorithm]
    solver, began = make(tree), time.perf_counter()
    iterate = getattr(solver, name)
    yield 0, pyspiel.exploitability(tree, pyspiel.UniformRandomPolicy(tree)), time.perf_counter() - began
    for iteration in range(1, iterations + 1):
        iterate()
        if iteration == iterations or iteration & (iteration - 1) == 0:
            yield iteration, pyspiel.exploitability(tree, solver.average_policy()), time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", choices=("mini", "mini-7"), default="mini", help="(mini)")
    parser.add_argument("--algorithm", choices=tuple(SOLVERS), default="cfr+")
    parser.add_argument("--iterations", type=int, default=64)
    parser.add_argument("--keep", type=Path, help="a file to keep the tree in, which takes a minute to make")
    parser.add_argument("--agents", nargs="+", default=[], metavar="AGENT", help="ours, to be compared with it")
    args = parser.parse_args()
    tree, histories, sets = tree_of(load(args.variant), keep=args.keep)
    print(f"{args.variant}: {histories} histories, {sets} information sets")
    print(f"{'iteration':>9} {'exploitability':>15} {'seconds':>8}")
    for iteration, exploitability, seconds in solve(tree, args.algorithm, args.iterations):
        print(f"{iteration:>9} {exploitability:>15.5f} {seconds:>8.1f}", flush=True)
    for agent in args.agents:
        print(as_text(exactly(make_rules(args.variant, 2), agent)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
