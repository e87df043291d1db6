"""Measure how many deals a judge of luck saves, by game: its policy against the best bot, or the two best bots.

The interval of the factor is a bootstrap over deals.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from benchmarks.horizon import line, with_later_cards
from casino_env.agents.policy.shipped import title
from casino_env.agents.registry import ladder
from casino_env.evaluate.commands.options import add_game, add_threads
from casino_env.evaluate.matches.luck import chosen_judge
from casino_env.evaluate.matches.match import match
from casino_env.rules import Rules
from casino_env.validate import check_least

_HEAD = ("game", "match", "points a deal", "less luck", "as good as")
_SAMPLES = 1000  # of the bootstrap


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks luck", description=__doc__)
    add_game(parser)
    add_threads(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each row")
    args = parser.parse_args(arguments)
    check_least("deals", args.deals, 2)
    if not args.json:
        print(f"{line(*_HEAD)}\n{line('---', '---', '--:', '--:', '--:')}")
    for rules in with_later_cards(args):
        row = judged(rules, args.deals, args.seed, args.threads)
        print(json.dumps(row) if args.json else _text(row), flush=True)
    return 0


def judged(rules: Rules, deals: int, seed: int, threads: int) -> dict[str, Any]:
    """Play a match; return its results with and without the judge of luck."""
    rungs, judge = ladder(rules), chosen_judge(rules, "auto")
    pair = (judge, rungs[-1]) if judge.startswith("policy:") else (rungs[-1], rungs[-2])
    result = match(*pair, rules, deals=deals, seed=seed, threads=threads, judge=judge)
    plain, fair, rng = result.by_deal.diff, result.by_deal.fair, np.random.default_rng(seed)
    again = (rng.integers(len(plain), size=len(plain)) for _ in range(_SAMPLES))
    worths = [float(np.var(plain[drawn])) / (float(np.var(fair[drawn])) or 1.0) for drawn in again]
    low, high = np.quantile(worths, [0.025, 0.975]).tolist()
    return {"game": title(rules), **result.to_json(), "worth": {"mean": result.worth, "low": low, "high": high}}


def _text(row: dict[str, Any]) -> str:
    plain, worth = row["control"]["plain"], row["worth"]
    both = (plain["mean"], plain["low"]), (row["diff"], row["low"])
    points = [f"{mean:+.2f} ± {mean - low:.2f}" for mean, low in both]
    times = f"{worth['mean']:.2f} ({worth['low']:.2f} to {worth['high']:.2f}) times the deals"
    return line(row["game"], f"{row['a']} - {row['b']}", *points, times)
