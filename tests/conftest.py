"""Before workers start, kernels are compiled once: else each of them would compile what its tests call."""

import subprocess
import sys

import pytest


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    if config.getoption("numprocesses", None) and not is_worker:
        subprocess.run([sys.executable, "-m", "casino_env", "compile"], check=True)
