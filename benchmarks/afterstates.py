"""The afterstates of a turn: how many there are, how many are tried, and how long listing them takes."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from casino_env.agents.base import Agent
from casino_env.agents.registry import make_agent
from casino_env.engine.afterstates import LIMIT, afterstates_of, new_afterstates
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import Rules, make_rules, player_counts, variants


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks afterstates", description=__doc__)
    parser.add_argument("--variant", help="name of a preset (all)")
    parser.add_argument("--agents", nargs="+", default=["random", "counter"], help="who plays (random counter)")
    parser.add_argument("--deals", type=int, default=20, help="deals of each (20)")
    parser.add_argument("--seed", type=int, default=1, help="fixes the deals (1)")
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each row")
    args = parser.parse_args(arguments)
    if args.deals < 1:
        raise ValueError(f"--deals {args.deals}: must be 1 or more")
    names = [args.variant] if args.variant else list(variants())
    if not args.json:
        print(_HEAD)
    for spec in args.agents:
        agent = make_agent(spec)
        for rules in (make_rules(name, players) for name in names for players in player_counts(name)):
            row = {"variant": rules.name, "players": rules.players, "agent": spec, **_row(rules, agent, args)}
            print(json.dumps(row) if args.json else _LINE.format(**row), flush=True)
    return 0


_HEAD = (
    f"{'game':<20} {'played by':<9} {'decisions':>9} {'found':>7} {'most':>5} {'tried':>7} {'most':>5} {'cut':>7}"
    f"{'us mean':>9} {'99 %':>7} {'worst':>7} {'us a state':>10}"
)
_LINE = (
    "{variant:<18} {players} {agent:<9} {decisions:>9,} {found:>7.1f} {most_found:>5} {tried:>7.1f} {most_tried:>5} "
    "{cut:>6.2%} {mean:>8.1f} {p99:>7.0f} {worst:>7.0f} {each:>10.2f}"
)


def _row(rules: Rules, agent: Agent, args: argparse.Namespace) -> dict[str, Any]:
    afterstates, found, tried, cut, spent = new_afterstates(Game(rules, seed=0).rules_record), [], [], [], []
    for game in _decisions(rules, agent, args.deals, args.seed):
        view = observe(game).view
        began = time.perf_counter()
        afterstates_of(view, game.rules_record, afterstates, LIMIT)
        spent.append(1e6 * (time.perf_counter() - began))
        walk = afterstates.walk[0]
        found.append(int(walk["found"]))
        tried.append(int(walk["tried"]))
        cut.append(bool(walk["cut"]))
    return {
        "decisions": len(found), "found": float(np.mean(found)), "most_found": max(found),
        "tried": float(np.mean(tried)), "most_tried": max(tried), "cut": float(np.mean(cut)),
        "mean": float(np.mean(spent)), "p99": float(np.percentile(spent, 99)), "worst": max(spent),
        "each": sum(spent) / sum(found),
    }  # fmt: skip


def _decisions(rules: Rules, agent: Agent, deals: int, seed: int) -> Iterator[Game]:
    """The games before each decision that begins a turn or answers a question."""
    afterstates = new_afterstates(Game(rules, seed=seed).rules_record)
    for deal in range(deals):
        game, rng = Game(rules, seed=seed + deal), np.random.default_rng([seed, deal])
        afterstates_of(observe(game).view, game.rules_record, afterstates, LIMIT)  # compiled, and its memory at hand
        agent.reset(0, rng)
        while not game.over:
            if not game.record["acted"]:
                yield game
            game.apply(agent.act(observe(game)))
