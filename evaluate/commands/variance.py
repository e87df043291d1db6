"""python -m evaluate variance: how many games duplicate play saves."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from evaluate.commands.options import add_game, add_threads, book_of
from evaluate.matches.duplicate import game_differences
from evaluate.matches.match import Contest
from evaluate.progress import progress


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("variance", help="how many times more games plain play needs for the same interval")
    parser.add_argument("a", metavar="AGENT")
    parser.add_argument("b", metavar="AGENT")
    add_game(parser, deals=2000)
    add_threads(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    book = book_of(args)
    if len(book) < 2:
        raise ValueError(f"--deals {len(book)}: must be 2 or more")
    contest = Contest((args.a, args.b), book, seed=args.seed or 0)
    rows = []
    with contest.crew(args.threads, args.limit) as crew, progress(f"{args.a} - {args.b}", len(book)) as show:
        for points in contest.points(crew):
            rows.append(game_differences(points, contest.table.seatings))
            show(sum(map(len, rows)), "")
    found = saved(np.concatenate(rows))
    head = {"a": args.a, "b": args.b, "variant": book.rules.name, "players": book.rules.players, "deals": len(book)}
    if args.json:
        print(json.dumps(head | found))
        return 0
    print(f"{args.a} - {args.b}: {book.rules.name}, {book.rules.players} players, {len(book):,} deals")
    print(
        f"    variance of the mean of n games: plain {found['plain']:.2f} / n, duplicate {found['duplicate']:.2f} / n"
    )
    print(f"    plain play needs {found['factor']:.2f} times as many games for the same interval")
    return 0


def saved(differences: np.ndarray[Any, Any]) -> dict[str, float]:
    """From the difference of every game, by deal and seating: variance times games, for plain play and for duplicate.

    Plain play: every game a deal of its own, the seats taken by turns, so that the seat is no source of variance.
    """
    games = differences.shape[1]
    plain = float(differences.var(axis=0, ddof=1).mean())
    duplicate = float(differences.mean(axis=1).var(ddof=1)) * games
    return {"plain": plain, "duplicate": duplicate, "factor": plain / duplicate if duplicate else float("inf")}
