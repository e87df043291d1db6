"""The bytes of a game, and from what is accepted a game is played on."""

from __future__ import annotations

from random import Random

from casino_env.engine.state import GAME
from casino_env.game import Game
from casino_env.rules import Rules
from tests.hostile.games import moments, play_on
from tests.hostile.kind import Kind
from tests.hostile.spoiling import spoil_bytes

Saved = tuple[bytes, Rules]


def seeds(rng: Random) -> list[Saved]:
    return [(game.to_bytes(), game.rules) for game in moments(rng)]


def spoil(saved: Saved, rng: Random) -> Saved:
    """Any byte, or a field as a whole; few changes, so that some pass."""
    data, rules = saved
    if rng.random() < 0.4:
        return spoil_bytes(data, rng, 3), rules
    out = bytearray(data)
    name = rng.choice(GAME.names or ())
    kind, at = dict(GAME.fields or {})[name][:2]
    for _ in range(rng.randint(1, 2)):
        place = at + rng.randrange(max(kind.itemsize, 1))
        out[min(place, len(out) - 1)] = rng.choice((0, 1, 2, 13, 51, 52, 255, rng.randrange(256)))
    return bytes(out), rules


def use(saved: Saved, rng: Random) -> None:
    play_on(Game.from_bytes(*saved, skip_forced=rng.random() < 0.5), rng)


KIND = Kind("bytes", 100_000, seeds, spoil, use)
