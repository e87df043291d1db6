"""How fast the solver is: random endings by cards in a hand."""

from __future__ import annotations

import argparse
import json
import statistics
from typing import Any, get_args

from benchmarks.endings import endings
from casino_env.agents.solver.solver import Solution, Solver, Want
from casino_env.rules import Rules, make_rules


def main(arguments: list[str]) -> int:
    args = _parser().parse_args(arguments)
    rules = make_rules(args.variant, args.players)
    rows = [_row(rules, cards, args) for cards in args.cards]
    if args.json:
        print(json.dumps({"variant": args.variant, "players": args.players, "want": args.want, "rows": rows}))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks solver", description=__doc__)
    parser.add_argument("--variant", default="south-african", help="name of a preset (south-african)")
    parser.add_argument("--players", type=int, default=2, help="number of seats: two sides (2)")
    parser.add_argument("--cards", type=int, nargs="+", default=[4, 5, 6], help="cards left in each hand (4 5 6)")
    parser.add_argument("--positions", type=_positive, default=50, help="endings of each size (50)")
    parser.add_argument("--seed", type=int, default=1, help="fixes the endings (1)")
    parser.add_argument("--seconds", type=float, help="limit for each position")
    parser.add_argument("--nodes", type=_positive, help="limit of decisions searched for each position")
    parser.add_argument("--want", choices=get_args(Want), default="best", help="the value, all best moves, all values")
    parser.add_argument("--table-mb", type=_positive, default=64, help="size of the table of positions (64)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number


def _row(rules: Rules, cards: int, args: argparse.Namespace) -> dict[str, Any]:
    solutions: list[Solution] = []
    for game in endings(rules, cards, args.positions, args.seed):
        if not solutions:
            Solver(table_mb=1).solve(game, nodes=1)  # compiles, where that has not been done
        solver = Solver(table_mb=args.table_mb)
        solutions.append(solver.solve(game, seconds=args.seconds, nodes=args.nodes, want=args.want))
    row = _summary(cards, solutions)
    if not args.json:
        if cards == args.cards[0]:
            print(" ".join(f"{name:>12}" for name in row))
        print(" ".join(f"{_short(value):>12}" for value in row.values()), flush=True)
    return row


def _summary(cards: int, solutions: list[Solution]) -> dict[str, Any]:
    seconds = [solution.seconds for solution in solutions]
    nodes = [solution.nodes for solution in solutions]
    return {
        "cards": cards,
        "positions": len(solutions),
        "solved": sum(solution.complete for solution in solutions) / len(solutions),
        "exact": sum(solution.exact for solution in solutions) / len(solutions),
        "interval": statistics.mean(solution.high - solution.low for solution in solutions),
        "mean s": statistics.mean(seconds),
        "median s": statistics.median(seconds),
        "max s": max(seconds),
        "nodes/s": sum(nodes) / sum(seconds),
        "mean nodes": statistics.mean(nodes),
    }


def _short(value: float) -> str:
    return f"{value:,.0f}" if isinstance(value, int) or value >= 1000 else f"{value:.4f}"
