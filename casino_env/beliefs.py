"""Games that agree with what a seat knows, drawn at random: the way in from Python to knowledge/beliefs.py."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from casino_env.game import Game, unproven_game
from casino_env.observed import NoSuchGameError, observe, sample_games

__all__ = ["NoSuchGameError", "determinizations", "determinize", "sample_games"]


def determinize(game: Game, seat: int, rng: np.random.Generator, *, memory: str = "perfect") -> Game:
    """A complete game drawn uniformly from those that agree with all that the seat knows."""
    return next(determinizations(game, seat, rng, memory=memory))


def determinizations(game: Game, seat: int, rng: np.random.Generator, *, memory: str = "perfect") -> Iterator[Game]:
    """Endlessly many of them."""
    observed = observe(game, seat, memory=memory)
    while True:
        sample = sample_games(observed, 1, rng)
        yield unproven_game(sample[0], game.rules, skip_forced=game.skip_forced)
