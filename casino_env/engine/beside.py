"""Kernels that another process compiles, while this one compiles those that it needs before.

A first game needs the kernels of the environment and of each kind of agent in it. Compiled one after the other they
take as long as all together; side by side as long as the slowest, if there are cores for them. Each process compiles
what all of them need once more, so two threads of one core gain nothing by it.
"""

import multiprocessing
import os
import subprocess
import sys
from typing import Any

_IN_IT = "CASINO_ENV_BESIDE"  # set in such a process: it begins no others
_running: dict[str, subprocess.Popen[bytes]] = {}  # by the package whose kernels they are
_WORK = "import sys; sys.path[:] = {path!r}; from casino_env.compiling import compile_part; compile_part({part!r})"


def begin(part: str, entry: Any) -> None:
    """Have a part of casino_env.compiling compiled, if the entry that is named of it is not kept on disk yet."""
    home = entry.__module__.rpartition(".")[0]
    if home in _running or getattr(entry, "kept", True) or not _is_worth_it():
        return
    _running[home] = subprocess.Popen(
        [sys.executable, "-c", _WORK.format(path=sys.path, part=part)],
        env=os.environ | {_IN_IT: "1", "CASINO_ENV_QUIET": "1"},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _is_worth_it() -> bool:
    """There is another core, and this is not one of many workers, each of which would begin its own."""
    cores = (os.cpu_count() or 1) // 2  # processors are mostly threads, two a core
    busy = 1 + sum(process.poll() is None for process in _running.values())
    return _IN_IT not in os.environ and cores > busy and multiprocessing.parent_process() is None


def wait(module: str) -> None:
    """Until the kernels of a module are no longer being compiled elsewhere. If that failed, they are compiled here."""
    process = _running.get(module.rpartition(".")[0])
    if process is not None:
        process.wait()
