"""Self-play with networks that run in torch: all games wait for one forward pass, then each plays on with its answer.

The counterpart of the loop of selfplay.py; looking, writing down and everybody else's decisions are the same kernels.
"""

from typing import Any, NamedTuple

import numpy as np

from casino_env.compiler.jit import entry, kernel
from casino_env.engine.action_set import listed
from casino_env.train.games.selfplay import LEARNER, act, end, look_at, sample_action, settle, write_down

Array = np.ndarray[Any, Any]

NOBODY, FROZEN = -1, 1  # beside the learner


class Answers(NamedTuple):
    """What a network thinks of some games."""

    games: Array  # their numbers
    rows: Array  # of the learner's decisions; its last ones (-1: none) where somebody else decides
    logits: Array  # [game, action]
    values: Array  # [game, k]


@entry
def ask(games, net, work, which, indices, counts):
    """What those who decide in these games see."""
    for n in range(which.shape[0]):
        counts[n] = look_at(games, net, work, which[n], indices[n])


@entry
def go_on(games, seats, mix, net, work, buffer, answers, who):
    """Decisions as a network answers, the learner's into rows; then others decide until a network is asked again.

    Of a frozen network nothing is written down; NOBODY decides at first.
    """
    for n in range(answers.games.shape[0]):
        i, row = answers.games[n], answers.rows[n]
        if who != NOBODY:
            many = _listen(games, work.thought, answers, n)
            if who == LEARNER:
                buffer.counts[row] = look_at(games, net, work, i, buffer.indices[row])
                action = write_down(games, seats, net, work, buffer, i, row, many)
            else:
                action = work.thought.actions[sample_action(work.thought, many, mix.sampling, seats.random[i])]
            act(games, seats, mix, buffer, i, row, action)
        settle(games, seats, mix, net, work, buffer, i, row)


@kernel
def _listen(games, thought, answers, n):
    """An answer as if a kernel had thought of it; returns how many actions are legal."""
    many = listed(games.legal[answers.games[n]], thought.actions)
    for k in range(many):
        thought.logits[k] = answers.logits[n, thought.actions[k]]
    for k in range(answers.values.shape[1]):
        thought.values[k] = answers.values[n, k]
    return many


@entry
def end_all(games, net, work, buffer, values):
    """After the last rows."""
    for i in range(games.records.shape[0]):
        for k in range(values.shape[1]):
            work.thought.values[k] = values[i, k]
        end(games, net, work, buffer, i)
