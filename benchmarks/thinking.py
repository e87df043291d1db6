"""Measure the value of thinking time: a search with a policy against that policy alone, by seconds a decision; or by
simulations, for a policy that searches briefly when it is not sure."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.strength import kept_match, numbers
from casino_env.agents.base import Agent
from casino_env.evaluate.commands.options import add_workers
from casino_env.evaluate.matches.pairing import entrant
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import Rules

TIMES = (0.001, 0.005, 0.02, 0.05, 0.2, 1.0, 5.0)  # seconds for a decision
SEED = 2  # seed of the deals, which neither training nor other matches see
_TIMED = 2  # deals whose moves are timed, after one that loads kernels


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks thinking", description=__doc__)
    parser.add_argument("policy", help="a policy that comes with the project")
    parser.add_argument("--times", nargs="+", type=float, default=TIMES, metavar="SECONDS", help="for a decision")
    parser.add_argument("--sims", nargs="+", type=int, default=(), metavar="N", help="for a moment, instead of times")
    parser.add_argument("--deals", type=int, default=200, help="of each match (200)")
    parser.add_argument("--runs", type=Path, default=Path("runs/thinking"), help="keeps the deals (runs/thinking)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_workers(parser)
    args = parser.parse_args(arguments)
    rows = []
    for row in _rows(args):
        rows.append(row)
        if not args.json:
            paces = f"{row['ms']:.1f} ms a move, {row['ms_b']:.2f} of the policy"
            print(f"{row['budget']:>7}   {numbers(row)}   {paces}   {row['deals']} deals", flush=True)
    if args.json:
        print(json.dumps(rows))
    return 0


def _rows(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    alone = entrant(f"policy:{args.policy}")
    specs = {f"{seconds:g} s": f"search:policy={args.policy},time={seconds:g}" for seconds in args.times}
    if args.sims:
        specs = {f"{sims} sims": f"policy:{args.policy},sims={sims}" for sims in args.sims}
    rules = alone.agent.weights.rules
    for budget, spec in specs.items():
        search = entrant(spec)
        row = {"budget": budget} | kept_match((search, alone), rules, SEED, search.name.replace(":", "-"), args)
        yield row | {"ms": _pace(search.agent, rules), "ms_b": _pace(alone.agent, rules)}


def _pace(agent: Agent, rules: Rules) -> float:
    """Return the mean CPU milliseconds a decision of an agent that plays all seats."""
    took = []
    for deal in range(_TIMED + 1):
        game = Game(rules, seed=deal)
        agent.reset(0, np.random.default_rng(deal))
        while not game.over:
            seen, began = observe(game), time.process_time()
            action = agent.act(seen)
            took += [time.process_time() - began] * (deal > 0)
            game.apply(action)
    return 1e3 * float(np.mean(took))
