"""`casino env|agents|evaluate|train|play ...`: every command of the project, from any folder."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from importlib.metadata import version

from casino_env.guarded import closest, guarded
from casino_env.parts.places import FOLDER, PARTS

_COMMANDS = {"env": "casino_env"} | {part: part for part in PARTS}
_HELP = """usage: casino COMMAND ...

  casino env ...        the rules: variants, turns of positions, counts, replays, speed
  casino agents ...     who plays: a list, moves in positions, an engine for other programs
  casino evaluate ...   who is better: matches, tournaments, reports
  casino train ...      a new opponent by self-play
  casino play ...       a table in the terminal, or with --web in the browser

`casino COMMAND --help` says more of each; `casino --version` which this is."""


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if not words or words[0] in ("-h", "--help"):
        print(_HELP)
        return 0 if words else 2
    if words[0] == "--version":
        print(f"casino-env {version('casino-env')}")
        return 0
    if words[0] not in _COMMANDS:
        near = closest(words[0], list(_COMMANDS))
        print(f"casino: no command {words[0][:60]!r}{near}; there are {', '.join(_COMMANDS)}", file=sys.stderr)
        return 2
    return guarded("casino", lambda: _run(_COMMANDS[words[0]], words[1:]))


def _run(part: str, words: list[str]) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # being told to stop is the same as Ctrl-C
    _set_paths()
    return int(import_module(f"{part}.__main__").main(words))


def _set_paths() -> None:
    """Ours before all, whatever lies in the folder of the user, whose own bots are found last; for processes, too."""
    sys.path[:] = [str(FOLDER), *(place for place in sys.path if place not in ("", str(FOLDER))), ""]
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(FOLDER), *([before] if before else [])])
    os.environ["PYTHONSAFEPATH"] = "1"
