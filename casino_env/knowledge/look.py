"""A seat looks at a game: the view that it gets, and the observation made of the view."""

from typing import Any, NamedTuple

import numpy as np

from casino_env.engine.jit import entry, kernel
from casino_env.knowledge.observation import write
from casino_env.knowledge.view import see

Array = np.ndarray[Any, Any]


class Eyes(NamedTuple):
    """How seats look, and room to do it in: rows of each thread."""

    rules: Array
    plan: Array  # of the observation (segments.Layout.record)
    memory: int  # of face-down piles
    views: Array
    lists: Array  # features that are on; for observations that are asked for as lists a row for each game


@entry
def look(records, i, rules, seat, memory, views, slot):
    """The seat's view of game i into views[slot]."""
    views[slot] = records[i]
    see(records[i], rules[0], seat, memory, views[slot])


@entry
def look_all(records, rules, seats, memory, views):
    for i in range(records.shape[0]):
        look(records, i, rules, seats[i], memory, views, i)


@kernel
def _spread_out(features, count, dense):
    """A list of features as one byte each."""
    dense[:] = 0
    for k in range(count):
        dense[features[k]] = 1


@kernel
def _observe(g, r, plan, memory, seat, view, features):
    """The features that are on for the seat, as a list."""
    see(g, r, seat, memory, view)
    return write(view, r, plan, seat, features)


@kernel
def observe(eyes, slot, records, i, seat, dense):
    """What a seat sees of game i: a byte a feature where dense has room for it, else a list in row i of eyes.lists."""
    plan, features = eyes.plan[0], eyes.lists[slot if dense.shape[1] else i]
    eyes.views[slot] = records[i]
    count = _observe(records[i], eyes.rules[0], plan, eyes.memory, seat, eyes.views[slot], features)
    if dense.shape[1]:
        _spread_out(features, count, dense[i])
    else:
        features[count:] = plan.size


@entry
def observe_all(records, seats, table, slot, dense, lo, hi):
    """table: of Eyes, as a plain tuple, which gets in from Python in half the time."""
    eyes = Eyes(*table)
    for i in range(lo, hi):
        observe(eyes, slot, records, i, seats[i], dense)


@entry
def encode_all(records, rules, plan, seats, features, dense):
    """Records as they are in the layout of each seat: views, or whole games for critics and nobody else."""
    for i in range(records.shape[0]):
        count = write(records[i], rules[0], plan[0], seats[i], features)
        _spread_out(features, count, dense[i])
