"""casino train: learn to play a game by self-play.

casino train CONFIG.toml ...     train; `casino train --help`
casino train exploit ...         what a trained opponent wins from an agent
casino train sweep ...           search settings, or change them one at a time, by many short runs
casino train opponents ...       train the policies that come with the project
casino train distil ...          a network over actions that plays like a policy that judges tables
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from casino_env.cli import run_command
from casino_env.train.settings import ConfigError

# The module of each command; they load torch, so only the one that is asked for is imported. A file of settings that is
# called like a command is trained by its path: ./sweep.
_COMMANDS = {name: f"casino_env.train.commands.{name}" for name in ("distil", "exploit", "opponents", "sweep")}
_TRAIN = "casino_env.train.commands.train"


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    named = given[0] in _COMMANDS if given else False
    command = importlib.import_module(_COMMANDS[given[0]] if named else _TRAIN)
    return run_command(
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
