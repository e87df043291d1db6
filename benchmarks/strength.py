"""Measure the strength of the project's policies, and store it beside their weights."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from casino_env.agents.policy.policy_files import change_description, learnt, shipped_path
from casino_env.agents.policy.shipped import best, description, lower_levels, shipped, title
from casino_env.agents.registry import ladder
from casino_env.evaluate.commands.options import add_workers
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.matches.match import Contest, play_shown
from casino_env.evaluate.matches.pairing import Entrant, entrant
from casino_env.rules import Rules, make_rules
from casino_env.validate import check_least, closest

Row = dict[str, Any]

UNTAUGHT = (("sotho", 2), ("african", 2))  # games that policies of several games have not learnt, but play here
SEED = 1  # seed of the deals, which no training sees


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks strength", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which policies (all)")
    parser.add_argument("--against", nargs="+", metavar="AGENT", help="instead of the bots and its own lower levels")
    parser.add_argument("--deals", type=int, default=4000, help="of each match (4000)")
    parser.add_argument("--runs", type=Path, default=Path("runs/strength"), help="keeps the deals (runs/strength)")
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each row")
    add_workers(parser)
    args = parser.parse_args(arguments)
    for row in _strengths(args):
        words = f"{row['policy']:<26} {row['game']:<22} {row['against']:<28} {numbers(row)}"
        print(json.dumps(row) if args.json else words, flush=True)
    return 0


def _strengths(args: argparse.Namespace) -> Iterator[Row]:
    given = [entrant(spec) for spec in args.against or ()]
    for name in _chosen(args.names, shipped()):
        policy = entrant(f"policy:{name}")
        for rules, rival in _meetings(name, given):
            pair, game = (policy, entrant(rival)), title(rules)
            made = "-".join(str(agent.digest)[:8] for agent in pair)
            kept = re.sub("[^A-Za-z0-9=.,-]+", "-", f"{pair[1].name} {game} {made}")
            row = {"game": game, "against": pair[1].name} | kept_match(pair, rules, SEED, f"{name}--{kept}", args)
            _remember(name, row)
            yield {"policy": name, **row}


def _chosen(names: list[str], known: list[str]) -> list[str]:
    """Return the named policies, or all."""
    for name in names:
        if name not in known:
            raise ValueError(f"unknown policy {name!r}{closest(name, known)}; known: {', '.join(known)}")
    return names or known


def _meetings(name: str, given: list[Entrant]) -> Iterator[tuple[Rules, Entrant | str]]:
    """Yield the games and opponents of a policy: the given opponents, or the usual ones."""
    games = learnt(description(name))
    if len(games) == 1:
        yield from ((games[0], rival) for rival in given or rivals(name, games[0]))
        return
    for rules in (*games, *(make_rules(variant, players) for variant, players in UNTAUGHT)):
        specialists = [f"policy:{other}" for other in best() if learnt(description(other)) == [rules]]
        yield from ((rules, rival) for rival in given or ("greedy", "counter", *specialists))


def rivals(name: str, rules: Rules) -> list[str]:
    """Return the bots, and the lower levels of the same policy."""
    return [*ladder(rules), *(f"policy:{level}" for level in lower_levels(name))]


def kept_match(pair: tuple[Entrant, Entrant], rules: Rules, seed: int, name: str, args: argparse.Namespace) -> Row:
    """Play a long match that keeps its deals in a file and resumes from it; return its result."""
    check_least("deals", args.deals, 2)
    book = make_book(rules, args.deals, seed)
    args.runs.mkdir(parents=True, exist_ok=True)
    with Contest(pair, book, seed=seed, out=args.runs / f"{name}.sqlite") as contest:
        with contest.workers(args.threads, args.ray) as workers:
            play_shown(contest, workers)
        row = contest.result().to_json()
    return {key: row[key] for key in ("deals", "diff", "low", "high", "win_a", "seed")}


def numbers(row: Row) -> str:
    return f"{row['diff']:+7.3f} ({row['low']:+.3f} to {row['high']:+.3f})"


def _remember(name: str, row: Row) -> None:
    """Store a result beside the weights, by opponent and game; read first what other processes have written there."""
    known = description(name).get("strength", [])
    others = [kept for kept in known if any(kept[key] != row[key] for key in ("game", "against"))]
    change_description(shipped_path(name), strength=[*others, row])
