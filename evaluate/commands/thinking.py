"""casino evaluate thinking: what time to think is worth, in points over the policy that a search thinks with."""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.agents.policy.shipped import best
from casino_env.agents.registry import make_agent
from casino_env.evaluate.commands.match import with_progress
from casino_env.evaluate.commands.options import add_workers
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.match import Contest
from casino_env.evaluate.report.plots import Lines, Point, as_file, fixed
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import Rules, closest

TIMES = (0.001, 0.005, 0.02, 0.05, 0.2, 1.0, 5.0)
SEED = 2  # of the deals
_DEALS = 2  # whose moves are timed, after one that loads kernels


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("thinking", help="what time to think is worth, in points over the policy alone")
    parser.add_argument("name", metavar="NAME", help="a policy that comes with the project")
    parser.add_argument("--times", nargs="+", type=float, default=TIMES, metavar="SECONDS", help="for a decision")
    parser.add_argument("--deals", type=int, default=200, help="of each match (200)")
    parser.add_argument("--runs", type=Path, default=Path("runs/thinking"), help="keeps the deals (runs/thinking)")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="draw the curve as well")
    add_workers(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.name not in best():
        raise ValueError(f"unknown policy {args.name!r}{closest(args.name, best())}; known: {', '.join(best())}")
    if args.deals < 2:
        raise ValueError(f"--deals {args.deals}: must be 2 or more")
    specs = [f"search:policy={args.name},time={seconds:g}" for seconds in args.times]
    for spec in specs:
        make_agent(spec)
    args.runs.mkdir(parents=True, exist_ok=True)
    rows = []
    for seconds, spec in zip(args.times, specs, strict=True):
        rows.append(row := {"time": seconds} | measured(spec, f"policy:{args.name}", args))
        if not args.json:
            print(
                f"{seconds:>7g} s   {row['diff']:+7.3f} ({row['low']:+.3f} to {row['high']:+.3f})   "
                f"{row['ms']:.1f} ms a move, {row['ms_b']:.2f} of the policy   {row['deals']} deals",
                flush=True,
            )
    if args.json:
        print(json.dumps(rows))
    if args.picture:
        args.picture.write_text(drawn(rows))
    return 0


def measured(spec: str, alone: str, args: argparse.Namespace) -> dict[str, Any]:
    rules = make_agent(alone).weights.rules
    kept = args.runs / f"{spec.replace(':', '-')}.jsonl"
    contest = Contest((spec, alone), make_book(rules, args.deals, SEED), seed=SEED, out=kept)
    try:
        with contest.workers(args.threads, args.limit, args.ray) as workers:
            with_progress(contest, workers)
    finally:
        contest.close()
    row = contest.result().to_json()
    return {key: row[key] for key in ("deals", "diff", "low", "high", "seed")} | {
        "ms": pace(spec, rules),
        "ms_b": pace(alone, rules),
    }


def pace(spec: str, rules: Rules) -> float:
    """Milliseconds a decision, on the mean, of an agent that plays all seats."""
    agent, took = make_agent(spec), []
    for deal in range(_DEALS + 1):
        game = Game(rules, seed=deal)
        agent.reset(0, np.random.default_rng(deal))
        while not game.over:
            seen, began = observe(game), time.perf_counter()
            action = agent.act(seen)
            took += [time.perf_counter() - began] * (deal > 0)
            game.apply(action)
    return 1e3 * float(np.mean(took))


def drawn(rows: list[dict[str, Any]]) -> str:
    """As SVG: ten times the time is always as far to the right."""
    points = [Point(math.log10(row["ms"]), row["diff"], row["low"], row["high"]) for row in rows]
    plot = Lines([("", points)], fixed(1, "+"), "milliseconds a move", 640, 320, across=_tenfold)
    return as_file(plot.svg())


def _tenfold(power: float | None) -> str:
    return f"{10 ** (power or 0.0):.3g}"
