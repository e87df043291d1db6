"""How large the rewards of a game are, so that networks need not know."""

from __future__ import annotations

import functools

import numpy as np

from casino_env.envs.batch import WAIT
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.rules import Rules

_DEALS = 1000


@functools.cache
def reward_scale(rules: Rules) -> float:
    """One over the standard deviation of a side's result when all play at random."""
    games = Batch(rules, _DEALS, Options(), redeal=False)
    games.deal(0)
    total = np.zeros((_DEALS, rules.players))
    while (actions := games.sample()).max() != WAIT:
        games.act(actions)
        total += games.rewards
    return float(1.0 / max(total.std(), 1e-6))
