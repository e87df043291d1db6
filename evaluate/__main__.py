"""python -m evaluate: who is better and by how much, how an agent plays, how close to the truth it is."""

import argparse
import sys

from agents.registry import AgentError
from evaluate import regret, report, style
from evaluate.duplicate import AgentFailure

COMMANDS = (style, regret, report)


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    try:
        code: int = args.run(args)
        return code
    except AgentError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has gone
        sys.stderr.close()
        return 0
    except (ValueError, OSError, AgentFailure) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("evaluate: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluate", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
