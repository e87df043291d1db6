"""Decisions by a network: by its logits of actions, or by its values of afterstates.

A network over actions has a logit for each. A network over afterstates values everything that a complete turn can leave
behind, and the turn to the best one is played. An afterstate is seen by the seat that leaves it, after the turn has
been handed over. If the deal is over, its result counts instead.
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
    begin_sums,
    sample_index,
    softmax,
    think,
    think_on,
)
from casino_env.compiler.jit import bits_of, entry, inlined, items_of, kernel
from casino_env.compiler.types import F32, F64, I16, I64, U64, F32x2, I64x2, Sizes
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
    """A network over actions or afterstates."""

    layout: LayoutRow  # of the observation that it reads
    theta: F32
    shape: I64
    value_scale: float  # points per unit of its value


@kernel
def think_of(judge, legal, thought):
    """List the legal actions and run the network on the features in `thought`; return the number of actions."""
    many = action_set.listed(legal, thought.actions)
    think(judge.theta, judge.shape, thought.indices, thought.on[0], thought.actions, many, thought)
    return many


@entry
def decide_by_logits(
    decisions: Decisions, rules: RulesRow, judge: Judge, temperature: float, rng: U64, thought: Thought
) -> None:
    """Decide by the network in each game. rng: a stream per game, or one for all."""
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


# --- valuing afterstates -------------------------------------------------------------------------------------------


class Changes(NamedTuple):
    """The difference between the features of an afterstate and those of the one before, most of which are equal."""

    none: Annotated[I64, Sizes("words")]  # no features: what the first afterstate differs from
    new: Annotated[I16, Sizes("features")]  # features on only in this afterstate
    gone: Annotated[I16, Sizes("features")]  # features on only in the one before
    sums: Annotated[F32, Sizes("first_layer")]  # sums of the first layer


class Judged(NamedTuple):
    """The afterstates that a seat can leave, their values, and the workspace."""

    afterstates: Afterstates
    features: Annotated[I64x2, Sizes(MOST, "words")]  # [afterstate]: its features as bits, unless the deal is over
    values: Annotated[F32x2, Sizes(MOST, SEATS)]  # [afterstate, side]: my side first, in units of the network
    worth: Annotated[F64, Sizes(MOST)]  # value to the seat, in the same units
    chances: Annotated[F64, Sizes(MOST)]  # chance that it is chosen
    thought: Thought
    changes: Changes


@inlined
def _compare(before, now, changes):
    """Write new and gone features; return (number of new ones, number of gone ones)."""
    old, on, words, new, gone = items_of(before), items_of(now), now.shape[0], 0, 0
    fresh, lost = items_of(changes.new), items_of(changes.gone)
    for first in range(0, words, 64):
        differ = 0
        for k in range(min(64, words - first)):
            differ |= (old[first + k] != on[first + k]) << k
        for k in bits_of(differ):
            word = first + k
            for bit in bits_of(on[word] & ~old[word]):
                fresh[new] = word << 6 | bit
                new += 1
            for bit in bits_of(old[word] & ~on[word]):
                lost[gone] = word << 6 | bit
                gone += 1
    return new, gone


@inlined
def _judge_open(before, now, judge, sides, changes, thought, values):
    """Run the network on these features; its first layer goes on from the afterstate before. With two sides the second
    value is minus the first, also for a network trained on games with more sides."""
    width = judge.shape[WIDTHS]
    new, gone = _compare(before, now, changes)
    add_rows(judge.theta, width, changes.new, new, np.float32(1.0), changes.sums)
    add_rows(judge.theta, width, changes.gone, gone, np.float32(-1.0), changes.sums)
    think_on(judge.theta, judge.shape, changes.sums, thought.actions, 0, thought)
    for i in range(judge.shape[VALUES]):
        values[i] = thought.values[i]
    if sides == 2:
        values[1] = -values[0]


@kernel
def _turn_round(values, sides, ahead):
    """Rotate the values right by `ahead`, to begin with the side `ahead` places before the one they begin with."""
    for _ in range(ahead):
        last = values[sides - 1]
        for i in range(sides - 1, 0, -1):
            values[i] = values[i - 1]
        values[0] = last


@kernel
def judge_afterstates(judged, r, judge, seat, limit):
    """List and value the afterstates of the seat, which decides in afterstates.stack[0]; return how many there are."""
    found, records = list_afterstates(judged.afterstates, r, seat, limit), judged.afterstates.records
    before = judged.changes.none
    begin_sums(judge.theta, judge.shape, judged.changes.sums)
    for k in range(found):
        v, values = records[k], judged.values[k]
        if v.mode == OVER:
            for i in range(r.sides):  # the result of the deal
                values[i] = points_ahead(v, r, (side_of(r, seat) + i) % r.sides) / judge.value_scale
        else:
            observer = seat if judge.shape[LOGITS] == 0 else np.int64(v.to_move)  # over actions: the seat about to move
            now = judged.features[k]
            encode(v, r, judge.layout[0], observer, now)
            _judge_open(before, now, judge, r.sides, judged.changes, judged.thought, values)
            before = now
            _turn_round(values, r.sides, (side_of(r, observer) - side_of(r, seat)) % r.sides)
        judged.worth[k] = values[0]
    return found


# --- choosing between afterstates ----------------------------------------------------------------------------------


@kernel
def first_action(judged, k):
    """The first action of the turn to afterstate k."""
    return step_of(judged.afterstates.walk[0], k, 0)


@kernel
def draw_afterstate(judged, found, temperature, rng):
    """Draw an afterstate by its worth at a temperature (in units of the value); 0: the best."""
    softmax(judged.worth, found, temperature, judged.chances)
    return sample_index(judged.chances, found, uniform(rng) if temperature > 0.0 else 0.0)


@kernel
def answer_by_worth(decisions, i, judged, found, temperature, rng):
    """Answer in game i with the first action of a turn, by the worth of its afterstate."""
    if i < decisions.chances.shape[0]:
        softmax(judged.worth, found, temperature, judged.chances)
        for k in range(found):
            decisions.chances[i, first_action(judged, k)] += judged.chances[k]
    else:
        decisions.actions[i] = first_action(judged, draw_afterstate(judged, found, temperature, rng))


@kernel
def weigh_afterstates(decisions, i, r, judge, temperature, judged):
    """Value the afterstates of game i and compute the chances of each; return how many there are."""
    judged.afterstates.stack[0] = decisions.views[i]
    found = judge_afterstates(judged, r, judge, decisions.seats[i], LIMIT)
    softmax(judged.worth, found, temperature / judge.value_scale, judged.chances)
    return found


@kernel
def answer_by_afterstates(decisions, i, r, judge, temperature, rng, judged):
    """Answer in game i by the values of the afterstates."""
    legal = action_set.from_row(decisions.legal[i])
    many, found, asked = action_set.count(legal), 0, i < decisions.chances.shape[0]
    decisions.actions[i] = action_set.nth(legal, 0)
    if many > 1 or (many and asked):
        found = weigh_afterstates(decisions, i, r, judge, temperature, judged)
    if found:
        answer_by_worth(decisions, i, judged, found, temperature / judge.value_scale, rng)
    elif many and asked:
        decisions.chances[i, decisions.actions[i]] = 1.0
