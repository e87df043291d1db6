"""Lines of the engine protocol: one conversation, which has to go on after each of them."""

from __future__ import annotations

import io
import json
from functools import cache
from random import Random
from typing import Any

from agents.protocol.engine import Engine
from agents.protocol.serve import answer_lines
from casino_env.actions import action_text
from tests.hostile.games import moments
from tests.hostile.kind import RUNS_IT, Kind, Refused
from tests.hostile.positions import spoil as spoil_position
from tests.hostile.spoiling import spoil_json_text

_AGENTS = (
    "greedy",
    "counter",
    "search:sims=4",
    "search:sims=4,method=flat",
    "policy:khasino-2",
    "solved:greedy",
    RUNS_IT,
)


def seeds(rng: Random) -> list[Any]:
    found: list[Any] = [{"do": "hello", "id": 1}]
    for game in moments(rng, 3):
        position, legal = game.to_json(), [action_text(action) for action in game.legal()]
        found.append({"do": "new", "variant": game.rules.name, "players": game.rules.players, "seed": 1, "rules": {}})
        found.append({"do": "position", "id": "a", "position": position})
        found.append({"do": "move", "position": position, "agent": rng.choice(_AGENTS), "seed": 3})
        found.append({"do": "move", "agent": "search", "simulations": 4})
        if legal:
            found.append({"do": "apply", "position": position, "action": rng.choice(legal)})
    return found


def spoil(data: Any, rng: Random) -> bytes:
    if "position" in data and rng.random() < 0.4:
        data = data | {"position": spoil_position(data["position"], rng)}
        return json.dumps(data).encode()
    return spoil_json_text(data, rng)


@cache
def _engine() -> Engine:
    return Engine("greedy", seconds=0.05, simulations=64)


def use(line: bytes, _: Random) -> None:
    """One reply for each line, none of them `internal`."""
    engine, replies = _engine(), io.StringIO()
    engine.finished = False
    answer_lines(engine, io.BytesIO(line), replies)
    rows = [json.loads(row, parse_constant=_refuse) for row in replies.getvalue().splitlines()]
    if not engine.finished and len(rows) != len(io.BytesIO(line).readlines()):
        raise RuntimeError(f"{len(rows)} replies")
    for row in rows:
        if row.get("error") == "internal" or (not row["ok"] and ("\n" in row["message"] or len(row["message"]) > 3000)):
            raise RuntimeError(str(row)[:2000])
    if not all(row["ok"] for row in rows):
        raise Refused(next(row["message"] for row in rows if not row["ok"]))


def _refuse(constant: str) -> None:
    raise RuntimeError(f"{constant} was sent")


KIND = Kind("protocol lines", 100_000, seeds, spoil, use)
