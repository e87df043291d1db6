"""Milliseconds that a move takes the policies that come with the project, wherever there is something to choose."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

from casino_env.agents.policy.shipped import best, description, learnt
from casino_env.agents.registry import make_agent
from casino_env.cli import run_command
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import Rules


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks moves", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which policies (the best of each training)")
    parser.add_argument("--deals", type=int, default=20, help="deals that each plays with itself (20)")
    parser.add_argument("--seed", type=int, default=1, help="fixes the deals (1)")
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each policy")
    args = parser.parse_args(arguments)
    return run_command("benchmarks moves", lambda: _measure(args))


def _measure(args: argparse.Namespace) -> int:
    if args.deals < 1:
        raise ValueError(f"--deals {args.deals}: must be 1 or more")
    agents = {name: make_agent(f"policy:{name}") for name in args.names or best()}
    if not args.json:
        print(f"{'policy':<22} {'moves':>7} {'ms mean':>9} {'99 %':>9} {'worst':>9}")
    for name, agent in agents.items():
        row = {"policy": name, **_row(agent, learnt(description(name))[0], args)}
        print(json.dumps(row) if args.json else _LINE.format(**row), flush=True)
    return 0


_LINE = "{policy:<22} {moves:>7,} {mean:>9.2f} {p99:>9.2f} {worst:>9.2f}"


def _row(agent: Any, rules: Rules, args: argparse.Namespace) -> dict[str, Any]:
    _spent(agent, rules, args.seed)  # compiled, and its memory at hand
    spent = [each for deal in range(args.deals) for each in _spent(agent, rules, args.seed + deal)]
    return {
        "moves": len(spent), "mean": float(np.mean(spent)), "p99": float(np.percentile(spent, 99)), "worst": max(spent),
    }  # fmt: skip


def _spent(agent: Any, rules: Rules, seed: int) -> list[float]:
    """Milliseconds of each decision of a deal that had a choice; the agent plays every seat of it."""
    game, spent = Game(rules, seed=seed), []
    agent.reset(0, np.random.default_rng(seed))
    while not game.over:
        observed = observe(game)
        began = time.perf_counter()
        action = agent.act(observed)
        if len(observed.legal()) > 1:
            spent.append(1e3 * (time.perf_counter() - began))
        game.apply(action)
    return spent


if __name__ == "__main__":
    raise SystemExit(main())
