"""Before workers start, kernels are compiled once: else each of them would compile what its tests call.
Ctrl-C is heard, also where the tests run in the background of a shell that ignores it there."""

import signal
import subprocess
import sys

import pytest


def pytest_configure(config: pytest.Config) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    is_worker = hasattr(config, "workerinput")
    if config.getoption("numprocesses", None) and not is_worker:
        subprocess.run([sys.executable, "-m", "casino_env", "compile"], check=True)
