"""python -m train: learn to play a game by self-play.

python -m train CONFIG.toml ...     train; `python -m train --help`
python -m train exploit ...         what a trained opponent wins from an agent
python -m train sweep ...           search settings, or change them one at a time, by many short runs
python -m train opponents ...       train the policies that come with the project
python -m train distil ...          a network over actions that plays like a policy that judges tables
"""

from __future__ import annotations

import importlib
import signal
import sys
from typing import Any

from casino_env.guarded import guarded
from train.config import ConfigError

# The module of each command; they load torch, so only the one that is asked for is imported. A file of settings that is
# called like a command is trained by its path: ./sweep.
_COMMANDS = {name: f"train.commands.{name}" for name in ("distil", "exploit", "opponents", "sweep")}
_TRAIN = "train.commands.train"


def main(arguments: list[str] | None = None) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # being told to stop is the same as Ctrl-C
    given = sys.argv[1:] if arguments is None else arguments
    named = given[0] in _COMMANDS if given else False
    command = importlib.import_module(_COMMANDS[given[0]] if named else _TRAIN)
    return guarded(
        "train",
        lambda: _run(command, given[1:] if named else given),
        misuse=(ConfigError,),
        failures=(RuntimeError,),
    )


def _run(command: Any, arguments: list[str]) -> int:
    """What was interrupted says itself whether anything was kept."""
    try:
        return int(command.main(arguments))
    except KeyboardInterrupt as stopped:
        if str(stopped):
            raise RuntimeError(str(stopped)) from None
        raise


if __name__ == "__main__":
    sys.exit(main())
