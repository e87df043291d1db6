"""casino evaluate ladder: each scripted bot against the next weaker one."""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterator
from typing import Any

from casino_env.agents.registry import ladder
from casino_env.evaluate.commands.options import add_game, add_threads, book_of, deals_of, names_game
from casino_env.evaluate.matches.books import Book, make_book
from casino_env.evaluate.matches.match import MatchResult, match
from casino_env.rules import make_rules

GAMES = (
    *((name, 2) for name in ("south-african", "khasino", "swazi", "sotho", "african", "cassino", "royal", "triple-s")),
    ("stealing-bundles", 2),
    *((name, 3) for name in ("south-african", "khasino", "swazi", "cassino")),
    *((name, 4) for name in ("south-african", "cassino", "khasino", "swazi", "sotho", "african", "partnership")),
    ("california", 6),
)


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("ladder", help="each scripted bot against the next weaker one, on the same deals")
    add_game(parser, deals=2000)
    parser.add_argument("--table", action="store_true", help="the table of docs/agents.md: many games")
    add_threads(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.table:
        return _table(args)
    book, rows = book_of(args), []
    for row in climb(book, args.seed or 0, args.threads):
        rows.append(row.to_json())
        if not args.json:
            if len(rows) == 1:
                print(f"{book.rules.name}, {book.rules.players} players, {len(book):,} deals; points a deal, 95 %")
            print(f"{row.a:>8} - {row.b:<8} {row.diff:+7.3f} ({row.low:+.3f} to {row.high:+.3f})", flush=True)
    if args.json:
        print(json.dumps(rows))
    return 0


def climb(book: Book, seed: int, threads: int) -> Iterator[MatchResult]:
    for worse, better in itertools.pairwise(ladder(partners=book.rules.partners)):
        yield match(better, worse, book.rules, seed=seed, threads=threads, book=book)


def _table(args: argparse.Namespace) -> int:
    """As Markdown, a row a game."""
    if names_game(args) or args.json:
        raise ValueError("--table has its own list of games, and prints Markdown")
    heads = [f"{better} over {worse}" for worse, better in itertools.pairwise(ladder(partners=True))]
    print("\n".join(_line(cells) for cells in (["game", *heads], ["---"] * (len(heads) + 1))))
    for variant, players in GAMES:
        rules = make_rules(variant, players)
        book = make_book(rules, deals_of(args), args.seed or 0)
        found = [f"{row.diff:.2f} ± {row.diff - row.low:.2f}" for row in climb(book, book.seed, args.threads)]
        name = f"{variant} {players}" + (", partners" if rules.partners else "")
        print(_line([name, *found, *[""] * (len(heads) - len(found))]), flush=True)
    return 0


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
