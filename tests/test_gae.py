"""Advantages worked out by hand."""

import numpy as np

from casino_env.train.rollouts.gae import Trajectories, estimate_advantages


def advantages(rewards, values, last, done, seat, side, gae_lambda=1.0, value_lambda=1.0):
    """Of one game; returns what each row's decider gains, and the targets."""
    horizon, sides = len(rewards), len(last)
    gains = np.zeros((1, horizon), np.float32)
    targets = np.zeros((1, horizon, sides), np.float32)
    paid, expected, after = (np.array([part], np.float32) for part in (rewards, values, last))
    paths = Trajectories(paid, expected, after, np.array([done]), np.array([seat]), np.array([side]))
    estimate_advantages(paths, 4, gae_lambda, value_lambda, gains, targets)
    return gains[0].tolist(), targets[0].tolist()


def test_two_sides_by_hand():
    """Three decisions (two by side 0, one by side 1), then the game ends with 4 to 0; then a new game goes on."""
    rewards = [[0, 0], [0, 0], [4, -4], [0, 0]]
    values = [[1, -1], [2, -2], [3, -3], [5, -5]]
    seats = [0, 0, 1, 0]
    gains, targets = advantages(rewards, values, [6, -6], [False, False, True, False], seats, seats, 0.5, 1.0)
    # the last first: row 3 leads on to 6: 6 - 5 = 1; row 2 ends: -4 + 3 = -1 for side 1
    # row 1, side 0, is the last of its seat in the game: 4 - 2 = 2; row 0: 2 - 1 + 0.5 * 2 = 2
    assert gains == [2.0, 2.0, -1.0, 1.0]
    assert targets == [[4, -4], [4, -4], [4, -4], [6, -6]]


def test_three_sides_by_hand():
    """Each side has a value of its own; nothing is the negative of anything."""
    rewards = [[0, 0, 0], [6, -3, -3]]
    values = [[1, 2, -3], [0, 1, -1]]
    gains, targets = advantages(rewards, values, [9, 9, 9], [False, True], [2, 1], [2, 1])
    assert gains == [-3 - -3, -3 - 1]
    assert targets == [[6, -3, -3], [6, -3, -3]]


def test_a_row_looks_on_to_the_next_of_its_own_seat():
    """Seats 0 and 2 are partners. What is paid in between counts; what others think in between does not."""
    rewards, values = [[1, -1], [2, -2], [4, -4], [8, -8]], [[10, -10], [90, 90], [70, 70], [20, -20]]
    gains, targets = advantages(rewards, values, [30, -30], [False] * 4, [0, 1, 2, 0], [0, 1, 0, 0], 0.0, 0.0)
    assert gains == [(1 + 2 + 4) + 20 - 10, (-2 - 4 - 8) - 30 - 90, (4 + 8) + 30 - 70, 8 + 30 - 20]
    assert targets == [[27, -27], [44, -44], [42, -42], [38, -38]]
