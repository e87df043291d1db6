"""Any program as an agent, process:COMMAND: it is asked `move` of the engine protocol, with the view of its seat and
the legal actions, and answers with one of them (docs/protocol.md).

A program that ends, gives no answer in time or one that is none has failed. It is started anew and asked again, so that
every move is its own; the second failure in a deal is that of the agent.
"""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
import weakref
from contextlib import suppress
from typing import Any

import numpy as np

from casino_env.actions import action_text
from casino_env.agents.registry import AgentError
from casino_env.agents.workspaces import Turnstile, one_at_a_time
from casino_env.observed import Observed
from casino_env.validate import float_in, int_in, one_line, parse_json, short_repr
from casino_env.views import as_view

_STARTING = 10.0  # seconds more for the first answer
_LONGEST = 1 << 20  # bytes of an answer
_KEPT = 4096  # bytes of what it writes to its standard error: the last line may say why it ended
_MOST_SECONDS, _MOST_RESTARTS = 86_400.0, 1000


class _FaultError(Exception):
    """What the program has done instead of answering."""


class Process:
    """command: as a shell would split it, but no shell is asked. seconds: for an answer. restarts: in a deal."""

    def __init__(self, command: str, seconds: float = 5.0, restarts: int = 1) -> None:
        self._words = shlex.split(command)
        if not self._words or shutil.which(self._words[0]) is None:
            raise ValueError(f"there is no program {short_repr(self._words[0] if self._words else command)}")
        self._seconds = float_in(seconds, "seconds", 0.0, _MOST_SECONDS, above=True)
        self._restarts = int_in(restarts, "restarts", 0, _MOST_RESTARTS)
        self._given = command, seconds, restarts
        self.entrance = Turnstile()
        self._rng, self._faults = np.random.default_rng(0), 0
        self._program: _Program | None = None

    def __deepcopy__(self, _: Any) -> Process:
        """With a program of its own."""
        return Process(*self._given)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng, self._faults = rng, 0

    @one_at_a_time
    def act(self, observation: Observed) -> int:
        legal = {action_text(action): action for action in observation.legal()}
        seed = int(self._rng.integers(2**32))
        request = {"do": "move", "view": as_view(observation), "legal": list(legal), "seed": seed}
        line = json.dumps(request).encode() + b"\n"
        while True:
            try:
                return legal[_chosen(self._ask(line), legal)]
            except _FaultError as fault:
                self._end()
                self._faults += 1
                if self._faults > self._restarts:
                    more = f"; fault {self._faults} of the deal" if self._restarts else ""
                    raise AgentError(f"{fault}{more}") from None
            except BaseException:  # the time of somebody else is up: what it may still answer is of no use
                self._end()
                raise

    def _ask(self, line: bytes) -> bytes:
        limit = self._seconds
        if self._program is None:
            self._program = _Program(self._words)
            limit += _STARTING
        return self._program.ask(line, limit)

    def _end(self) -> None:
        program, self._program = self._program, None
        if program:
            program.end()


def _chosen(answer: bytes, legal: dict[str, int]) -> str:
    try:
        reply = parse_json(answer, "its answer")
    except ValueError as error:
        raise _FaultError(f"no JSON: {one_line(error)}") from None
    if not isinstance(reply, dict):
        raise _FaultError(f"its answer is {short_repr(reply)}, no JSON object")
    if reply.get("ok") is False:
        raise _FaultError(f"it refuses: {short_repr(reply.get('message'))}")
    action = reply.get("action")
    if not isinstance(action, str) or action not in legal:
        raise _FaultError(f"illegal action {short_repr(action)}")
    return action


class _Program:
    """It runs, until it is ended or forgotten."""

    def __init__(self, words: list[str]) -> None:
        pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        try:
            self._child = subprocess.Popen(words, bufsize=0, start_new_session=True, preexec_fn=_end_with_us, **pipes)
        except (OSError, ValueError) as error:
            raise AgentError(f"it cannot be started: {one_line(error)}") from None
        self.end = weakref.finalize(self, _kill, self._child)
        self._said = b""

    def ask(self, line: bytes, seconds: float) -> bytes:
        child, answer, until = self._child, bytearray(), time.monotonic() + seconds
        assert child.stdin and child.stdout and child.stderr
        with suppress(BrokenPipeError):  # it has ended, which is seen below
            child.stdin.write(line)
        with selectors.DefaultSelector() as waiting:
            waiting.register(child.stdout, selectors.EVENT_READ)
            waiting.register(child.stderr, selectors.EVENT_READ)
            while b"\n" not in answer:
                ready = waiting.select(max(0.0, until - time.monotonic()))
                if not ready or time.monotonic() > until:  # it may talk and talk
                    raise _FaultError(f"no answer within {seconds:g} s")
                for key, _ in ready:
                    part = os.read(key.fd, 1 << 16)
                    if key.fileobj is child.stderr:
                        self._said = (self._said + part)[-_KEPT:]
                        if not part:
                            waiting.unregister(child.stderr)
                    elif part:
                        answer += part
                    else:
                        raise _FaultError(self._ending())
                if len(answer) > _LONGEST:
                    raise _FaultError(f"an answer of more than {_LONGEST:,} bytes")
        first, _, rest = bytes(answer).partition(b"\n")
        if rest:
            raise _FaultError(f"more than one line for an answer: {short_repr(rest[:100].decode(errors='replace'))}")
        return first

    def _ending(self) -> str:
        """How it has ended, and the last that it said."""
        child = self._child
        assert child.stderr
        try:
            code = child.wait(1.0)
        except subprocess.TimeoutExpired:
            return "it has closed its standard output"
        os.set_blocking(child.stderr.fileno(), False)
        with suppress(BlockingIOError):
            while part := os.read(child.stderr.fileno(), 1 << 16):
                self._said = (self._said + part)[-_KEPT:]
        lines = self._said.decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        return f"it {how}{f', saying {short_repr(last)}' if last else ''}"


def _kill(child: subprocess.Popen[bytes]) -> None:
    """With what it has started."""
    if child.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout, child.stderr):
        assert pipe
        pipe.close()


_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PR_SET_PDEATHSIG = 1


def _end_with_us() -> None:
    """Called in the new process: a worker that is killed can end nothing. Elsewhere the end of its input has to do."""
    if _LIBC:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
