"""The page's replay: spoilt records at odd steps, for odd seats, with and without an agent."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from casino_env.play.players import Players
from casino_env.play.web.crew import answered
from tests.hostile.engine import seeds_record as records
from tests.hostile.engine import spoil_record
from tests.hostile.kind import Kind
from tests.hostile.server import checked

_PLAYERS = Players()


def seeds(rng: Random) -> list[dict[str, Any]]:
    return [{"record": record, "step": rng.randrange(60), "seat": None} for record in records(rng)]


def spoil(data: dict[str, Any], rng: Random) -> dict[str, Any]:
    if rng.random() < 0.4:
        data = data | {"step": rng.choice((0, -1, 10**9, 10**30))}
    if rng.random() < 0.6:
        data = data | {"seat": rng.choice((0, 1, 1, 5, -1, 10**30))}
    return data | {"record": spoil_record(data["record"], rng)} if rng.random() < 0.6 else data


def use(data: dict[str, Any], rng: Random) -> None:
    answer = answered("replay", (_PLAYERS, data, rng.choice(("", "greedy", "counter"))))
    if answer.status != 200:
        checked((answer.status, json.dumps({"error": "", "message": answer.facts["message"]}).encode()))


KINDS = (Kind("replays", 2_000, seeds, spoil, use),)
