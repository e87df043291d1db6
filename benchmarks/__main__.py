"""python -m benchmarks NAME: measure the speed and strength of the project's parts; NAME --help says more."""

from __future__ import annotations

import sys
from importlib import import_module

from casino_env.cli import run_command
from casino_env.rules import closest

# Modules of this folder with main(arguments) -> exit code; each is imported when its command is run.
COMMANDS = {
    "training": "decisions a second of the training loop, beside the arithmetic that it needs",
    "speedrun": "seconds of two cores from nothing to +3 over counter, and the board of releases",
    "peers": "random play in other projects' card games and in ours",
    "thinking": "what time to think is worth, in points over the policy alone",
    "advice": "how often the judge of hints and reviews blames what loses nothing",
    "horizon": "what the length of play-outs costs: how much their results scatter",
    "strength": "how strong the policies of the project are; kept beside their weights",
    "exam": "makes the exams of `casino evaluate exam`, or goes on with them",
    "predict": "what exams tell of matches",
    "capacity": "whether a policy lacks capacity, data or labels, by exams of networks that learn from it",
    "doubts": "what policies are wrong by about how two turns differ, in exams",
    "ladder": "each scripted bot against the next weaker one, by game",
    "fresh": "whether `casino evaluate fresh` ranks models rightly: bots behind the text interface",
    "prompts": "how many characters, words and tokens language models read",
    "luck": "how many deals a judge of luck saves, by game",
}


def main(arguments: list[str] | None = None) -> int:
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help"):
        print(f"{__doc__}\n")
        print("\n".join(f"  {command:<10} {what}" for command, what in COMMANDS.items()))
        return 0
    if name not in COMMANDS:
        known = ", ".join(COMMANDS)
        print(f"benchmarks: there is no {name!r}{closest(name, list(COMMANDS))}; it has: {known}", file=sys.stderr)
        return 2
    return run_command(f"benchmarks {name}", lambda: int(import_module(f"benchmarks.{name}").main(rest)))


if __name__ == "__main__":
    sys.exit(main())
