"""Lines of `casino env turns`."""

from __future__ import annotations

import json
from random import Random

from casino_env.env_commands import turns_of_line
from tests.hostile.games import moments
from tests.hostile.kind import Kind
from tests.hostile.positions import spoil as spoil_position
from tests.hostile.spoiling import spoil_json_text


def seeds(rng: Random) -> list[bytes]:
    """Few cards in hand, so that there are few turns."""
    return [json.dumps(game.to_json()).encode() for game in moments(rng, 12) if len(game.legal()) < 8]


def spoil(line: bytes, rng: Random) -> bytes:
    data = json.loads(line)
    return spoil_json_text(spoil_position(data, rng) if rng.random() < 0.5 else data, rng)


def use(line: bytes, _: Random) -> None:
    turns_of_line(line)


KIND = Kind("turns", 100_000, seeds, spoil, use)
