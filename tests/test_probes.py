"""Probe games: tiny problems with known answers, which go wrong if an advantage goes to the wrong decision.

A table of logits and values plays each probe, learns from train.rollouts.by_actions alone, and is then checked.
Estimates that are wrong on purpose run through the same probes: each of them has to fail one.
"""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest

from casino_env.compiler.jit import kernel_of
from casino_env.train.rollouts import by_actions as gae

GAMES, ITERATIONS, LAMBDA = 60, 150, 0.9


@dataclass(frozen=True)
class Probe:
    """A game of fixed length: who decides when, and the rewards of each side for the choices (0 or 1) so far.

    A decider sees how many decisions came before, and those earlier choices that `sees` names.
    """

    seats: tuple[int, ...]  # by time: the seat that decides
    rewards: object  # (choices so far, time) -> the reward of each side after the decision at that time
    sees: tuple[tuple[int, ...], ...]  # by time: the earlier times whose choices are known
    best: dict  # (time, choices seen) -> the right choice
    value: float  # of the first position for side 0, if everybody chooses right
    teams: tuple[int, ...] = (0, 1, 2)  # by seat: its side


def one_step(choices, time):
    return (1.0, -1.0) if choices[0] == 1 else (-1.0, 1.0)


def at_the_end(choices, time):
    """Only the first choice counts, and it pays after the fourth decision."""
    if time < 3:
        return (0.0, 0.0)
    return (1.0, -1.0) if choices[0] == 1 else (-1.0, 1.0)


def two_seats(choices, time):
    """Side 1 wins if it chooses the same as side 0, whose choice 1 also pays half a point for certain."""
    if time == 0:
        return (0.5, -0.5) if choices[0] == 1 else (0.0, 0.0)
    return (-1.0, 1.0) if choices[1] == choices[0] else (1.0, -1.0)


def partners(choices, time):
    """Seats 0 and 2 are side 0: if both choose 1, it wins 2; if only seat 2 does, it loses 1. Seat 1 can win half."""
    if time == 1:
        return (-0.5, 0.5) if choices[1] == 1 else (0.0, 0.0)
    if time == 2 and choices[2] == 1:
        return (2.0, -2.0) if choices[0] == 1 else (-1.0, 1.0)
    return (0.0, 0.0)


def own_turn(choices, time):
    """Side 1 decides twice in its turn: the first choice only opens the second, which pays side 1."""
    if time == 2:
        return (-1.0, 1.0) if choices[1] == 1 and choices[2] == 0 else (0.25, -0.25)
    return (0.0, 0.0)


def three_sides(choices, time):
    """Each of three sides can take a point from the next one."""
    gains = [0.0, 0.0, 0.0]
    if choices[time] == 1:
        gains[time], gains[(time + 1) % 3] = 1.0, -1.0
    return tuple(gains)


PROBES = {
    "one step": Probe((0,), one_step, ((),), {(0, ()): 1}, 1.0),
    "delayed": Probe((0, 1, 0, 1), at_the_end, ((), (), (), ()), {(0, ()): 1}, 1.0),
    "two seats": Probe((0, 1), two_seats, ((), (0,)), {(0, ()): 1, (1, (0,)): 0, (1, (1,)): 1}, -0.5),
    "partners": Probe(
        (0, 1, 2), partners, ((), (), (0,)), {(0, ()): 1, (1, ()): 1, (2, (0,)): 0, (2, (1,)): 1}, 1.5, (0, 1, 0)
    ),
    "own turn": Probe((0, 1, 1), own_turn, ((), (), (1,)), {(1, ()): 1, (2, (1,)): 0}, -1.0),
    "three sides": Probe((0, 1, 2), three_sides, ((), (), ()), {(0, ()): 1, (1, ()): 1, (2, ()): 1}, 0.0),
}


# --- a learner with a table ----------------------------------------------------------------------------------------


class Learner:
    """A table of logits and values, for every position that a decider can tell apart."""

    def __init__(self, probe, estimate, horizon):
        self.probe, self.estimate, self.horizon = probe, estimate, horizon
        self.count = len(probe.rewards((0,) * len(probe.seats), 0))
        self.rng = np.random.default_rng(0)
        self.logits: dict = {}
        self.values: dict = {}
        self.positions: list[tuple[int, ...]] = [() for _ in range(GAMES)]  # choices so far

    def sees(self, choices):
        time = len(choices)
        return time, tuple(choices[earlier] for earlier in self.probe.sees[time])

    def play(self):
        """Return rows [game, time] that begin and end anywhere in a game, as the rows of a rollout do."""
        shape = GAMES, self.horizon
        rows = [[self.sees(())] * self.horizon for _ in range(GAMES)]
        chosen, seat, done = np.zeros(shape, int), np.zeros(shape, np.int64), np.zeros(shape, bool)
        rewards = np.zeros((*shape, self.count), np.float32)
        for i in range(GAMES):
            for t in range(self.horizon):
                seen = rows[i][t] = self.sees(self.positions[i])
                chosen[i, t] = self.rng.random() < self.chance(seen)
                choices = (*self.positions[i], int(chosen[i, t]))
                rewards[i, t] = self.probe.rewards(choices, len(choices) - 1)
                seat[i, t], done[i, t] = self.probe.seats[len(choices) - 1], len(choices) == len(self.probe.seats)
                self.positions[i] = () if done[i, t] else choices
        return rows, chosen, seat, done, rewards

    def chance(self, seen):
        """Return the probability of choice 1."""
        return 1 / (1 + np.exp(-self.logits.get(seen, 0.0)))

    def value(self, seen):
        return self.values.setdefault(seen, np.zeros(self.count, np.float32))

    def learn(self):
        rows, chosen, seat, done, rewards = self.play()
        side = np.array(self.probe.teams)[seat]
        values = np.array([[self.value(seen) for seen in game] for game in rows], np.float32)
        last = np.array([self.value(self.sees(choices)) for choices in self.positions], np.float32)
        gains, targets = np.zeros(side.shape, np.float32), np.zeros_like(rewards)
        self.estimate(gae.Trajectories(rewards, values, last, done, seat, side), 3, LAMBDA, LAMBDA, gains, targets)
        for i in range(GAMES):
            for t in range(self.horizon):
                seen = rows[i][t]
                slope = chosen[i, t] - self.chance(seen)
                self.logits[seen] = self.logits.get(seen, 0.0) + 0.1 * gains[i, t] * slope
                self.values[seen] = self.value(seen) + np.float32(0.04) * (targets[i, t] - self.value(seen))


def learnt(probe, estimate):
    """Train on a probe; return what is wrong: right choices that are unlikely, or a wrong value."""
    horizon = len(probe.seats) + 1  # not a multiple of a game: rows end in the middle of one
    learner = Learner(probe, estimate, horizon)
    for _ in range(ITERATIONS):
        learner.learn()
    wrong = [f"{seen}: {learner.chance(seen):.2f}" for seen, right in probe.best.items()
             if abs(learner.chance(seen) - right) > 0.25]  # fmt: skip
    start = float(learner.value(learner.sees(()))[0])
    return wrong + ([f"value {start:.2f}"] if abs(start - probe.value) > 0.35 else [])


@pytest.mark.parametrize("name", PROBES)
def test_the_probe_is_learnt(name):
    assert learnt(PROBES[name], gae.estimate_advantages) == []


# --- wrong on purpose ------------------------------------------------------------------------------------------------


MISTAKES = {
    "advantages of the wrong side": ("if paths.side[i, t] == s:", "if paths.side[i, t] != s:"),
    "advantages of side 0 for all": ("if paths.side[i, t] == s:", "if s == 0:"),
    "nothing beyond the next decision": ("td_error + gae_lambda * advantage", "td_error"),
    "the end of a game is no end": ("if paths.done[i, t]:", "if False:"),
    "the game ends at every row": ("if paths.done[i, t]:", "if True:"),
    "what comes after the last row is lost": ("zero, zero, zero, paths.last_values[i, s]", "zero, zero, zero, zero"),
    "the value changes sign from row to row": ("reward + next_value", "reward - next_value"),
    "the reward is that of the row after": ("+= paths.rewards[i, t, s]",
                                            "+= paths.rewards[i, min(t + 1, horizon - 1), s]"),
    "what is paid at the decisions of others is lost": ("paths.seat[i, t] != seat:\n",
                                                        "paths.seat[i, t] != seat:\n                reward = zero\n"),
    "targets of the wrong side": ("targets[i, t, s] =", "targets[i, t, sides - 1 - s] ="),
    "the reward of side 0 for all": ("paths.rewards[i, t, s]", "paths.rewards[i, t, 0]"),
}  # fmt: skip


def mistaken(right, wrong):
    """Return estimate_advantages with one piece of its source replaced, uncompiled."""
    source = inspect.getsource(kernel_of(gae.estimate_advantages).function)
    assert source.count(right) == 1, right
    space = vars(gae) | {"entry": lambda function: function}
    exec(source.replace(right, wrong), space)
    return space["estimate_advantages"]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_noticed(mistake):
    estimate = mistaken(*MISTAKES[mistake])
    assert any(learnt(PROBES[name], estimate) for name in ("two seats", "delayed"))


# --- worked out by hand -----------------------------------------------------------------------------------------------


def advantages(rewards, values, last, done, seat, side, gae_lambda=1.0, value_lambda=1.0):
    """Estimate one game; return (the advantage of each row's decider, targets)."""
    horizon, sides = len(rewards), len(last)
    gains = np.zeros((1, horizon), np.float32)
    targets = np.zeros((1, horizon, sides), np.float32)
    paid, expected, after = (np.array([part], np.float32) for part in (rewards, values, last))
    paths = gae.Trajectories(paid, expected, after, np.array([done]), np.array([seat]), np.array([side]))
    gae.estimate_advantages(paths, 4, gae_lambda, value_lambda, gains, targets)
    return gains[0].tolist(), targets[0].tolist()


def test_two_sides_by_hand():
    """Three decisions (two by side 0, one by side 1) end a game that pays 4 and -4; then a new game begins."""
    rewards = [[0, 0], [0, 0], [4, -4], [0, 0]]
    values = [[1, -1], [2, -2], [3, -3], [5, -5]]
    seats = [0, 0, 1, 0]
    gains, targets = advantages(rewards, values, [6, -6], [False, False, True, False], seats, seats, 0.5, 1.0)
    # last row first: row 3 goes on to 6: 6 - 5 = 1; row 2 ends: -4 + 3 = -1 for side 1; row 1 is the last of side 0 in
    # the game: 4 - 2 = 2; row 0: 2 - 1 + 0.5 * 2 = 2
    assert gains == [2.0, 2.0, -1.0, 1.0]
    assert targets == [[4, -4], [4, -4], [4, -4], [6, -6]]


def test_three_sides_by_hand():
    """Each side has its own value; no value is the negative of another."""
    rewards = [[0, 0, 0], [6, -3, -3]]
    values = [[1, 2, -3], [0, 1, -1]]
    gains, targets = advantages(rewards, values, [9, 9, 9], [False, True], [2, 1], [2, 1])
    assert gains == [-3 - -3, -3 - 1]
    assert targets == [[6, -3, -3], [6, -3, -3]]


def test_a_row_looks_on_to_the_next_of_its_own_seat():
    """Seats 0 and 2 are partners. Rewards in between count; the values of other seats in between do not."""
    rewards, values = [[1, -1], [2, -2], [4, -4], [8, -8]], [[10, -10], [90, 90], [70, 70], [20, -20]]
    gains, targets = advantages(rewards, values, [30, -30], [False] * 4, [0, 1, 2, 0], [0, 1, 0, 0], 0.0, 0.0)
    assert gains == [(1 + 2 + 4) + 20 - 10, (-2 - 4 - 8) - 30 - 90, (4 + 8) + 30 - 70, 8 + 30 - 20]
    assert targets == [[27, -27], [44, -44], [42, -42], [38, -38]]
