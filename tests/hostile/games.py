"""Games at random moments, and how to play on from one, for the kinds of engine inputs."""

from __future__ import annotations

from functools import cache
from random import Random

from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import Rules
from tests.comparing import random_switches, wander
from tests.random_play import every_game


@cache
def all_rules() -> list[Rules]:
    rng = Random(1)
    return every_game() + [random_switches(rng) for _ in range(40)]


def moments(rng: Random, each: int = 6) -> list[Game]:
    """Return games of all rules at random moments, `each` of them for each rules."""
    found = []
    for rules in all_rules():
        for _ in range(each):
            game = Game(
                rules, seed=rng.getrandbits(40), match=bool(rules.target) and rng.random() < 0.3, skip_forced=False
            )
            step(game, rng, rng.randrange(rules.deck * 2))
            found.append(game)
    return found


def step(game: Game, rng: Random, most: int) -> None:
    for _ in range(most):
        if game.legal():
            wander(game, rng)


def play_on(game: Game, rng: Random) -> None:
    """Use a game that was accepted: play on, observe it and write it out."""
    step(game, rng, rng.choice((5, 20, 100)))
    observe(game, rng.randrange(game.rules.players)).vector  # noqa: B018 - computed on access
    Game.from_json(game.to_json(), skip_forced=False) if game.legal() or game.over else None
    game.breakdown()
    str(game)
