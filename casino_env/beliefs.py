"""Games that agree with what a seat knows, drawn at random, and whether a seat has learnt something by its own actions,
such as which card lay under the one that it took (knowledge/determinizations.py, knowledge/learnt.py)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from casino_env.engine.state import GAME
from casino_env.game import Game, unchecked_game
from casino_env.knowledge.learnt import WORK, learns
from casino_env.observed import NoDeterminizationError, observe, sample_determinizations

__all__ = [
    "NoDeterminizationError",
    "determinizations",
    "determinize",
    "done_since",
    "has_learnt",
    "sample_determinizations",
]


def determinize(game: Game, seat: int, rng: np.random.Generator, *, memory: str = "perfect") -> Game:
    """A complete game drawn uniformly from those that agree with all that the seat knows."""
    return next(determinizations(game, seat, rng, memory=memory))


def determinizations(game: Game, seat: int, rng: np.random.Generator, *, memory: str = "perfect") -> Iterator[Game]:
    """Endlessly many of them."""
    observed = observe(game, seat, memory=memory)
    while True:
        sample = sample_determinizations(observed, 1, rng)
        yield unchecked_game(sample[0], game.rules, skip_forced=game.skip_forced)


# --- what has been learnt -------------------------------------------------------------------------------------------


def done_since(before: Game, after: Game) -> list[int]:
    """The actions that made the one game of the other, those that it played by itself too."""
    return [action for _, action, _ in after.log[len(before.log) :]]


def has_learnt(before: Game, actions: list[int], seat: int) -> bool:
    """Would the seat see something else after these actions, if what it could not see before were otherwise? Among them
    are those that the game plays by itself: in another world it may be another that is without alternative."""
    work, done = np.empty(WORK, GAME), np.array(actions, np.int16)
    return bool(learns(before.records, before.rules_record, seat, done, work))
