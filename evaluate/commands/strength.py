"""casino evaluate strength: how strong the policies are that come with the project; kept beside their weights."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from casino_env.agents.policy.policy_files import change_description, shipped_path
from casino_env.agents.policy.shipped import best, description, learnt, lower_levels, shipped, title
from casino_env.agents.registry import ladder, make_agent
from casino_env.evaluate.commands.match import with_progress
from casino_env.evaluate.commands.options import add_workers
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.match import Contest, digest_of
from casino_env.rules import Rules, closest, make_rules

SEED = 1  # of the deals: no training sees them
UNTAUGHT = (("sotho", 2), ("african", 2))  # games that no policy has learnt: what a policy of many games makes of them


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("strength", help="matches of the policies that come with the project")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which policies (all)")
    parser.add_argument("--against", nargs="+", metavar="AGENT", help="instead of the bots and its own lower levels")
    parser.add_argument("--deals", type=int, default=4000, help="of each match (4000)")
    parser.add_argument("--runs", type=Path, default=Path("runs/strength"), help="keeps the deals (runs/strength)")
    add_workers(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    names = chosen(args.names)
    if args.deals < 2:
        raise ValueError(f"--deals {args.deals}: must be 2 or more")
    for spec in args.against or ():
        make_agent(spec)
    args.runs.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in names:
        data = description(name)
        for rules, rival in matches(name, data, args.against):
            row = measured(name, rival, rules, args)
            data = _remember(name, row)
            if not args.json:
                print(
                    f"{name:<26} {row['game']:<22} {rival:<28} {row['diff']:+7.3f} "
                    f"({row['low']:+.3f} to {row['high']:+.3f})",
                    flush=True,
                )
        found[name] = data["strength"]
    if args.json:
        print(json.dumps(found))
    return 0


def chosen(names: list[str]) -> list[str]:
    """Those that are named, or all."""
    for name in names:
        if name not in shipped():
            raise ValueError(f"unknown policy {name!r}{closest(name, shipped())}; known: {', '.join(shipped())}")
    return names or shipped()


def matches(name: str, data: dict[str, Any], against: list[str] | None) -> list[tuple[Rules, str]]:
    """The games and opponents of a policy: all that are given, or the usual ones."""
    games = learnt(data)
    if len(games) == 1:
        return [(games[0], rival) for rival in against or rivals(name, games[0])]
    games += [make_rules(variant, players) for variant, players in UNTAUGHT]
    return [(rules, rival) for rules in games for rival in against or ("greedy", "counter", *specialists(rules))]


def rivals(name: str, rules: Rules) -> list[str]:
    """The bots, and the lower levels of the same policy."""
    return [*ladder(partners=rules.partners), *(f"policy:{level}" for level in lower_levels(name))]


def specialists(rules: Rules) -> list[str]:
    """The policies that have learnt this game and no other, at their best."""
    return [f"policy:{name}" for name in best() if learnt(description(name)) == [rules]]


def measured(name: str, rival: str, rules: Rules, args: argparse.Namespace) -> dict[str, Any]:
    book = make_book(rules, args.deals, SEED)
    game = title(rules)
    made = "-".join(str(digest_of(make_agent(spec)))[:8] for spec in (f"policy:{name}", rival))
    kept = args.runs / f"{name}--{re.sub('[^A-Za-z0-9=.,-]+', '-', f'{rival} {game} {made}')}.jsonl"
    contest = Contest((f"policy:{name}", rival), book, seed=SEED, out=kept)
    try:
        with contest.workers(args.threads, args.limit, args.ray) as workers:
            with_progress(contest, workers)
    finally:
        contest.close()
    row = contest.result().to_json()
    return {"game": game, "against": rival} | {
        key: row[key] for key in ("deals", "diff", "low", "high", "win_a", "seed")
    }


def _remember(name: str, row: dict[str, Any]) -> dict[str, Any]:
    """Beside the weights, one row an opponent and game. Read anew: a match is long, and others write there, too."""
    data = description(name)
    others = [
        kept for kept in data.get("strength", []) if (kept["game"], kept["against"]) != (row["game"], row["against"])
    ]
    data["strength"] = [*others, row]
    change_description(shipped_path(name), data)
    return data
