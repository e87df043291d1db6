"""The machine: cores, memory, locks, terminals, child processes. Differences between systems are handled here only."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import shlex
import signal
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO, Any, TextIO


def _module(name: str) -> Any:
    """Import a module; None where Python lacks it."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


fcntl, msvcrt, resource = map(_module, ("fcntl", "msvcrt", "resource"))
_os: Any = os  # Any: the type stubs of os lack names of other systems
_windows: Any = getattr(ctypes, "WinDLL", None)
_UNKNOWN = 1 << 62


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # only on Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> int:
    """Bytes of memory that this process may use."""
    there = _UNKNOWN
    if _windows:
        status = ctypes.create_string_buffer(struct.pack("<I", 64), 64)  # MEMORYSTATUSEX, which begins with its size
        _windows("kernel32").GlobalMemoryStatusEx(status)
        there = int(struct.unpack_from("<Q", status, 8)[0])
    elif hasattr(os, "sysconf"):
        there = _os.sysconf("SC_PHYS_PAGES") * _os.sysconf("SC_PAGE_SIZE")
    if resource and (limit := resource.getrlimit(resource.RLIMIT_AS)[0]) != resource.RLIM_INFINITY:
        there = min(there, limit)
    with suppress(OSError, ValueError):  # no cgroup, or "max" instead of a number
        there = min(there, int(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
    return there


def lock(handle: int) -> None:
    """Lock an open file against other processes until it is closed; raise OSError if another has locked it."""
    if fcntl:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif msvcrt:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)


def sync_folder(folder: Path) -> None:
    """Flush a folder's list of files to the disk (fsync)."""
    if os.name == "nt":  # Windows opens no folders
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- terminals --------------------------------------------------------------------------------------------------------


def shows_colours(stream: TextIO) -> bool:
    """Whether the stream is a terminal that shows colours, and NO_COLOR does not switch them off."""
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    if not _windows:
        return True
    kernel, mode = _windows("kernel32"), ctypes.c_uint32()
    kernel.GetStdHandle.restype = ctypes.c_void_p
    console = ctypes.c_void_p(kernel.GetStdHandle(-11))  # standard output
    there = kernel.GetConsoleMode(console, ctypes.byref(mode))
    return bool(there and kernel.SetConsoleMode(console, mode.value | 4))  # ENABLE_VIRTUAL_TERMINAL_PROCESSING


def shows_letters(stream: TextIO, letters: str) -> bool:
    """Whether the stream is a terminal that can show all these characters."""
    try:
        letters.encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return stream.isatty()


def bear_no_processes() -> None:
    """Stub `_multiprocessing` in a browser's Python, which lacks it: gymnasium imports it but does not use it."""
    stand_in: Any = ModuleType("_multiprocessing")
    stand_in.SemLock, stand_in.sem_unlink = type("SemLock", (), {"SEM_VALUE_MAX": 1}), None
    sys.modules.setdefault("_multiprocessing", stand_in)


# --- child processes, which end with this process --------------------------------------------------------------------


def end_with_parent() -> None:
    """End this multiprocessing process as soon as its parent has ended, for whatever reason."""
    threading.Thread(target=_follow, args=(multiprocessing.parent_process(),), daemon=True).start()


def _follow(parent: Any) -> None:
    if parent is not None:
        parent.join()
        os._exit(1)


def words_of(command: str) -> list[str]:
    """Split a command as a shell would, but keep backslashes on Windows; raise ValueError if it is malformed."""
    return shlex.split(command.replace("\\", "\\\\") if os.sep == "\\" else command)


class Child:
    """A program with pipes. It and the processes it started end when this process ends, for whatever reason. On Linux
    and macOS these are its process group: a process that starts its own session, as daemons do, lives on."""

    def __init__(self, words: list[str]) -> None:
        pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        child = self._process = subprocess.Popen(words, bufsize=0, start_new_session=True, **pipes)
        self.pid = child.pid
        self._tie = _Guard(child) if hasattr(os, "killpg") else _Job(child) if _windows else None
        assert child.stdin and child.stdout and child.stderr
        self.stdin: IO[bytes] = child.stdin
        self.stdout: IO[bytes] = child.stdout
        self.stderr: IO[bytes] = child.stderr

    def ending(self, seconds: float) -> str:
        """How the program ended, or "" if it still runs after these seconds."""
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return ""
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    def kill(self) -> None:
        if self._tie:
            self._tie.kill()
        else:
            self._process.terminate()
        self._process.wait()
        self.stdin.close()


class _Guard:
    """A shell that kills a process group when the pipe from this process closes without a message."""

    def __init__(self, leader: subprocess.Popen[bytes]) -> None:
        self._leader = leader
        words = ["/bin/sh", "-c", 'read -r _ || kill -s KILL -- "-$0"', str(leader.pid)]
        silent = subprocess.DEVNULL
        pipe = subprocess.PIPE
        self._shell = subprocess.Popen(words, stdin=pipe, stdout=silent, stderr=silent, start_new_session=True)

    def kill(self) -> None:
        if self._leader.returncode is None:  # once it has been waited for, its number may be reused
            with suppress(ProcessLookupError, PermissionError):
                _os.killpg(self._leader.pid, 9)
        self._shell.communicate(b"\n")


class _Job:
    """A Windows job object: its processes end when its last handle closes, which happens when this process ends."""

    def __init__(self, process: Any) -> None:
        kernel = self._kernel = _windows("kernel32")
        kernel.CreateJobObjectW.restype = ctypes.c_void_p
        self._job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
        limits = ctypes.create_string_buffer(144)  # JOBOBJECT_EXTENDED_LIMIT_INFORMATION of 64 bits
        struct.pack_into("<I", limits, 16, 0x2000)  # LimitFlags: JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
        kernel.SetInformationJobObject(self._job, 9, limits, len(limits))  # 9: JobObjectExtendedLimitInformation
        kernel.AssignProcessToJobObject(self._job, ctypes.c_void_p(int(process._handle)))

    def kill(self) -> None:
        self._kernel.TerminateJobObject(self._job, 1)
        self._kernel.CloseHandle(self._job)
