"""python -m benchmarks NAME: how fast the parts of the project are; NAME --help says more."""

from __future__ import annotations

import sys
from importlib import import_module

from casino_env.cli import run_command
from casino_env.rules import closest

# Each is a module of this folder with main(arguments) -> exit code, loaded when it is asked for.
COMMANDS = {
    "agents": "decisions a second of the scripted bots",
    "afterstates": "afterstates of a turn, in every game: how many, and how long it takes to list them",
    "episodes": "decisions of a deal in every game, its rewards, and what an untrained network scores",
    "solver": "seconds that endings take the exact solver",
    "training": "decisions a second of the training loop, beside the arithmetic that it needs",
    "speedrun": "seconds of two cores from nothing to +3 over counter, and the board of releases",
    "browser": "the card table in a slower browser: bytes, the first card, milliseconds a move",
    "peers": "random play in other projects' card games and in ours",
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
