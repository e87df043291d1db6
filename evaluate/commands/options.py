"""Options that the commands share: game, deals, threads, table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from casino_env.agents.files import out_file
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.which_game import add_rules
from casino_env.cli import printable
from casino_env.evaluate.matches.pairing import AgentFailedError, Entrant
from casino_env.evaluate.progress import interruptible
from casino_env.evaluate.tables import tidy, write_table
from casino_env.machine import cores
from casino_env.rules import Rules


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


@contextmanager
def keep_table(args: argparse.Namespace, rows: list[dict[str, Any]], beside: str = "") -> Iterator[None]:
    """Write the table to the file of --csv after the body, which prints the same, even if nobody reads that any more.
    beside: suffix of the file name, for a second table."""
    try:
        yield
    finally:
        if args.csv and rows:
            args.csv.parent.mkdir(parents=True, exist_ok=True)
            write_table(args.csv.with_stem(f"{args.csv.stem}{beside}"), tidy(rows))


@contextmanager
def keeping(rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Let Ctrl-C, or an agent that fails, end the body once there are rows; yield what `ended` says of that."""
    with interruptible(lambda: len(rows), 1) as said:
        try:
            yield said
        except AgentFailedError as error:
            if not rows:
                raise
            said["failed"] = str(error)


def ended(found: dict[str, Any]) -> int:
    """Say what has ended a command early that has printed this, and return its exit code."""
    if "failed" in found:
        print(f"evaluate: {printable(found['failed'])}; this is the result so far", file=sys.stderr)
    elif "interrupted" in found:
        print("evaluate: interrupted; this is the result so far", file=sys.stderr)
    else:
        return 0
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
