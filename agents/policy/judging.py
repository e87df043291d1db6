"""Choosing by a network. One over actions has a logit for each. One over afterstates judges all that a complete turn
can leave behind, by its value, and the turn that leaves the best is played.

An afterstate is seen by the seat that leaves it, after the turn has been handed over. Where the deal is over the result
itself counts.
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.agents.base import Decisions
from casino_env.agents.policy.mlp import (
    LOGITS,
    VALUES,
    WIDTHS,
    Thought,
    add_rows,
    first_sums,
    sample_index,
    set_to,
    softmax,
    think,
    think_on,
)
from casino_env.compiler.jit import entry, inlined, items_of, kernel
from casino_env.compiler.types import F32, F64, I16, I64, U64, F32x2, I16x2, Sizes
from casino_env.engine import action_set
from casino_env.engine.afterstates import LIMIT, MOST, Afterstates, list_afterstates, step_of
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import points_ahead
from casino_env.engine.state import OVER, SEATS, RulesRow
from casino_env.knowledge.encode import encode
from casino_env.knowledge.layout import LayoutRow
from casino_env.rng import stream_of, uniform

# --- networks over actions -----------------------------------------------------------------------------------------


class Judge(NamedTuple):
    """A network that judges, actions or afterstates."""

    layout: LayoutRow  # the layout of what it reads
    theta: F32
    shape: I64
    value_scale: float  # points that one unit of its value stands for


@kernel
def think_of(judge, legal, thought):
    """List the legal actions, and think of the features in the thought; returns how many actions there are."""
    many = action_set.listed(legal, thought.actions)
    think(judge.theta, judge.shape, thought.indices, thought.on[0], thought.actions, many, thought)
    return many


@entry
def decide_by_logits(
    decisions: Decisions, rules: RulesRow, judge: Judge, temperature: float, rng: U64, thought: Thought
) -> None:
    """The network answers in each game. rng: a stream for each, or one for all."""
    for i in range(decisions.views.shape[0]):
        legal = action_set.from_row(decisions.legal[i])
        decisions.actions[i] = -1
        if action_set.count(legal) == 0:
            continue
        thought.on[0] = encode(decisions.views[i], rules[0], judge.layout[0], decisions.seats[i], thought.indices)
        count = think_of(judge, legal, thought)
        softmax(thought.logits, count, temperature, thought.chances)
        if i < decisions.chances.shape[0]:
            for k in range(count):
                decisions.chances[i, thought.actions[k]] = thought.chances[k]
        else:
            own = stream_of(rng, i)
            point = uniform(rng[own : own + 1]) if count > 1 else 0.0
            decisions.actions[i] = thought.actions[sample_index(thought.chances, count, point)]


# --- what an afterstate is worth -----------------------------------------------------------------------------------


class Changes(NamedTuple):
    """What tells the features of one afterstate from those of the one before: nearly all are the same."""

    seen: Annotated[I64, Sizes("inputs")]  # feature -> the number of the last afterstate that has it
    clock: Annotated[I64, Sizes(1)]  # that number
    new: Annotated[I16, Sizes("features")]  # features of this afterstate alone
    gone: Annotated[I16, Sizes("features")]  # of the one before alone
    sums: Annotated[F32x2, Sizes(2, "first_layer")]  # [0]: of the first layer; [1]: of what is gone


class Judged(NamedTuple):
    """The afterstates that a seat can leave, what they are worth to it, and the workspace to find out."""

    afterstates: Afterstates
    indices: Annotated[I16x2, Sizes(MOST, "features")]  # [afterstate, k]: features that are on
    counts: Annotated[I64, Sizes(MOST)]  # how many; 0 where the deal is over
    values: Annotated[F32x2, Sizes(MOST, SEATS)]  # [afterstate, side]: by side from mine, in units of the network
    worth: Annotated[F64, Sizes(MOST)]  # to the seat, likewise
    chances: Annotated[F64, Sizes(MOST)]  # of leaving it
    thought: Thought
    changes: Changes


@inlined
def _compare(now, before, changes):
    """(how many features are new, how many of those before are gone), and which. All are written down, and stay if
    the next one does not take their place: a branch for each would take longer."""
    seen, clock, new, gone = items_of(changes.seen), changes.clock[0], 0, 0
    here, there, fresh, lost = items_of(now), items_of(before), items_of(changes.new), items_of(changes.gone)
    changes.clock[0] = clock + 1
    for k in range(now.shape[0]):
        feature = here[k]
        fresh[new] = feature
        new += seen[feature] != clock
        seen[feature] = clock + 1
    for k in range(before.shape[0]):
        feature = there[k]
        lost[gone] = feature
        gone += seen[feature] != clock + 1
    return new, gone


@inlined
def _first_layer(now, before, judge, changes, work):
    """The sums of the first layer: those of the afterstate before, if there is one, and what differs."""
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


@inlined
def _judge_open(now, before, judge, sides, changes, thought, values):
    """What the network says of these features. Of two sides one wins what the other loses, also for a network that has
    learnt games of more."""
    _first_layer(now, before, judge, changes, thought.work)
    think_on(judge.theta, judge.shape, thought.actions, 0, thought)
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
def judge_afterstates(judged, r, judge, seat, limit):
    """List what the seat, which has to decide in afterstates.stack[0], can leave, and judge it; returns how many."""
    found, records = list_afterstates(judged.afterstates, r, seat, limit), judged.afterstates.records
    before = judged.indices[0, :0]
    for k in range(found):
        v, values = records[k], judged.values[k]
        if v.mode == OVER:
            judged.counts[k] = 0
            for i in range(r.sides):  # what the deal brought
                values[i] = points_ahead(v, r, (side_of(r, seat) + i) % r.sides) / judge.value_scale
        else:
            observer = seat if judge.shape[LOGITS] == 0 else np.int64(v.to_move)  # over actions it is about to move
            judged.counts[k] = encode(v, r, judge.layout[0], observer, judged.indices[k])
            now = judged.indices[k, : judged.counts[k]]
            _judge_open(now, before, judge, r.sides, judged.changes, judged.thought, values)
            _turn_round(values, r.sides, (side_of(r, observer) - side_of(r, seat)) % r.sides)
            before = now
        judged.worth[k] = values[0]
    return found


# --- choosing between afterstates ----------------------------------------------------------------------------------


@kernel
def first_action(judged, k):
    """Of the turn that leads to an afterstate."""
    return step_of(judged.afterstates.walk[0], k, 0)


@kernel
def draw_afterstate(judged, found, temperature, rng):
    """One of them, by their worth at a temperature (in units of the value); 0: the best."""
    softmax(judged.worth, found, temperature, judged.chances)
    return sample_index(judged.chances, found, uniform(rng) if temperature > 0.0 else 0.0)


@kernel
def answer_by_worth(decisions, i, judged, found, temperature, rng):
    """The answer in game i: the first action of a turn, by what its afterstate is worth."""
    if i < decisions.chances.shape[0]:
        softmax(judged.worth, found, temperature, judged.chances)
        for k in range(found):
            decisions.chances[i, first_action(judged, k)] += judged.chances[k]
    else:
        decisions.actions[i] = first_action(judged, draw_afterstate(judged, found, temperature, rng))


@kernel
def weigh_afterstates(decisions, i, r, judge, temperature, judged):
    """Judge the afterstates that can be left in game i, and how likely each is left; how many there are."""
    judged.afterstates.stack[0] = decisions.views[i]
    found = judge_afterstates(judged, r, judge, decisions.seats[i], LIMIT)
    softmax(judged.worth, found, temperature / judge.value_scale, judged.chances)
    return found


@kernel
def answer_by_afterstates(decisions, i, r, judge, temperature, rng, judged):
    """The answer in game i, by the afterstates that can be left."""
    legal = action_set.from_row(decisions.legal[i])
    many, found, asked = action_set.count(legal), 0, i < decisions.chances.shape[0]
    decisions.actions[i] = action_set.nth(legal, 0)
    if many > 1 or (many and asked):
        found = weigh_afterstates(decisions, i, r, judge, temperature, judged)
    if found:
        answer_by_worth(decisions, i, judged, found, temperature / judge.value_scale, rng)
    elif many and asked:
        decisions.chances[i, decisions.actions[i]] = 1.0
