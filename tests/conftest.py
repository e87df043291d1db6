"""Before workers start, kernels are compiled once: else each of them would compile what its tests call.
Ctrl-C is heard, also where the tests run in the background of a shell that ignores it there."""

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
    """What came of a command."""

    code: object
    out: str
    err: str


@pytest.fixture
def casino(capfd, monkeypatch):
    """`casino WORDS` in this process; given: on its standard input."""
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
