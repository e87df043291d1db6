"""casino evaluate match: one agent against others, on the same deals from every side."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from casino_env.agents.registry import make_agent
from casino_env.evaluate.commands.options import add_game, add_workers, book_of
from casino_env.evaluate.matches.books import Book
from casino_env.evaluate.matches.intervals import interval
from casino_env.evaluate.matches.match import Contest, until_decided
from casino_env.evaluate.matches.pairing import AgentFailedError
from casino_env.evaluate.matches.sprt import SequentialTest
from casino_env.evaluate.matches.workers import Workers
from casino_env.evaluate.progress import progress
from casino_env.evaluate.results import as_json


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("match", help="one agent against others: points a deal with a 95 %% interval")
    parser.add_argument("agent", metavar="AGENT", help="who plays each of the others")
    parser.add_argument("others", nargs="+", metavar="AGENT")
    add_game(parser)
    parser.add_argument("--book", metavar="FILE", help="deals from a saved book instead of --seed")
    parser.add_argument(
        "--sprt", nargs=2, type=float, metavar=("WORSE", "BETTER"),
        help="stop as soon as it is clear which of these differences (points a deal) is nearer",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", help="keep the deals here and go on from what it holds")
    add_workers(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.out and len(args.others) > 1:
        raise ValueError("--out is for two agents; `tournament` keeps the deals of more")
    for spec in (args.agent, *args.others):
        make_agent(spec)  # what cannot be made is said before anything is played
    test = SequentialTest(*args.sprt) if args.sprt else None
    book, rows, code = book_of(args), [], 0
    for rival in args.others:
        row, trouble = _play(args, rival, book, test)
        rows += [row] if row else []
        if not args.json and row:
            print(as_text(row), flush=True)
        if trouble:
            print(f"evaluate: {trouble}", file=sys.stderr)
            code = 1
        if trouble == INTERRUPTED:
            break
    if args.json and rows:
        print(as_json(rows[0] if len(args.others) == 1 else rows))
    return code


INTERRUPTED = "interrupted; this is the result so far"


def _play(
    args: argparse.Namespace, rival: str, book: Book, test: SequentialTest | None
) -> tuple[dict[str, Any] | None, str]:
    """(the result, or None if there is none; what went wrong)"""
    contest = Contest((args.agent, rival), book, seed=args.seed or 0, out=args.out or "")
    trouble = ""
    try:
        with contest.workers(args.threads, args.limit, args.ray) as workers:
            with_progress(contest, workers, test)
    except KeyboardInterrupt:
        trouble = INTERRUPTED
    except AgentFailedError as error:
        trouble = str(error)
    finally:
        contest.close()
    if not len(contest.deals):
        return None, trouble
    row = contest.result().to_json()
    return row | {"sprt": test.to_json(contest.deals.diff)} if test else row, trouble


def with_progress(contest: Contest, workers: Workers, test: SequentialTest | None = None) -> None:
    """Play it out under a progress bar."""
    a, b = contest.pairing.names
    with progress(f"{a} - {b}", len(contest.book), len(contest.deals)) as show:
        for deals in until_decided(contest, workers, test):
            mean, low, high = interval(deals.diff)
            show(len(deals), f"{mean:+.2f} ({low:+.2f} to {high:+.2f})")


def as_text(row: dict[str, Any]) -> str:
    between = "" if row["low"] is None else f" (95 %: {row['low']:+.3f} to {row['high']:+.3f})"
    lines = [
        f"{row['a']} - {row['b']}: {row['diff']:+.3f} points a deal{between}",
        f"    won {row['win_a']:.1%}, lost {row['win_b']:.1%}, drawn {row['draw']:.1%} of {row['games']:,} games: "
        f"{row['deals']:,} deals of {row['variant']}, {row['players']} players, "
        f"seed {row['seed']}; {row['seconds']:.1f} s",
    ]
    if "sprt" in row:
        lines.append(f"    {_verdict(**row['sprt'])}")
    return "\n".join(lines)


def _verdict(worse: float, better: float, verdict: str, **_: float) -> str:
    said = {"better": f"{better:+g} rather than {worse:+g}", "worse": f"{worse:+g} rather than {better:+g}"}
    return f"sequential test: {said.get(verdict, f'not decided between {worse:+g} and {better:+g}')} points a deal"
