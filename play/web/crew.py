"""The worker processes: each does one job at a time, and is replaced if it crashes or takes too long."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import signal
import struct
import sys
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from casino_env.play.web.refusals import RefusedError, refusal_of

_HEAD = struct.Struct("<4Q")  # status, and the lengths of facts, body and kept
_LARGEST = 64 << 20  # bytes of an answer
_MEMORY = 1 << 30  # bytes that a worker may take beyond those it begins with
_LINUX = sys.platform.startswith("linux")
_PR_SET_PDEATHSIG = 1


class Answer(NamedTuple):
    """What comes back. None of it is unpickled here: a worker may have been hurt by what it read."""

    status: int  # 200, or as of RefusedError
    facts: dict[str, Any]  # jobs.Done.facts, or the code and the message of a refusal
    body: bytes
    kept: bytes

    def packed(self) -> bytes:
        facts = json.dumps(self.facts).encode()
        return _HEAD.pack(self.status, len(facts), len(self.body), len(self.kept)) + facts + self.body + self.kept

    @classmethod
    def unpacked(cls, data: bytes) -> Answer:
        status, facts, body, kept = _HEAD.unpack_from(data)
        ends = [_HEAD.size, _HEAD.size + facts, _HEAD.size + facts + body, _HEAD.size + facts + body + kept]
        if ends[-1] != len(data):
            raise ValueError("an answer of another length than it says")
        return cls(status, json.loads(data[ends[0] : ends[1]]), data[ends[1] : ends[2]], data[ends[2] : ends[3]])


class Worker:
    """A process and the line to it."""

    def __init__(self, named: tuple[str, ...]) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["casino_env.play.web.ready"])
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, named), daemon=True, name="casino-worker")
        self._process.start()
        theirs.close()

    def ask(self, job: str, arguments: tuple[Any, ...], seconds: float) -> Answer:
        """The answer to a job; raises RefusedError if it is one, and EOFError or OSError if the worker is lost."""
        self._line.send_bytes(pickle.dumps((job, arguments, seconds)))
        try:
            answer = Answer.unpacked(self._line.recv_bytes(_LARGEST))
        except (ValueError, struct.error) as error:
            raise EOFError(f"not an answer: {error}") from None
        if answer.status != 200:
            raise RefusedError(answer.status, str(answer.facts.get("code")), str(answer.facts.get("message")))
        return answer

    def lost(self, seconds: float) -> RefusedError:
        """What to say of a job that has ended without an answer; the process is gone then."""
        self._process.join(0.5)
        code = self._process.exitcode
        self.kill()
        self._line.close()
        if code == -signal.SIGALRM:
            return RefusedError(503, "budget", f"this took more than {seconds:g} seconds, which is the most")
        return RefusedError(503, "lost", "the process that worked on this request has ended; nothing has changed")

    def kill(self) -> None:
        """At once, whatever it is doing."""
        self._process.kill()


# --- in the worker -----------------------------------------------------------------------------------------------


def _work(line: Connection, named: tuple[str, ...]) -> None:
    """Job after job until the server hangs up."""
    from casino_env.play.players import Players

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process, even one that is caught in a kernel
    end_with_parent()
    _limit_memory()
    players = Players(named)
    while True:
        try:
            job, arguments, seconds = pickle.loads(line.recv_bytes())
        except (EOFError, OSError):
            return
        signal.setitimer(signal.ITIMER_REAL, seconds)
        packed = answered(job, (players, *arguments)).packed()
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            line.send_bytes(packed)
        except OSError:
            return


def answered(job: str, arguments: tuple[Any, ...]) -> Answer:
    """The answer to a job, whatever happens to it; tests call this in their own process."""
    from casino_env.play.web.jobs import JOBS

    try:
        done = JOBS[job](*arguments)
        return Answer(200, done.facts(), done.body(), done.kept())
    except Exception as error:  # noqa: BLE001  whatever happens, somebody waits for an answer
        refusal = refusal_of(error)
        return Answer(refusal.status, {"code": refusal.code, "message": str(refusal)}, b"", b"")


def end_with_parent() -> None:
    """Nobody works for a server that was killed. Elsewhere than on Linux a worker ends with its work."""
    if _LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _limit_memory() -> None:
    """Where the system can; elsewhere the machine is the limit."""
    if not _LINUX:
        return
    import resource
    from pathlib import Path

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + _MEMORY
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
