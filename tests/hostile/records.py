"""Game records, of deals, of matches and from positions, replayed."""

from __future__ import annotations

from random import Random

from casino_env.game import Game
from casino_env.record import replay, write_record
from tests.hostile.games import all_rules, moments, step
from tests.hostile.kind import Kind
from tests.hostile.spoiling import spoil_text


def seeds(rng: Random) -> list[str]:
    found = []
    for rules in all_rules():
        game = Game(rules, seed=7, match=bool(rules.target) and rng.random() < 0.5, skip_forced=False)
        step(game, rng, rng.randrange(200))
        found.append(write_record(7, game))
    for start in moments(rng, 1):
        game = start.clone()
        game.log.clear()
        step(game, rng, 30)
        found.append(write_record(start, game))
    return found


def spoil(text: str, rng: Random) -> str:
    for _ in range(rng.randint(1, 3)):
        text = spoil_text(text, rng)
    return text


def use(text: str, _: Random) -> None:
    replay(text)


KIND = Kind("records", 100_000, seeds, spoil, use)
