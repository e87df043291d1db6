"""Pytest setup: compile the kernels once before the workers start, so that no worker compiles them for itself.
Restore Ctrl-C, which shells make background jobs ignore."""

import io
import signal
import subprocess
import sys
from typing import NamedTuple

import pytest


def pytest_configure(config: pytest.Config) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    is_worker = hasattr(config, "workerinput")
    if config.getoption("numprocesses", None) and not is_worker:
        subprocess.run([sys.executable, "-m", "casino_env", "compile"], check=True)


class Done(NamedTuple):
    """The exit code and output of a command."""

    code: object
    out: str
    err: str


@pytest.fixture
def casino(capfd, monkeypatch):
    """Return a function that runs `casino WORDS` in this process; given: its standard input."""
    from casino_env.cli import main

    def call(*words: object, given: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        try:
            code: object = main([str(word) for word in words])
        except SystemExit as stop:  # argparse
            code = stop.code
        done = Done(code, *capfd.readouterr())
        assert "Traceback" not in done.err
        return done

    return call
