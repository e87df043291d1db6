"""What commands print as JSON: with a checksum of it, so that a report can tell what has changed since; and what of it
a report reads."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from casino_env.agents.files import checksum
from casino_env.evaluate.file_models import Count, Mean, Number, Open, Share

_KEY = "digest"  # what files of other kinds call checksum is one of their text


class _Match(Open):
    a: str
    b: str
    variant: str
    players: Count
    diff: Number
    low: Number | None = None
    high: Number | None = None
    deals: Count
    win_a: Share


class _Style(Open):
    agent: str
    against: str
    variant: str
    players: Count
    deals: Count
    turns: dict[str, Mean]
    builds: dict[str, Mean]
    points: dict[str, Mean]
    steals: dict[str, Mean]
    captures: list[Number] = Field(alias="captures by turn")


class _Position(Open):
    lost: Number
    chosen: str
    best: list[str]
    position: dict[str, Any]


class _Regret(Open):
    agent: str
    cards: Count
    lost_a_deal: Mean = Field(alias="lost a deal")
    lost_a_decision: Mean = Field(alias="lost a decision")
    mistakes: Mean
    worst: list[_Position]


class Exploit(Open):
    agent: str
    variant: str
    method: str
    exploited: Mean
    seconds: Number = 0.0


# Kind of result -> its model, and the keys by which one is known.
RESULTS: dict[str, tuple[type[Open], set[str]]] = {
    "matches": (_Match, {"a", "b", "diff", "low", "high", "deals"}),
    "styles": (_Style, {"agent", "turns", "builds", "captures by turn"}),
    "regrets": (_Regret, {"agent", "lost a deal", "worst"}),
    "exploits": (Exploit, {"agent", "method", "exploited"}),
}


def kind_of(row: dict[str, Any]) -> str | None:
    """Which kind of result it is, if any."""
    return next((kind for kind, (_, keys) in RESULTS.items() if keys <= row.keys()), None)


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
