"""Generalised advantage estimation where seats take turns (Schulman et al. 2016).

A stream for each seat of a game, in the coordinates of the sides: every row knows the value of its position for each
side, whoever decides there. So a turn of several decisions, an answer in the middle of somebody else's turn, partners,
and three or more sides need no case of their own. A row looks on to the next of its own seat (why: docs/design.md,
"Why a seat learns from itself"). Of the advantages a row uses that of the side that decides in it; all sides are
targets of the value. There is no discount: a deal is short and its end is what counts.
"""

from typing import NamedTuple

import numpy as np

from casino_env.arrays import Array
from casino_env.compiler.jit import entry


class Trajectories(NamedTuple):
    """What happened in games side by side, a row for each decision."""

    rewards: Array  # [game, time, side]
    values: Array  # [game, time, side]
    last_values: Array  # [game, side]: after the last row
    done: Array  # [game, time]: the game ended before the next row
    seat: Array  # [game, time]: that decides
    side: Array  # [game, time]: its side


@entry
def estimate_advantages(paths, seats, gae_lambda, value_lambda, advantages, targets):
    """Fills advantages [game, time] by the lambda of the policy, targets [game, time, side] by that of the value."""
    (games, horizon, sides), zero = paths.rewards.shape, np.float32(0.0)
    for i, seat, s in np.ndindex(games, seats, sides):
        advantage, error, reward, next_value = zero, zero, zero, paths.last_values[i, s]
        for t in range(horizon - 1, -1, -1):
            if paths.done[i, t]:
                advantage, error, reward, next_value = zero, zero, zero, zero
            reward += paths.rewards[i, t, s]
            if paths.seat[i, t] != seat:
                continue
            td_error = reward + next_value - paths.values[i, t, s]
            advantage = np.float32(td_error + gae_lambda * advantage)
            error = np.float32(td_error + value_lambda * error)
            if paths.side[i, t] == s:
                advantages[i, t] = advantage
            targets[i, t, s] = paths.values[i, t, s] + error
            reward, next_value = zero, paths.values[i, t, s]
