"""Determinizations from Python, by knowledge/determinizations.py: games that agree with what a seat knows, drawn at
random. By them is told whether a seat has learnt something by its own actions, such as which card lay under the one
that it took."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from casino_env.arrays import Record
from casino_env.engine import action_set, entrypoints
from casino_env.engine.state import GAME
from casino_env.game import Game, unchecked_game
from casino_env.knowledge.encode import write_view
from casino_env.knowledge.view import PERFECT
from casino_env.observed import NoDeterminizationError, observe, sample_determinizations

__all__ = [
    "NoDeterminizationError",
    "determinizations",
    "determinize",
    "done_since",
    "has_learnt",
    "sample_determinizations",
]


# Where two cards may lie on top, each is there in half of the games: one in 2^40 times none of these tells.
_DRAWN = 40


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
    if not _takes_from_pile(before, actions):
        return False  # nothing else comes to light within a turn
    seen = observe(before, seat)
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(seen.view.tobytes()).digest()[:8], "little"))
    try:
        games = sample_determinizations(seen, _DRAWN, rng)
    except NoDeterminizationError:
        return True  # nothing to compare with
    found = _seen_after(before.records, before, actions, seat)
    return any(_seen_after(games[each : each + 1], before, actions, seat) != found for each in range(_DRAWN))


def _takes_from_pile(before: Game, actions: list[int]) -> bool:
    after = before.records.copy()
    for action in actions:
        entrypoints.act(after, before.rules_record, action)
    return any(int(had) & ~int(has) for had, has in zip(before.record["piles"], after["piles"][0], strict=True))


def _seen_after(record: Record, game: Game, actions: list[int], seat: int) -> bytes:
    """The view of the seat once the actions are done; nothing where one of them is not allowed."""
    after, view = record.copy(), np.empty(1, GAME)
    for action in actions:
        if action not in action_set.actions_of(entrypoints.legal(after, game.rules_record)):
            return b""
        entrypoints.act(after, game.rules_record, action)
    write_view(after, 0, game.rules_record, seat, PERFECT, view, 0)
    return view.tobytes()
