"""casino evaluate: who is better, by how much, and how sure that is."""

import argparse

from casino_env.agents.registry import AgentError
from casino_env.cli import run_command
from casino_env.evaluate.commands import (
    baseline,
    book,
    exploit,
    ladder,
    match,
    profile,
    regret,
    report,
    strength,
    style,
    thinking,
    tournament,
)
from casino_env.evaluate.matches.pairing import AgentFailedError

COMMANDS = (match, tournament, ladder, baseline, book, style, regret, exploit, report, strength, thinking, profile)


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("evaluate", lambda: args.run(args), misuse=(AgentError,), failures=(AgentFailedError,))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="casino evaluate", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    for each in commands.choices.values():
        each.add_argument("--json", action="store_true", help="print JSON")
    return parser
