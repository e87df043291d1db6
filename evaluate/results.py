"""What a command prints as JSON: with a checksum of it, so that a report can tell what has changed since."""

from __future__ import annotations

import json
from typing import Any

from casino_env.agents.files import checksum

_KEY = "digest"  # what files of other kinds call checksum is one of their text


def as_json(found: dict[str, Any] | list[dict[str, Any]]) -> str:
    """In one line; of several results each has its own checksum."""
    plain = json.loads(json.dumps(found, allow_nan=False))  # as it will be read
    return json.dumps([_summed(row) for row in plain] if isinstance(plain, list) else _summed(plain))


def check_whole(row: dict[str, Any], where: str) -> None:
    """Raises ValueError if a result is not as it was printed. One without a checksum is somebody's own."""
    if _KEY in row and row != _summed(row):
        raise ValueError(f"{where}: damaged: its checksum does not fit; print it again, by the same command")


def _summed(row: dict[str, Any]) -> dict[str, Any]:
    """Of what it says, not of how it is written down: it may be sorted, indented or put into a list."""
    rest = {key: value for key, value in row.items() if key != _KEY}
    return rest | {_KEY: checksum(json.dumps(rest, sort_keys=True).encode())}
