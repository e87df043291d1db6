"""casino evaluate baseline: the numbers to report of an agent, against fixed opponents on fixed deals."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from casino_env.agents.base import check_agent
from casino_env.agents.policy.shipped import learners
from casino_env.agents.registry import ladder, make_agent
from casino_env.evaluate.commands.options import add_rules, add_threads, rules_of
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.match import MatchResult, match
from casino_env.rules import RULES_VERSION, Rules

DEALS, SEED = 2000, 2026  # what is reported is played on these, whoever plays


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("baseline", help="the table to report: an agent against fixed opponents and deals")
    parser.add_argument("agent", help="name, policy:PATH or a class of your own (package.module:Name)")
    add_rules(parser)
    parser.add_argument("--deals", type=int, default=DEALS, help=f"fewer are a trial, nothing to report ({DEALS})")
    add_threads(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    rules = rules_of(args)
    check_agent(make_agent(args.agent), rules)
    title = f"{rules.name} {rules.players}, rules version {RULES_VERSION}, {args.deals:,} deals of seed {SEED}"
    rows: list[dict[str, Any]] = []
    for row in played(args.agent, rules, args.deals, args.threads):
        if not rows and not args.json:
            print(f"{args.agent}: {title}, points a deal with 95 % interval\n\n| over | points |\n| --- | --: |")
        rows.append(row.to_json())
        if not args.json:
            print(f"| {row.b} | {row.diff:+.2f} ± {row.diff - row.low:.2f} |", flush=True)
    if args.json:
        print(json.dumps({"agent": args.agent, "title": title, "rows": rows}))
    return 0


def opponents(rules: Rules) -> list[str]:
    """Bots, and the policy of the best level that has learnt this game."""
    return [*ladder(partners=False), *learners().get(rules, [])[:1]]


def played(agent: str, rules: Rules, deals: int, threads: int) -> Iterator[MatchResult]:
    book = make_book(rules, deals, SEED)
    for other in opponents(rules):
        yield match(agent, other, rules, seed=SEED, threads=threads, book=book)
