"""Generalised advantage estimation where seats take turns (Schulman et al. 2016).

One stream a game, in the coordinates of the sides: every row knows the value of its position for each side, whoever
decides there. So a turn of several decisions, an answer in the middle of somebody else's turn, partners, and three or
more sides need no case of their own. Of the advantages a row uses that of the side that decides in it; all sides are
targets of the value. There is no discount: a deal is short and its end is what counts.
"""

import numpy as np

from casino_env.engine.jit import kernel


@kernel
def estimate(rewards, values, last, done, side, decay, value_decay, advantages, targets):
    """rewards and values: [game, time, side]; last: values [game, side] after the last row; done, side: [game, time].

    Fills advantages [game, time] with the decay (lambda) of the policy and targets [game, time, side] with that of
    the value.
    """
    games, horizon, sides = rewards.shape
    for i in range(games):
        for s in range(sides):
            policy_sum, value_sum, following = np.float32(0.0), np.float32(0.0), last[i, s]
            for t in range(horizon - 1, -1, -1):
                if done[i, t]:
                    policy_sum, value_sum, following = np.float32(0.0), np.float32(0.0), np.float32(0.0)
                surprise = rewards[i, t, s] + following - values[i, t, s]
                policy_sum = np.float32(surprise + decay * policy_sum)
                value_sum = np.float32(surprise + value_decay * value_sum)
                if side[i, t] == s:
                    advantages[i, t] = policy_sum
                targets[i, t, s] = values[i, t, s] + value_sum
                following = values[i, t, s]
