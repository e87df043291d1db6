"""The Python face of the scripted bots: the same kernels, on one game or on many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from agents.base import NO_ROWS, InBatches
from agents.scripted.bots import BOTS, Bot, bot_record
from agents.scripted.choosing import DEPTH, decide_many
from agents.scripted.facts import FACTS
from casino_env.actions import ACTIONS
from casino_env.engine.state import GAME, rules_record
from casino_env.observed import Observed
from casino_env.rules import Rules, closest

Array = np.ndarray[Any, Any]

MAX_EFFORT = 1000


def room(seed: int = 0) -> tuple[Array, ...]:
    """What a bot works with: boards, lists of actions, facts, scores, and its random state."""
    return (
        np.zeros(DEPTH, GAME),
        np.zeros((DEPTH, 4), np.int64),
        np.zeros(1, FACTS),
        np.zeros(ACTIONS),
        np.array([seed], np.uint64),
    )


class Scripted(InBatches):
    """A bot of bots.BOTS, or any other. effort: tables that it looks at for one action; 0 is the bot's own choice.

    All actions between which it is indifferent are equally likely, the others not at all.
    """

    def __init__(self, bot: str | Bot, effort: int = 0) -> None:
        if isinstance(bot, str) and bot not in BOTS:
            raise ValueError(f"unknown bot {bot!r}{closest(bot, list(BOTS))}; known: {', '.join(BOTS)}")
        if not 0 <= effort <= MAX_EFFORT:
            raise ValueError(f"effort = {effort}; it must be 0 to {MAX_EFFORT}")
        found = BOTS[bot] if isinstance(bot, str) else bot
        self._bot = replace(found, effort=effort or found.effort)
        self._records: dict[Rules, tuple[Array, Array]] = {}
        self._room = room()

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._room = room(int(rng.integers(2**63)))

    def values(self, observation: Observed) -> dict[int, float]:
        """What the bot thinks of each legal action, in points on a scale of its own; ready answers are not weighed."""
        self._room[3][:] = 0.0
        self.probabilities(observation)
        return {action: float(self._room[3][action]) for action in observation.legal()}

    def _decide(self, rules: Rules, views: Array, seats: Array, words: Array, liked: Array = NO_ROWS) -> Array:
        if rules not in self._records:
            self._records[rules] = rules_record(rules), bot_record(self._bot, rules)
        record, bot = self._records[rules]
        actions = np.empty(len(views), np.int64)
        decide_many(views, words, record, seats, bot, *self._room, liked, actions)
        return actions
