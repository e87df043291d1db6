"""One decision of a finished game looked at again: what was played, what a strong agent would play, and the difference.

Both are played on to the end of the deal in the same deals, drawn from those that agree with what the seat knew; the
same quick agent sits on all seats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from casino_env.actions import END
from casino_env.agents.base import planned_turn
from casino_env.agents.protocol.analysis import with_forced
from casino_env.arrays import Array
from casino_env.engine import action_set, entrypoints
from casino_env.engine.state import GAME, OVER
from casino_env.game import Game
from casino_env.knowledge.encode import write_view
from casino_env.knowledge.view import PERFECT
from casino_env.observed import observe, sample_determinizations
from casino_env.play.advice import with_forced_played
from casino_env.play.moves import turn_words
from casino_env.play.names import Names

WORLDS = 24


@dataclass(frozen=True)
class Verdict:
    played: list[int]
    best: list[int]
    lost: float  # points a deal that the played turn is worth less than the other; below 0: it is worth more
    error: float  # half of the 95 % interval


def review(game: Game, turn: list[int], adviser: Any, quick: Any) -> Verdict:
    """turn: the actions that were played from here by the seat that decides."""
    adviser.reset(game.seat, np.random.default_rng(0))
    choice = with_forced_played(game)
    best = with_forced(choice, planned_turn(adviser, choice))
    if _same(game, turn, best):
        return Verdict(turn, turn, 0.0, 0.0)
    worlds = sample_determinizations(observe(game), WORLDS, np.random.default_rng(len(game.log)))
    with_best, with_played = (_played_on(game, worlds, actions, quick) for actions in (best, turn))
    differences = with_best - with_played
    error = 1.96 * float(differences.std()) / np.sqrt(len(differences))
    return Verdict(turn, best, float(differences.mean()), error)


def _same(game: Game, one: list[int], other: list[int]) -> bool:
    """Both lead to the same table, whether the end of the turn is among the actions or not."""
    tables = []
    for actions in (one, other):
        after = game.records.copy()
        for action in actions[:-1] if actions[-1] == END else actions:
            entrypoints.act(after, game.rules_record, action)
        tables.append(after.tobytes())
    return tables[0] == tables[1]


def _played_on(game: Game, worlds: Array, actions: list[int], quick: Any) -> Array:
    """Points more than the mean of the others, for the seat that decides, at the end of each deal."""
    records = worlds.copy()
    records["match"] = 0
    for record in _each(records):
        for action in actions:
            if action not in action_set.actions_of(entrypoints.legal(record, game.rules_record)):
                break  # an answer that depended on a hidden card: here it is asked anew
            entrypoints.act(record, game.rules_record, action)
    quick.reset(game.seat, np.random.default_rng(1))
    while True:
        going = np.flatnonzero(records["mode"] != OVER)
        if not len(going):
            return _margins(game, records)
        _step(game, records, going, quick)


def _step(game: Game, records: Array, going: Array, quick: Any) -> None:
    """One decision in each of the games that go on."""
    views, seats = np.empty(len(going), GAME), records["actor"][going].astype(np.int64)
    legal = np.zeros((len(going), action_set.PARTS), np.int64)
    for k, i in enumerate(going):
        legal[k] = entrypoints.legal(records[i : i + 1], game.rules_record)
        write_view(records, i, game.rules_record, int(seats[k]), PERFECT, views, k)
    chosen = quick.act_many(game.rules, views, seats, legal)
    for k, i in enumerate(going):
        entrypoints.act(records[i : i + 1], game.rules_record, int(chosen[k]))


def _each(records: Array) -> list[Array]:
    return [records[i : i + 1] for i in range(len(records))]


def _margins(game: Game, records: Array) -> Array:
    side, sides = game.rules.side(game.seat), game.rules.sides
    points = records["deal_points"][:, :sides].astype(float)
    others = np.delete(points, side, axis=1).mean(axis=1)
    return np.asarray(points[:, side] - others)


def review_data(game: Game, verdict: Verdict, names: Names) -> dict[str, Any]:
    """As plain data, in words."""
    return {
        "played": turn_words(game, verdict.played, names),
        "best": turn_words(game, verdict.best, names),
        "same": verdict.played == verdict.best,
        "lost": round(verdict.lost, 2),
        "error": round(verdict.error, 2),
        "position": game.to_json(),
    }
