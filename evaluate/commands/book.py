"""casino evaluate book: fix deals in a file, or check one."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from casino_env.evaluate.commands.options import add_game, deals_of, names_game, rules_of
from casino_env.evaluate.matches.books import load_book, make_book, save_book


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "book", help="save deals in a file for `match --book`; of a file that is there: check it"
    )
    parser.add_argument("file", metavar="FILE")
    add_game(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    given = names_game(args) or args.deals is not None or args.seed is not None
    if Path(args.file).exists() and given:
        raise ValueError(f"{args.file}: is there already; without options it is checked")
    if not Path(args.file).exists():
        save_book(make_book(rules_of(args), deals_of(args), args.seed or 0), args.file)
    book = load_book(args.file)
    row = {
        "file": args.file, "variant": book.rules.name, "players": book.rules.players,
        "rules": book.rules.differences(), "deals": len(book), "seed": book.seed, "digest": book.digest(),
    }  # fmt: skip
    if args.json:
        print(json.dumps(row))
    else:
        print(f"{args.file}: {len(book):,} deals of {book.rules.name}, {book.rules.players} players, {row['digest']}")
    return 0
