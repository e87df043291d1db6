"""One decision of a finished game looked at again, by the judge that gives hints (agents/advise.py): what was played,
what is best, and what was lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from casino_env.agents.advise import SECONDS, Verdict, advise, find, verdict
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.play.advice import played_of
from casino_env.play.moves import turn_words
from casino_env.play.names import Names


@dataclass(frozen=True)
class Review:
    played: list[int]
    best: list[int]
    same: bool  # both leave the same
    by: str  # solver or play-outs
    verdict: Verdict


def review(game: Game, turn: list[int], seconds: float = SECONDS) -> Review:
    """turn: the actions that were played from here by the seat that decides."""
    found = advise(observe(game), also=[turn], seconds=seconds)
    best = found.turns[0]
    same = find(found, turn) is best
    return Review(turn, turn if same else played_of(game, best.actions), same, found.by, verdict(found, turn))


def review_data(game: Game, found: Review, names: Names) -> dict[str, Any]:
    """As plain data, in words."""
    judged = found.verdict
    return {
        "played": turn_words(game, found.played, names),
        "best": turn_words(game, found.best, names),
        "same": found.same,
        "by": found.by,
        "lost": round(judged.loss, 2),
        "error": round((judged.high - judged.low) / 2, 2),
        "mistake": judged.mistake,
        "position": game.to_json(),
    }
