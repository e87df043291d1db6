"""`casino agents serve`: the engine protocol as JSON lines, from standard input to standard output."""

from __future__ import annotations

import json
import sys
from typing import BinaryIO, TextIO

from casino_env.agents.protocol.engine import MAX_LINE, Engine


def serve(agent: str, requests: BinaryIO | None = None, replies: TextIO | None = None, *, trust: bool = False) -> None:
    """Answer until `quit` or the end of the input. trust: requests may name agents that are code of their own."""
    engine = Engine(agent, trust=trust)
    _warm_up(agent)
    answer_lines(engine, requests or sys.stdin.buffer, replies or sys.stdout)


def answer_lines(engine: Engine, source: BinaryIO, replies: TextIO) -> None:
    """A reply for each line."""
    while not engine.finished and (line := source.readline(MAX_LINE + 2)):
        if not line.endswith(b"\n") and len(line) > MAX_LINE:
            _skip_line(source)
        reply = engine.reply_to_line(line.rstrip(b"\r\n"))
        print(json.dumps(reply, allow_nan=False), file=replies, flush=True)


def _warm_up(agent: str) -> None:
    """One move beforehand, so that what has to be compiled does not count against the time of another."""
    engine = Engine(agent)
    for request in ({"do": "new"}, {"do": "move", "simulations": 1}):
        engine.reply(request)


def _skip_line(source: BinaryIO) -> None:
    while (part := source.readline(MAX_LINE)) and not part.endswith(b"\n"):
        pass
