"""A conversation with an engine that may do anything: it is asked, and what it gets wrong is an error in words."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from typing import Any

Data = dict[str, Any]


class FailedError(Exception):
    """What the engine did wrong."""


class Child:
    """An engine as a child process: a line out, a line in."""

    def __init__(self, command: list[str], patience: float) -> None:
        self._patience = patience
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", errors="replace"
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def exchange(self, line: str) -> str:
        """The line that comes back."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:
            raise FailedError("it has ended") from None
        try:
            answer = self._lines.get(timeout=self._patience)
        except queue.Empty:
            raise FailedError(f"no answer within {self._patience:g} seconds to {line[:80]}") from None
        if not answer:
            raise FailedError(f"it ended instead of answering {line[:80]}")
        return answer

    def ended(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


class Talk:
    """Requests with numbers, and their replies as data; child is a Child, or anything that does the same."""

    def __init__(self, child: Any) -> None:
        self._child = child
        self._number = 0
        self.granted: list[tuple[str, Data]] = []  # what was asked for, and the reply
        self.ended, self.close = child.ended, child.close

    def send(self, line: str) -> Data:
        """The reply to a line, whatever it is."""
        return _parsed(self._child.exchange(line))

    def ask(self, do: str, **more: Any) -> Data:
        """The reply to a request that has to be granted."""
        reply = self._reply(do, more)
        if reply.get("ok") is not True:
            raise FailedError(f"{do} was refused: {reply.get('message')}")
        self.granted.append((do, reply))
        return reply

    def knows(self, do: str) -> bool:
        """Whether the engine says that it answers this; engines of before it was there do not."""
        return do in self.ask("hello").get("requests", [])

    def refused(self, do: str, **more: Any) -> None:
        """A request that has to be refused."""
        expect_error(self._reply(do, more), f"{do} {json.dumps(more)[:60]}")

    def _reply(self, do: str, more: Data) -> Data:
        self._number += 1
        reply = self.send(json.dumps({"id": self._number, "do": do, **more}, allow_nan=False))
        if reply.get("id") != self._number:
            raise FailedError(f"{do} with id {self._number} was answered with id {reply.get('id')!r}")
        return reply


def _parsed(line: str) -> Data:
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        raise FailedError(f"an answer is not JSON: {line[:80]!r}") from None
    if not isinstance(reply, dict):
        raise FailedError(f"an answer is not an object: {line[:80]!r}")
    return reply


def expect_error(reply: Data, what: str) -> None:
    if reply.get("ok") is not False or not isinstance(reply.get("error"), str) or not reply.get("message"):
        raise FailedError(
            f"{what} must be refused with error and message, and was answered with {json.dumps(reply)[:120]}"
        )
