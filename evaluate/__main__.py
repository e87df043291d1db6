"""python -m evaluate: who is better, by how much, and how sure that is."""

import argparse
import signal
import sys

from agents.registry import AgentError
from casino_env.guarded import guarded
from casino_env.parts.places import called
from evaluate.commands import (
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
from evaluate.matches.pairing import AgentFailedError

COMMANDS = (match, tournament, ladder, baseline, book, style, regret, exploit, report, strength, thinking, profile)


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return guarded("evaluate", lambda: args.run(args), misuse=(AgentError,), failures=(AgentFailedError,))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=called("evaluate"), description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    for each in commands.choices.values():
        each.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # being told to stop is the same as Ctrl-C
    sys.exit(main())
