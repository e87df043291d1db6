"""The Casino card games of southern Africa as a fast reinforcement-learning environment."""

import signal
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Ctrl-C ends the command without a traceback while it loads; after that cli.py reports it in one line.
_COMMAND = Path(sys.argv[0]).stem == "casino" or sys.orig_argv[1:3] == ["-m", "casino_env"]
if _COMMAND and signal.getsignal(signal.SIGINT) == signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from casino_env.version import __version__  # noqa: E402 - after the signal

if TYPE_CHECKING:
    from casino_env.envs.make import make_vec
    from casino_env.envs.pettingzoo import env, raw_env
    from casino_env.game import Game, IllegalActionError
    from casino_env.knowledge.layout import make_layout
    from casino_env.observed import Observed, observe
    from casino_env.rules import RULES_VERSION, Rules, make_rules, player_counts, variants
    from casino_env.turns import perft

__all__ = [
    "RULES_VERSION",
    "Game",
    "IllegalActionError",
    "Observed",
    "Rules",
    "__version__",
    "env",
    "make_layout",
    "make_rules",
    "make_vec",
    "observe",
    "perft",
    "player_counts",
    "raw_env",
    "variants",
]

# Loaded on first use: importing all of these takes longer than playing the first game.
_LAZY = {
    "RULES_VERSION": "rules",
    "Rules": "rules",
    "make_rules": "rules",
    "player_counts": "rules",
    "variants": "rules",
    "Game": "game",
    "IllegalActionError": "game",
    "Observed": "observed",
    "observe": "observed",
    "make_layout": "knowledge.layout",
    "perft": "turns",
    "make_vec": "envs.make",
    "env": "envs.pettingzoo",
    "raw_env": "envs.pettingzoo",
}

# agents, evaluate, train, play and configs are parts of this package. In a checkout they are folders beside it, with
# links to them inside. Without links (some file systems, the sdist) this finds them.
if not (Path(__file__).parent / "agents").is_dir():
    __path__.append(str(Path(__file__).parents[1]))

if find_spec("_multiprocessing") is None:
    import_module("casino_env.machine").bear_no_processes()
if not _COMMAND:  # the command needs the ids in bench.py only, and must print its help at once
    import_module("casino_env.envs.make").register_all()


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"casino_env.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'casino_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
