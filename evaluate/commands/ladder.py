"""python -m evaluate ladder: each scripted bot against the next weaker one."""

from __future__ import annotations

import argparse
import itertools
import json
from typing import Any

from casino_env.rules import Rules
from evaluate.commands.options import add_game, add_threads, book_of
from evaluate.matches import match

BOTS = ("random", "greedy", "builder", "counter")


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("ladder", help="each scripted bot against the next weaker one, on the same deals")
    add_game(parser, deals=2000)
    add_threads(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    book = book_of(args)
    rows = []
    for worse, better in itertools.pairwise(rungs(book.rules)):
        row = match(better, worse, book.rules, seed=args.seed or 0, threads=args.threads, book=book)
        rows.append(row.to_json())
        if not args.json:
            if len(rows) == 1:
                print(f"{book.rules.name}, {book.rules.players} players, {len(book):,} deals; points a deal, 95 %")
            print(f"{better:>8} - {worse:<8} {row.diff:+7.3f} ({row.low:+.3f} to {row.high:+.3f})", flush=True)
    if args.json:
        print(json.dumps(rows))
    return 0


def rungs(rules: Rules) -> tuple[str, ...]:
    return (*BOTS, "partner") if rules.partners else BOTS
