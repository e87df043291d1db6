"""The engine protocol as lines: every one has its reply, whatever is in it and however long it is."""

import io
import json
from typing import BinaryIO, cast

from casino_env.agents.protocol.session import MAX_LINE, serve


def test_a_line_without_end_takes_no_memory():
    """100 MB in one line: it is read in pieces and refused, and what follows is answered."""

    class Endless(io.RawIOBase):
        left = 100 << 20

        def readable(self):
            return True

        def readinto(self, room):
            count = min(len(room), self.left)
            self.left -= count
            room[:count] = b"x" * count
            return count

    class Source:
        def __init__(self):
            self.parts = [io.BufferedReader(Endless()), io.BytesIO(b'\n{"id": 1, "do": "hello"}\n')]

        def readline(self, size):
            assert size <= MAX_LINE + 2
            return self.parts[0].readline(size) or self.parts[1].readline(size)

    replies = io.StringIO()
    serve("random", cast(BinaryIO, Source()), replies)
    found = [json.loads(line) for line in replies.getvalue().splitlines()]
    assert [row["ok"] for row in found] == [False, True]


def test_serving_lines():
    asked = [
        b'{"id": 1, "do": "hello"}',
        b"",
        b"nonsense",
        b"x" * (2 * MAX_LINE),
        b'{"id": 2, "do": "quit"}',
        b'{"id": 3}',
    ]
    replies = io.StringIO()
    serve("random", io.BytesIO(b"\n".join(asked) + b"\n"), replies)
    found = [json.loads(line) for line in replies.getvalue().splitlines()]
    assert [(row["id"], row["ok"]) for row in found] == [(1, True), *[(None, False)] * 3, (2, True)]
