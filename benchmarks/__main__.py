"""python -m benchmarks NAME: measure the speed and strength of the project's parts; NAME --help says more."""

from __future__ import annotations

import sys
from importlib import import_module

from casino_env.cli import run_command
from casino_env.validate import closest

# Modules of this folder with main(arguments) -> exit code; each is imported when its command is run.
COMMANDS = {
    "training": "decisions a second of the training loop, beside the arithmetic it needs at least",
    "speedrun": "seconds of two cores from nothing to +3 over counter, and the board of releases",
    "peers": "random play in other projects' card games and in ours",
    "thinking": "what thinking time is worth, in points over the policy alone",
    "advice": "how often the judge of hints and reviews blames a turn that loses nothing",
    "horizon": "how the length of play-outs affects the scatter of their results",
    "strength": "matches of the ready policies, kept beside their weights",
    "exam": "make the exams of `casino evaluate exam`, or resume",
    "predict": "how well exams predict matches",
    "capacity": "whether a policy lacks capacity, data or labels, by exams of networks that learn from it",
    "doubts": "a policy's error in the difference of two turns, in an exam",
    "ladder": "each scripted bot against the next weaker one, by game",
    "fresh": "how often `casino evaluate fresh` ranks bots correctly through the text interface",
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
        print(f"benchmarks: unknown benchmark {name!r}{closest(name, list(COMMANDS))}; known: {known}", file=sys.stderr)
        return 2
    return run_command(f"benchmarks {name}", lambda: int(import_module(f"benchmarks.{name}").main(rest)))


if __name__ == "__main__":
    sys.exit(main())
