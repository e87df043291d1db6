"""Choosing by tables: a network judges every table that a complete turn can leave behind, and the best turn is played.

Seen by the seat that leaves it, after the turn has been handed over. Where the deal is over the result itself counts.
"""

from typing import Any, NamedTuple

import numpy as np

from agents.policy.choice import sample_index, softmax
from agents.policy.mlp import VALUES, Shape, Thought, new_thought, think
from casino_env.actions import END
from casino_env.engine import choices
from casino_env.engine.jit import entry, kernel
from casino_env.engine.outcomes import LIMIT, MOST, Outcomes, list_outcomes, new_outcomes
from casino_env.engine.reading import side_of
from casino_env.engine.rng import uniform
from casino_env.engine.state import OVER, SEATS
from casino_env.knowledge.observation import write

Array = np.ndarray[Any, Any]


class Judge(NamedTuple):
    """The network that judges tables."""

    plan: Array  # the layout of what it reads
    theta: Array
    shape: Array
    unit: float  # points that one unit of its value stands for


class Judged(NamedTuple):
    """The tables that a seat can leave, and what they are worth to it."""

    outcomes: Outcomes
    indices: Array  # [table, k]: features that are on
    counts: Array  # how many; 0 where the deal is over
    values: Array  # [table, side]: by side from mine, in units of the network
    worth: Array  # to the seat, likewise
    chances: Array  # of leaving it
    thought: Thought


def new_judged(rules: Array, shape: Shape, features: int, most: int = MOST) -> Judged:
    """features: the most that are on at once."""
    return Judged(
        new_outcomes(rules, most), np.zeros((most, features), np.int16), np.zeros(most, np.int64),
        np.zeros((most, SEATS), np.float32), np.zeros(most), np.zeros(most), new_thought(shape, features),
    )  # fmt: skip


# --- what a table is worth -----------------------------------------------------------------------------------------


@kernel
def result_of(v, r, side):
    """Points of a finished deal: the side's less the mean of the others'."""
    total = 0.0
    for other in range(r.sides):
        total += v.deal_points[other]
    return v.deal_points[side] - (total - v.deal_points[side]) / (r.sides - 1)


@kernel
def _judge_one(room, k, r, judge, seat):
    v, values = room.outcomes.tables[k], room.values[k]
    if v.mode == OVER:
        room.counts[k] = 0
        for i in range(r.sides):
            values[i] = result_of(v, r, (side_of(r, seat) + i) % r.sides) / judge.unit
    else:
        room.counts[k] = write(v, r, judge.plan[0], seat, room.indices[k])
        think(judge.theta, judge.shape, room.indices[k], room.counts[k], room.thought.actions, 0, room.thought)
        for i in range(judge.shape[VALUES]):
            values[i] = room.thought.values[i]
        if judge.shape[VALUES] == 1:
            values[1] = -values[0]
    room.worth[k] = values[0]


@kernel
def judge_tables(room, r, judge, seat):
    """List what the seat, which has to decide in room.outcomes.boards[0], can leave, and judge it; returns how many."""
    found = list_outcomes(room.outcomes, r, seat, LIMIT)
    for k in range(found):
        _judge_one(room, k, r, judge, seat)
    return found


# --- choosing ------------------------------------------------------------------------------------------------------


@kernel
def first_action(outcomes, k):
    return np.int64(outcomes.paths[k, 0]) if outcomes.lengths[k] else END


@kernel
def draw_table(room, found, temperature, rng):
    """One of the tables, by their worth at a temperature (in units); 0: the best."""
    softmax(room.worth, found, temperature, room.chances)
    return (
        sample_index(room.chances, found, uniform(rng))
        if temperature > 0.0
        else np.int64(np.argmax(room.chances[:found]))
    )


@kernel
def _answer(decisions, i, room, found, temperature, rng):
    """The answer in game i."""
    if i < decisions.chances.shape[0]:
        softmax(room.worth, found, temperature, room.chances)
        for k in range(found):
            decisions.chances[i, first_action(room.outcomes, k)] += room.chances[k]
    else:
        decisions.actions[i] = first_action(room.outcomes, draw_table(room, found, temperature, rng))


@entry
def decide_by_tables(decisions, rules, judge, temperature, rng, room):
    """A network that judges tables answers in each game; temperature in points."""
    for i in range(decisions.views.shape[0]):
        legal = choices.from_row(decisions.legal[i])
        many, found = choices.count(legal), 0
        decisions.actions[i] = choices.nth(legal, 0)
        if many > 1:
            room.outcomes.boards[0] = decisions.views[i]
            found = judge_tables(room, rules[0], judge, decisions.seats[i])
        if found:
            _answer(decisions, i, room, found, temperature / judge.unit, rng)
        elif many and i < decisions.chances.shape[0]:
            decisions.chances[i, decisions.actions[i]] = 1.0
