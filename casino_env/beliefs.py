"""Games that agree with what a seat knows, drawn at random: the way in from Python to knowledge/beliefs.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from casino_env.engine.state import GAME, rules_record
from casino_env.game import Game, unproven_game
from casino_env.knowledge.beliefs import complete_many
from casino_env.observed import Observed, observe


class NoSuchGameError(ValueError):
    """Nothing agrees with what the seat knows: the position cannot come from play."""


def sample_games(observed: Observed, count: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Records of games that agree with an observation."""
    games = np.empty(count, GAME)
    seed = int(rng.integers(2**63))
    drawn = complete_many(observed.view, rules_record(observed.rules), observed.seat, np.uint64(seed), games)
    if drawn < count:
        raise NoSuchGameError(f"no game agrees with what seat {observed.seat} knows")
    return games


def determinize(game: Game, seat: int, rng: np.random.Generator, *, memory: str = "perfect") -> Game:
    """A complete game drawn uniformly from those that agree with all that the seat knows."""
    return next(determinizations(game, seat, rng, memory=memory))


def determinizations(game: Game, seat: int, rng: np.random.Generator, *, memory: str = "perfect") -> Iterator[Game]:
    """Endlessly many of them."""
    observed = observe(game, seat, memory=memory)
    while True:
        sample = sample_games(observed, 1, rng)
        yield unproven_game(sample[0], game.rules, skip_forced=game.skip_forced)
