"""Choosing by tables: a network judges every table that a complete turn can leave behind, and the best turn is played.

Seen by the seat that leaves it, after the turn has been handed over. Where the deal is over the result itself counts.
"""

from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.policy.choice import sample_index, softmax
from casino_env.agents.policy.mlp import (
    CHOICES,
    VALUES,
    WIDTHS,
    Shape,
    Thought,
    add_rows,
    answer,
    first_sums,
    new_thought,
    set_to,
)
from casino_env.compiler.jit import inlined, kernel
from casino_env.engine import action_set
from casino_env.engine.afterstates import LIMIT, MOST, Afterstates, list_afterstates, new_afterstates, step_of
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import points_ahead
from casino_env.engine.state import OVER, SEATS
from casino_env.knowledge.encode import encode
from casino_env.rng import uniform

Array = np.ndarray[Any, Any]


class Judge(NamedTuple):
    """The network that judges tables."""

    layout: Array  # the layout of what it reads
    theta: Array
    shape: Array
    unit: float  # points that one unit of its value stands for


class Changes(NamedTuple):
    """What tells the features of one table from those of the one before: nearly all are the same."""

    seen: Array  # feature -> the number of the last table that has it
    clock: Array  # [1]: that number
    new: Array  # features of this table alone
    gone: Array  # of the one before alone
    sums: Array  # [0]: of the first layer; [1]: of what is gone


class Judged(NamedTuple):
    """The tables that a seat can leave, and what they are worth to it."""

    outcomes: Afterstates
    indices: Array  # [table, k]: features that are on
    counts: Array  # how many; 0 where the deal is over
    values: Array  # [table, side]: by side from mine, in units of the network
    worth: Array  # to the seat, likewise
    chances: Array  # of leaving it
    thought: Thought
    changes: Changes


def new_changes(shape: Shape, features: int) -> Changes:
    return Changes(
        np.zeros(shape.features, np.int64), np.zeros(1, np.int64), np.zeros(features, np.int16),
        np.zeros(features, np.int16), np.zeros((2, shape.hidden[0]), np.float32),
    )  # fmt: skip


def new_judged(rules: Array, shape: Shape, features: int) -> Judged:
    """features: the most that are on at once."""
    return Judged(
        new_afterstates(rules), np.zeros((MOST, features), np.int16), np.zeros(MOST, np.int64),
        np.zeros((MOST, SEATS), np.float32), np.zeros(MOST), np.zeros(MOST), new_thought(shape, features),
        new_changes(shape, features),
    )  # fmt: skip


# --- what a table is worth -----------------------------------------------------------------------------------------


@inlined
def _compare(now, before, changes):
    """(how many features are new, how many of those before are gone), and which. All are written down, and stay if
    the next one does not take their place: a branch for each would take longer."""
    seen, new, gone, clock = changes.seen, 0, 0, changes.clock[0]
    changes.clock[0] = clock + 1
    for feature in now:
        changes.new[new] = feature
        new += seen[feature] != clock
        seen[feature] = clock + 1
    for feature in before:
        changes.gone[gone] = feature
        gone += seen[feature] != clock + 1
    return new, gone


@inlined
def _first_layer(now, before, judge, changes, work):
    """The sums of the first layer: those of the table before, if there is one, and what differs."""
    width = judge.shape[WIDTHS]
    sums, less = changes.sums[0], changes.sums[1]
    new, gone = _compare(now, before, changes)
    if before.shape[0] == 0:
        first_sums(judge.theta, judge.shape, now, now.shape[0], sums)
    else:
        add_rows(judge.theta, width, changes.new, new, sums)
        less[:] = np.float32(0.0)
        add_rows(judge.theta, width, changes.gone, gone, less)
        for j in range(width):
            sums[j] -= less[j]
    set_to(work, sums)


@kernel
def _judge_over(v, r, unit, seat, values):
    """The deal is over: what it brought."""
    for i in range(r.sides):
        values[i] = points_ahead(v, r, (side_of(r, seat) + i) % r.sides) / unit


@inlined
def _judge_open(now, before, judge, sides, changes, thought, values):
    """What the network says of these features. Of two sides one wins what the other loses, also for a network that has
    learnt games of more."""
    _first_layer(now, before, judge, changes, thought.work)
    answer(judge.theta, judge.shape, thought.actions, 0, thought)
    for i in range(judge.shape[VALUES]):
        values[i] = thought.values[i]
    if sides == 2:
        values[1] = -values[0]


@kernel
def _turn_round(values, sides, ahead):
    """Values that begin with a side so far ahead of the one with which they shall begin."""
    for _ in range(ahead):
        last = values[sides - 1]
        for i in range(sides - 1, 0, -1):
            values[i] = values[i - 1]
        values[0] = last


@kernel
def judge_tables(room, r, judge, seat, limit):
    """List what the seat, which has to decide in room.outcomes.boards[0], can leave, and judge it; returns how many."""
    found, tables = list_afterstates(room.outcomes, r, seat, limit), room.outcomes.tables
    before = room.indices[0, :0]
    for k in range(found):
        v, values = tables[k], room.values[k]
        if v.mode == OVER:
            room.counts[k] = 0
            _judge_over(v, r, judge.unit, seat, values)
        else:
            eyes = seat if judge.shape[CHOICES] == 0 else np.int64(v.to_move)  # who judges actions is about to move
            room.counts[k] = encode(v, r, judge.layout[0], eyes, room.indices[k])
            now = room.indices[k, : room.counts[k]]
            _judge_open(now, before, judge, r.sides, room.changes, room.thought, values)
            _turn_round(values, r.sides, (side_of(r, eyes) - side_of(r, seat)) % r.sides)
            before = now
        room.worth[k] = values[0]
    return found


# --- choosing ------------------------------------------------------------------------------------------------------


@kernel
def draw_table(room, found, temperature, rng):
    """One of the tables, by their worth at a temperature (in units); 0: the best."""
    softmax(room.worth, found, temperature, room.chances)
    return sample_index(room.chances, found, uniform(rng) if temperature > 0.0 else 0.0)


@kernel
def settle(decisions, i, room, found, temperature, rng):
    """The answer in game i: the first action of a table, by what the tables are worth."""
    if i < decisions.chances.shape[0]:
        softmax(room.worth, found, temperature, room.chances)
        for k in range(found):
            decisions.chances[i, step_of(room.outcomes.walk[0], k, 0)] += room.chances[k]
    else:
        decisions.actions[i] = step_of(room.outcomes.walk[0], draw_table(room, found, temperature, rng), 0)


@kernel
def weigh_tables(decisions, i, r, judge, temperature, room):
    """Judge the tables that can be left in game i, and how likely each is left; how many there are."""
    room.outcomes.boards[0] = decisions.views[i]
    found = judge_tables(room, r, judge, decisions.seats[i], LIMIT)
    softmax(room.worth, found, temperature / judge.unit, room.chances)
    return found


@kernel
def answer_by_tables(decisions, i, r, judge, temperature, rng, room):
    """The answer in game i, by the tables that can be left."""
    legal = action_set.from_row(decisions.legal[i])
    many, found, asked = action_set.count(legal), 0, i < decisions.chances.shape[0]
    decisions.actions[i] = action_set.nth(legal, 0)
    if many > 1 or (many and asked):
        found = weigh_tables(decisions, i, r, judge, temperature, room)
    if found:
        settle(decisions, i, room, found, temperature / judge.unit, rng)
    elif many and asked:
        decisions.chances[i, decisions.actions[i]] = 1.0
