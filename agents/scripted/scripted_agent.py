"""The Python face of the scripted bots: the same kernels, on one game or on many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from casino_env.agents.base import Analysis, InBatches
from casino_env.agents.decisions import Decisions
from casino_env.agents.scripted.bots import BOTS, Bot, bot_record
from casino_env.agents.scripted.choosing import BotWorkspace, decide_by_rules
from casino_env.agents.workspaces import Recent, Turnstile, one_at_a_time
from casino_env.arrays import Array
from casino_env.compiler.types import allocate
from casino_env.engine.state import rules_record
from casino_env.observed import Observed
from casino_env.rules import Rules
from casino_env.validate import closest, int_in

MAX_EFFORT = 1000


class Scripted(InBatches):
    """A bot of bots.BOTS, or any other. effort: positions that it looks at for one action; 0 is the bot's own choice.

    All actions between which it is indifferent are equally likely, the others not at all.
    """

    def __init__(self, bot: str | Bot, effort: int = 0) -> None:
        if isinstance(bot, str) and bot not in BOTS:
            raise ValueError(f"unknown bot {bot!r}{closest(bot, list(BOTS))}; known: {', '.join(BOTS)}")
        effort = int_in(effort, "effort", 0, MAX_EFFORT)
        found = BOTS[bot] if isinstance(bot, str) else bot
        self._bot = replace(found, effort=effort or found.effort)
        self.entrance = Turnstile()
        self._records = Recent[Rules, tuple[Array, Array]]()
        self._work, self._rng = allocate(BotWorkspace), np.zeros(1, np.uint64)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng = np.array([rng.integers(2**63)], np.uint64)

    @one_at_a_time
    def analyse(self, observation: Observed) -> Analysis:
        """Its values are on a scale of its own; actions that need no thought are not weighed."""
        action = self.act(observation)
        self._work.scores[:] = 0.0
        chances = self.probabilities(observation)
        return Analysis(action, chances, None, {each: float(self._work.scores[each]) for each in observation.legal()})

    @one_at_a_time
    def _decide(self, rules: Rules, decisions: Decisions) -> None:
        records = self._records.find(rules, lambda: (rules_record(rules), bot_record(self._bot, rules)))
        decide_by_rules(decisions, *records, self._work, self._rng)
