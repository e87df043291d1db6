"""Simulate macOS or Windows (SIM=darwin or SIM=win32, this folder on PYTHONPATH): remove the modules and functions that
Python lacks there. Paths, locks and processes stay those of this machine.
"""

import os
import signal
import sys
from typing import Any

_LINUX = ["sched_getaffinity", "sched_setaffinity", "memfd_create", "posix_fadvise", "pidfd_open", "copy_file_range"]
_POSIX = [
    "chown",
    "fork",
    "geteuid",
    "getloadavg",
    "getpgid",
    "getuid",
    "killpg",
    "mkfifo",
    "nice",
    "setsid",
    "sysconf",
]
_MODULES = ["curses", "fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"]
_SIGNALS = ["SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2", "ITIMER_REAL", "alarm", "setitimer"]


def take_away(modules: list[str], functions: list[str], signals: list[str]) -> None:
    loaded: dict[str, Any] = sys.modules
    for name in modules:
        loaded[name] = None  # importing it raises ModuleNotFoundError
    for owner, names in ((os, functions), (signal, signals)):
        for name in names:
            if hasattr(owner, name):
                delattr(owner, name)


match os.environ.get("SIM"):
    case "darwin":
        take_away([], _LINUX, ["SIGPWR", "SIGSTKFLT"])
    case "win32":
        import subprocess  # import these before the removal: they need what this system has
        from multiprocessing import popen_fork

        programs: list[Any] = [subprocess.Popen, popen_fork.Popen]
        for program in programs:
            program.kill = program.terminate
        take_away(_MODULES, _LINUX + _POSIX, _SIGNALS)
