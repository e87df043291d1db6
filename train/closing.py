"""The matches at the end of a training: shown while they are played, and no longer than they may take."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from casino_env.agents.policy.policy_agent import Policy
from casino_env.evaluate import MatchResult
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.match import Contest, play_shown
from casino_env.rules import Rules
from casino_env.train.settings import check_least

_SEED = 2  # of their deals


def add_closing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--deals", type=int, default=2000, help="of each match at the end, at most (2000)")
    parser.add_argument("--match-minutes", type=float, default=1.0, metavar="MINUTES",
                        help="each of them ends after so long, with the deals that it has (1)")  # fmt: skip


def check_closing(args: argparse.Namespace) -> None:
    """Raises ConfigError."""
    check_least(args, deals=2, match_minutes=0.001)


def closing_matches(
    policy: Policy, others: Sequence[str], rules: Rules, args: argparse.Namespace
) -> list[tuple[str, MatchResult]]:
    """With each of the others."""
    rows = []
    for other in others:
        with Contest((policy, other), make_book(rules, args.deals, _SEED), seed=_SEED) as contest:
            with contest.workers(2) as workers:
                play_shown(contest, workers, seconds=60 * args.match_minutes)
            rows.append((other, contest.result()))
    return rows


def closing_lines(rows: list[tuple[str, MatchResult]]) -> str:
    """A line for each opponent."""
    width = max(10, *(len(name) for name, _ in rows))
    return "\n".join(
        f"  {name:<{width}} {row.diff:+6.2f}   {row.low:+.2f} to {row.high:+.2f}   {row.deals:,} deals"
        for name, row in rows
    )
