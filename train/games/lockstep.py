"""Kernels for networks that no kernel can run: games wait, one asks for all, and each is played on with its answer.

The counterpart of play.py's loop; looking, writing down and everybody else's decisions are the same kernels.
"""

import numpy as np

from agents.policy.mlp import draw, list_actions
from agents.scripted.choosing import uniform
from casino_env.engine.jit import kernel
from train.games.play import LEARNER, act, collect, end, look, settle, weigh, write_down

NOBODY, FROZEN = -1, 1  # beside the learner


@kernel
def ask(table, mind, desk, which, indices, counts):
    """What those who decide in these games see."""
    for n in range(which.shape[0]):
        i = which[n]
        count = look(table, mind, desk, i, np.int64(table.games[i].actor))
        for k in range(count):
            indices[n, k] = desk.indices[k]
        counts[n] = count


@kernel
def go_on(table, field, mind, desk, rows, which, at, who, logits, values):
    """Decisions in these games, by the learner into rows `at`; then others decide until a network is asked again.

    Of a frozen network nothing is written down, and `at` are the learner's last rows; NOBODY decides at first.
    """
    for n in range(which.shape[0]):
        i, row = which[n], at[n]
        if who != NOBODY:
            many = list_actions(table.words[i], desk.actions)
            for k in range(many):
                desk.logits[k] = logits[n, desk.actions[k]]
            if who == LEARNER:
                action = _decide(table, mind, desk, rows, i, row, many, values[n])
            else:
                weigh(desk, many, field.manner)
                action = desk.actions[draw(desk.chances, many, uniform(table.random[i]))]
            act(table, i, action)
            collect(table, field, desk, rows, i, row)
        settle(table, field, mind, desk, rows, i, row)


@kernel
def _decide(table, mind, desk, rows, i, row, many, values):
    seat = np.int64(table.games[i].actor)
    count = look(table, mind, desk, i, seat)
    for k in range(values.shape[0]):
        desk.values[k] = values[k]
    return write_down(table, mind, desk, rows, i, row, seat, count, many)


@kernel
def end_all(table, mind, desk, rows, values):
    """After the last rows."""
    for i in range(table.games.shape[0]):
        seat = np.int64(table.games[i].actor)
        for k in range(values.shape[1]):
            desk.values[k] = values[i, k]
        end(table, mind, desk, rows, i, seat)
