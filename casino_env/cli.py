"""`casino COMMAND ...`: the entry point of all commands; errors become one line and an exit code."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from casino_env.extras import missing_package
from casino_env.validate import closest, error_text
from casino_env.version import __version__

Errors = tuple[type[Exception], ...]
TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

# The module of each command, loaded on demand because some import torch.
PARTS = {
    "env": "casino_env.env_commands",
    "agents": "casino_env.agents.cli",
    "evaluate": "casino_env.evaluate.cli",
    "train": "casino_env.train.cli",
    "play": "casino_env.play.cli",
}
# Commands of `env`, which may be left out: `casino bench`.
ENV_COMMANDS = (
    "variants", "turns", "perft", "replay", "observation", "bench", "golden", "compile", "library", "examples",
)  # fmt: skip
_HELP = f"""usage: casino COMMAND ...

  casino env ...        the rules and the engine; `env` may be left out:
                        {", ".join(ENV_COMMANDS)}
  casino agents ...     who plays: a list, moves in positions, an engine for other programs
  casino evaluate ...   who is better: matches, tournaments, reports
  casino train ...      a new opponent by self-play
  casino play ...       a table in the terminal, or with --web in the browser

`casino COMMAND --help` says more of each; `casino --version` which this is."""


def main(arguments: list[str] | None = None) -> int:
    return run_command("casino", lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(_HELP, file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    if words[0] == "--version":
        print(f"casino-env {__version__}")
        return 0
    if words[0] in ENV_COMMANDS:
        words = ["env", *words]
    if words[0] not in PARTS:
        known = [*PARTS, *ENV_COMMANDS]
        near = closest(words[0], known)
        print(f"casino: unknown command {words[0][:60]!r}{near}; known: {', '.join(known)}", file=sys.stderr)
        return 2
    part = import_module(PARTS[words[0]])
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # set by casino_env/__init__.py
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # handle SIGTERM like Ctrl-C
    return int(part.main(words[1:]))


def run_command(program: str, command: Callable[[], int], *, misuse: Errors = (), failures: Errors = ()) -> int:
    """Run a command and return its exit code: 2 if it was called wrongly (`misuse`), 1 if it failed."""
    _open_streams()
    failed: Errors = (ValueError, OSError, OverflowError, *failures)
    try:
        try:
            return command()
        finally:
            _flush()
    except BrokenPipeError:  # the reader has gone
        return 0
    except KeyboardInterrupt:
        return _failed(program, "interrupted")
    except MemoryError as error:
        return _failed(program, f"not enough memory{f': {error}' if str(error) else ''}")
    except RecursionError:
        return _failed(program, "the input is nested too deeply")
    except ModuleNotFoundError as error:
        if not missing_package(error):
            raise
        return _failed(program, missing_package(error))
    except misuse as error:
        return _failed(program, error_text(error), code=2)
    except failed as error:
        return _failed(program, error_text(error))


def _open_streams() -> None:
    """Replace standard streams that the shell has closed by os.devnull; escape letters that stdout cannot encode."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - stays open as long as the process
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def _flush() -> None:
    """Now, where a full disk or a reader that has gone can be told, and not when Python ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # Python tries again when it ends
            raise


def _failed(program: str, why: str, code: int = 1) -> int:
    print(f"{program}: {printable(why)}", file=sys.stderr)
    return code


@contextmanager
def watched() -> Iterator[Callable[[str], None]]:
    """Yield a function that says how far a long command is, if standard error is a terminal: each time on the same
    line, which is empty again at the end."""

    def show(words: str) -> None:
        if sys.stderr.isatty():
            print(f"{words:<72}", end="\r", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        show("")


def printable(text: str) -> str:
    """Text of files and arguments, safe for a terminal: control characters are escaped."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def switch(text: str) -> tuple[str, Any]:
    """Parse SWITCH=VALUE into a switch of the rules and its value, which make_rules checks later."""
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set {text}: must be SWITCH=VALUE")
    from casino_env.rules import kind_of_switch  # here, so that the help appears at once

    kind = kind_of_switch(key)
    if kind is bool:
        return key, TRUTH.get(value.lower(), value)
    return key, int(value) if kind is int and re.fullmatch("-?[0-9]{1,20}", value) else value
