"""casino evaluate: find out which agents are better, by how much, and how certain that is."""

import argparse

from casino_env.agents.registry import AgentError
from casino_env.cli import run_command
from casino_env.evaluate.commands import contests, describe, fresh
from casino_env.evaluate.matches.pairing import AgentFailedError


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("evaluate", lambda: args.run(args), misuse=(AgentError,), failures=(AgentFailedError,))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="casino evaluate", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (contests, describe, fresh):
        module.add_parsers(commands)
    return parser
