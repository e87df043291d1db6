"""Options that the commands share: game, deals, threads, table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from casino_env.agents.files import out_file
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.which_game import add_rules
from casino_env.evaluate.matches.pairing import Entrant
from casino_env.evaluate.tables import tidy, write_table
from casino_env.machine import cores
from casino_env.rules import Rules

INTERRUPTED = "interrupted; this is the result so far"


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], about: str, *, table: bool = True
) -> argparse.ArgumentParser:
    """Add a command. table: its results can be written as a table (keep_table)."""
    parser: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about.replace("%%", "%"))
    parser.add_argument("--json", action="store_true", help="print JSON")
    if table:
        add_table(parser)
    parser.set_defaults(run=run)
    return parser


def add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--csv", type=out_file, metavar="FILE", help="write the results as a table")


def keep_table(args: argparse.Namespace, rows: list[dict[str, Any]], beside: str = "") -> None:
    """Write the table to the file of --csv. beside: suffix of the file name, for a second table."""
    if args.csv and rows:
        args.csv.parent.mkdir(parents=True, exist_ok=True)
        write_table(args.csv.with_stem(f"{args.csv.stem}{beside}"), tidy(rows))


def ended(found: dict[str, Any]) -> int:
    """The exit code of a command that has printed this, which Ctrl-C may have ended."""
    if "interrupted" not in found:
        return 0
    print(f"evaluate: {INTERRUPTED}", file=sys.stderr)
    return 1


def check_apart(args: argparse.Namespace) -> None:
    """Raises ValueError if the table would take the place of the deals."""
    if args.csv and args.out and args.csv.resolve() == Path(args.out).resolve():
        raise ValueError(f"--csv {args.csv}: is the file of --out; choose another one")


def add_game(parser: argparse.ArgumentParser, deals: int = 1000) -> None:
    add_rules(parser)
    parser.add_argument("--deals", type=int, default=deals, help=f"number of deals, each in every seating ({deals})")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals and of the agents' random choices (0)")


def add_agent(parser: argparse.ArgumentParser, place: str) -> None:
    parser.add_argument("agent", metavar="AGENT")
    parser.add_argument("--against", metavar="AGENT", help=f"the agent of the other {place} (the agent itself)")
    add_rules(parser)
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals and of the agents' random choices (0)")


def add_threads(parser: argparse.ArgumentParser) -> None:
    here = cores()
    parser.add_argument("--threads", type=int, default=here, help=f"does not change the result ({here} here)")


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the options for threads, or a cluster instead of them."""
    add_threads(parser)
    parser.add_argument(
        "--ray", default="", metavar="ADDRESS", help="play on this Ray cluster (auto: the one that runs here)"
    )


def warn_of_other_games(agents: Iterable[Entrant], rules: Rules) -> None:
    """Warn of policies that play a game they were not trained for: possible if observations fit, rarely intended."""
    for one in agents:
        if isinstance(one.agent, Policy) and (other := one.agent.other_game(rules)):
            own = one.name.partition(",")[0]
            print(f"evaluate: {one.name} was trained for {other} (play its own game: --like {own})", file=sys.stderr)
