"""Any program as an agent (process:COMMAND), over the engine protocol (docs/protocol.md).

Its request is `move`, with the view of its seat and the legal actions; it answers with one of them. A program that
exits, answers too late or answers nonsense has failed. It is restarted and asked again, so that every move is its own;
after `restarts` failures in a deal the next one raises AgentError.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
import weakref
from contextlib import suppress
from queue import Empty, Queue
from typing import IO, Any

import numpy as np

from casino_env.actions import action_text
from casino_env.agents.registry import AgentError
from casino_env.agents.workspaces import Turnstile, one_at_a_time
from casino_env.machine import Child, words_of
from casino_env.observed import Observed
from casino_env.validate import float_in, int_in, one_line, parse_json, short_repr
from casino_env.views import as_view

_STARTING = 10.0  # extra seconds for the first answer
_LONGEST = 1 << 20  # most bytes of an answer
_PART = 1 << 16
_KEPT = 4096  # last bytes kept of its standard error: the last line may say why it ended
_MOST_SECONDS, _MOST_RESTARTS = 86_400.0, 1000


class _FaultError(Exception):
    """The program failed: what it did instead of answering."""


class Process:
    """command: split like a shell, but run without one. seconds: per answer. restarts: per deal."""

    def __init__(self, command: str, seconds: float = 5.0, restarts: int = 1) -> None:
        self._words = words_of(command)
        if not self._words or shutil.which(self._words[0]) is None:
            raise ValueError(f"program not found: {short_repr(self._words[0] if self._words else command)}")
        self._seconds = float_in(seconds, "seconds", 0.0, _MOST_SECONDS, above=True)
        self._restarts = int_in(restarts, "restarts", 0, _MOST_RESTARTS)
        self._given = command, seconds, restarts
        self.entrance = Turnstile()
        self._rng, self._faults = np.random.default_rng(0), 0
        self._program: _Program | None = None

    def __deepcopy__(self, _: Any) -> Process:
        """A copy that starts its own program."""
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
            except BaseException:  # such as a time limit: a late answer would be useless
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
        raise _FaultError(f"not JSON: {one_line(error)}") from None
    if not isinstance(reply, dict):
        raise _FaultError(f"its answer is {short_repr(reply)}, not a JSON object")
    if reply.get("ok") is False:
        raise _FaultError(f"it refused: {short_repr(reply.get('message'))}")
    action = reply.get("action")
    if not isinstance(action, str) or action not in legal:
        raise _FaultError(f"illegal action {short_repr(action)}")
    return action


class _Program:
    """A running program; it is killed by end(), or when the object is collected."""

    def __init__(self, words: list[str]) -> None:
        try:
            self._child = Child(words)
        except (OSError, ValueError) as error:
            raise AgentError(f"it cannot be started: {one_line(error)}") from None
        self._answers, self._said = _Answers(self._child.stdout), bytearray()
        self._reader = threading.Thread(target=_keep_end, args=(self._child.stderr, self._said), daemon=True)
        self._reader.start()
        self.end = weakref.finalize(self, _end, self._child, self._answers)

    def ask(self, line: bytes, seconds: float) -> bytes:
        answer, until = bytearray(), time.monotonic() + seconds
        with suppress(OSError):  # it has ended, as found below
            self._child.stdin.write(line)
        while b"\n" not in answer:
            part = self._answers.next_part(until)
            if part is None:
                raise _FaultError(f"no answer within {seconds:g} s")
            if not part:
                raise _FaultError(self._ending())
            answer += part
            if len(answer) > _LONGEST:
                raise _FaultError(f"its answer is longer than {_LONGEST:,} bytes")
        first, _, rest = bytes(answer).partition(b"\n")
        if rest:
            raise _FaultError(f"its answer has more than one line: {short_repr(rest[:100].decode(errors='replace'))}")
        return first

    def _ending(self) -> str:
        """How the program has ended, and the last line of its standard error."""
        how = self._child.ending(1.0)
        if not how:
            return "it has closed its standard output"
        self._reader.join(1.0)
        lines = self._said.decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"it {how}{f', saying {short_repr(last)}' if last else ''}"


def _end(child: Child, answers: _Answers) -> None:
    child.kill()
    answers.forget()


# Threads read the pipes, because Windows has no other way to wait for one with a timeout.


class _Answers:
    """Reads a pipe into a bounded queue, so that a program which writes unasked blocks."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._parts: Queue[bytes] = Queue(4)
        self._forgotten = threading.Event()
        threading.Thread(target=_pass_on, args=(pipe, self._parts, self._forgotten), daemon=True).start()

    def next_part(self, until: float) -> bytes | None:
        """The next part; b"" at the end of the pipe, None after a timeout."""
        left = until - time.monotonic()
        if left <= 0:  # parts may keep coming without end
            return None
        try:
            return self._parts.get(timeout=left)
        except Empty:
            return None

    def forget(self) -> None:
        self._forgotten.set()
        with suppress(Empty):
            while True:
                self._parts.get_nowait()


def _pass_on(pipe: IO[bytes], parts: Queue[bytes], forgotten: threading.Event) -> None:
    with pipe:
        while not forgotten.is_set() and (part := os.read(pipe.fileno(), _PART)):
            parts.put(part)
    if not forgotten.is_set():
        parts.put(b"")


def _keep_end(pipe: IO[bytes], kept: bytearray) -> None:
    """Keep the last bytes that come through a pipe."""
    with pipe:
        while part := os.read(pipe.fileno(), _PART):
            kept += part
            del kept[:-_KEPT]
