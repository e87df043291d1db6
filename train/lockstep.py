"""Kernels for networks that no kernel can run: games wait, one asks for all, and each is played on with its answer.

The counterpart of play.py's loop; looking, writing down and everybody else's decisions are the same kernels.
"""

import numpy as np

from agents.mlp import draw, list_actions, softmax
from casino_env.jit import kernel
from train.play import act, collect, end, look, settle, uniform, write_down


@kernel
def settle_all(table, field, mind, desk, rows):
    """Before the first of all rows: play on until a network is asked in every game."""
    for i in range(table.games.shape[0]):
        settle(table, field, mind, desk, rows, i, -1)


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
def answer(table, field, mind, desk, rows, which, at, logits, values):
    """The learner's decisions in these games, into rows `at`, and what follows until a network is asked again."""
    for n in range(which.shape[0]):
        i, row = which[n], at[n]
        seat = np.int64(table.games[i].actor)
        count = look(table, mind, desk, i, seat)
        many = _take_logits(table, desk, i, logits[n])
        for k in range(values.shape[1]):
            desk.values[k] = values[n, k]
        _play_on(table, field, mind, desk, rows, i, row, write_down(table, mind, desk, rows, i, row, seat, count, many))


@kernel
def answer_frozen(table, field, mind, desk, rows, which, at, logits):
    """The same for a frozen network, whose decisions nobody writes down; at: the learner's last rows in these games."""
    for n in range(which.shape[0]):
        i = which[n]
        many = _take_logits(table, desk, i, logits[n])
        softmax(desk.logits, many, 1.0, desk.chances)
        action = desk.actions[draw(desk.chances, many, uniform(table.random[i]))]
        _play_on(table, field, mind, desk, rows, i, at[n], action)


@kernel
def _take_logits(table, desk, i, logits):
    many = list_actions(table.words[i], desk.actions)
    for k in range(many):
        desk.logits[k] = logits[desk.actions[k]]
    return many


@kernel
def _play_on(table, field, mind, desk, rows, i, row, action):
    act(table, i, action)
    collect(table, field, desk, rows, i, row)
    settle(table, field, mind, desk, rows, i, row)


@kernel
def end_all(table, mind, desk, rows, values):
    """After the last rows."""
    for i in range(table.games.shape[0]):
        seat = np.int64(table.games[i].actor)
        count = look(table, mind, desk, i, seat)
        for k in range(values.shape[1]):
            desk.values[k] = values[i, k]
        end(table, mind, desk, rows, i, seat, count)
