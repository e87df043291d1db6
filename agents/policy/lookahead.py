"""Looking some turns ahead where all cards are known: the best turns of each seat, judged by where they end.

A search over complete turns: negamax with alpha-beta for two sides; with more each plays for its own side (max^n). Only
the best turns of each seat by the network's first judgement are followed (`width`), or the worse ones less far
(`steep`). Where the end is reached the result counts, exact but for questions to others (they give their usual answer)
and orders of secret batches (taken as they come). The last cards of two sides are left to the solver.
"""

from typing import NamedTuple

import numpy as np

from casino_env.agents.policy.levels import room_of
from casino_env.agents.policy.mlp import CHOICES
from casino_env.agents.policy.remembered import NOTHING, TO_THE_END, forget, key_of, recall, remember, settles
from casino_env.agents.policy.tables import answer_by_tables, judge_tables, settle, weigh_tables
from casino_env.agents.solver.last_cards import best_action, few_cards
from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, kernel
from casino_env.engine import action_set
from casino_env.engine.afterstates import LIMIT, step_of
from casino_env.engine.reading import side_of
from casino_env.engine.state import OVER

_NEVER = -1e9
_LATER = 1e6  # tables that have not been followed come after those that have
PART = 8  # parts of a turn, in which is counted how far to look
_TOLD = 7.0  # temperatures below the best: what is worth less is hardly ever played
LISTINGS = 4096  # seats whose turns are listed in one search; beyond it tables are taken as they were judged


class Ahead(NamedTuple):
    """How far."""

    turns: int
    width: int
    exact: int  # two sides with so many cards in all hands together, or fewer: the solver plays, if it finds the best


@kernel
def all_known(v, r):
    """Nothing is hidden from the seat."""
    hidden = v.hidden_stock
    for seat in range(r.players):
        hidden += v.hidden_hand[seat] + v.hidden_pile[seat]
    return hidden == 0 and v.stock_top < 0


@entry
def can_follow(view, rules, seat):
    """Whether turns can be followed from here: the seat is in its own turn, and knows all cards."""
    return view[0].to_move == seat and all_known(view[0], rules[0])


@kernel
def _enter(levels, r, judge, level, far):
    """List and judge what the seat that decides in boards[level, 0] can leave."""
    f, v = levels.frames[level], levels.boards[level, 0]
    seat = np.int64(v.actor)
    f.side = side_of(r, seat)
    f.found = judge_tables(room_of(levels, level), r, judge, seat, LIMIT if level == 0 else LIMIT // 4)
    f.far, f.top, f.known = far, _NEVER, NOTHING
    for k in range(f.found):
        levels.left[level, k] = levels.worth[level, k]
        f.top = max(f.top, levels.worth[level, k])
    _begin_frame(levels, level)
    levels.state[0].open += levels.walks[level].cut  # there may be turns that nobody follows


@kernel
def _begin_frame(levels, level):
    """No table has been tried yet."""
    f = levels.frames[level]
    f.tried = 0
    f.best[:] = _NEVER
    f.low, f.high = _NEVER, -_NEVER
    if level:
        f.low, f.high = levels.frames[level - 1].low, levels.frames[level - 1].high
    f.lowest, f.highest, f.opened = f.low, f.high, levels.state[0].open


@kernel
def _next(levels, level):
    """The table of most worth that has not been tried."""
    f, left, best = levels.frames[level], levels.left[level], 0
    for k in range(1, f.found):
        if left[k] > left[best]:
            best = k
    left[best] = _NEVER
    f.now = best
    f.tried += 1
    return best


@kernel
def _take(levels, r, level, values, begin):
    """What the table that was looked at comes to: values by side, beginning with side `begin`."""
    f = levels.frames[level]
    mine = values[(f.side - begin) % r.sides]
    if level == 0:
        levels.worth[0, f.now] = mine
        if mine > f.best[f.side]:
            levels.state[0].chosen = f.now
    if mine > f.best[f.side]:
        for i in range(r.sides):
            f.best[(begin + i) % r.sides] = values[i]
        f.choice = f.now
    if r.sides == 2:
        spare = 0.0 if level else levels.state[0].spare
        f.low = max(f.low, f.best[0] - spare) if f.side == 0 else f.low
        f.high = min(f.high, f.best[0] + spare) if f.side == 1 and f.best[1] > _NEVER else f.high


@kernel
def begin(levels, r, judge):
    """List and judge what can be left from boards[0, 0]; returns how many tables that are."""
    state = levels.state[0]
    forget(levels.memory)
    _enter(levels, r, judge, 0, 0)
    found = levels.frames[0].found
    state.level, state.listings, state.open, state.spare = 0, 1, 0, 0.0
    state.chosen = np.argmax(levels.worth[0, :found])
    return found


@kernel
def begin_again(levels):
    """To look further than before: first at what was best then."""
    for k in range(levels.frames[0].found):
        tried = levels.left[0, k] == _NEVER
        levels.left[0, k] = levels.worth[0, k] - (0.0 if tried else _LATER)
    levels.state[0].open = 0
    levels.frames[0].top = levels.worth[0, levels.state[0].chosen]
    _begin_frame(levels, 0)


@kernel
def _stay(levels, r, level, k):
    """The table k of this level is taken as it was judged."""
    levels.state[0].open += levels.tables[level, k].mode != OVER
    _take(levels, r, level, levels.values[level, k], levels.frames[level].side)


@kernel
def _wide(width, level):
    """So many tables of a turn are followed: fewer further down."""
    return max(min(width, 2), width - level // 2)


@kernel
def _answered(levels, r, level, known, far):
    """The table that is looked at is worth what is remembered, if that is enough."""
    f = levels.frames[level]
    if not settles(known, f.low, f.high, far):
        return False
    levels.state[0].open += known.far != TO_THE_END
    found = levels.frames[level + 1].best
    found[0], found[1] = known.worth, -known.worth
    _take(levels, r, level, found, 0)
    return True


@kernel
def _far_from(levels, judge, level, k, steep):
    """How far to look from table k on: less far the worse it was judged, unless it was the best before."""
    f = levels.frames[level]
    behind = 0.0 if k == f.known else max(0.0, f.top - levels.worth[level, k]) * judge.unit
    return f.far - PART - np.int64(PART * min(steep * behind, CARDS))


@kernel
def _follow(levels, r, judge, level, k, far):
    """Go on from the table k of this level, unless it is remembered what that comes to."""
    key = key_of(levels.tables[level, k], r, levels.last.names)
    place = recall(levels.memory, key)
    if place != NOTHING and _answered(levels, r, level, levels.memory[place], far):
        return
    levels.boards[level + 1, 0] = levels.tables[level, k]
    levels.state[0].listings += 1
    _enter(levels, r, judge, level + 1, far)
    f = levels.frames[level + 1]
    if f.found == 0:  # nothing can be done
        _stay(levels, r, level, k)
        return
    levels.state[0].level = level + 1
    f.key = key
    if place != NOTHING and levels.memory[place].table < f.found and far >= 2 * PART:
        f.known = levels.memory[place].table
        levels.left[level + 1, f.known] += _LATER  # first


@kernel
def _leave(levels, r, level, width):
    """All of this level that matters has been tried."""
    state, f = levels.state[0], levels.frames[level]
    state.open += f.tried < f.found and f.low < f.high
    if level:
        followed = TO_THE_END if state.open == f.opened else f.far
        remember(levels.memory, f.key, f.best[0], f.lowest, f.highest, followed, f.choice)
        state.level = level - 1
        _take(levels, r, level - 1, f.best, 0)


@kernel
def look_on(levels, r, judge, far, width, steep, listings):
    """Go on until the worth of the tables of the root is known (true), or so many listings have been made.

    far: how far to look, in parts of a turn. width: of so many tables that a turn can leave. steep: so many turns less
    far for each point that a table was judged to be worth less than the best.
    """
    state, deepest = levels.state[0], levels.frames.shape[0] - 1
    levels.frames[0].far = far
    while True:
        level = state.level
        f = levels.frames[level]
        if f.tried >= min(f.found, _wide(width, level)) or f.low >= f.high:
            _leave(levels, r, level, width)
            if level == 0:
                return True
            continue
        if state.listings >= listings:
            return False
        k, last = _next(levels, level), f.far < 2 * PART or level == deepest
        if last and level:
            f.tried = f.found = 1  # the best by judgement is the best
        if levels.tables[level, k].mode == OVER or last:
            _stay(levels, r, level, k)
            continue
        on = _far_from(levels, judge, level, k, steep)
        if on < PART:
            state.open += 1
        else:
            _follow(levels, r, judge, level, k, on)


@kernel
def _stop(levels, r, judge, width):
    """What has not been followed is taken as it was judged."""
    for level in range(levels.state[0].level + 1):
        levels.frames[level].far = 0
    look_on(levels, r, judge, 0, width, 0.0, 2 * LISTINGS)


@kernel
def look_ahead(levels, r, judge, turns, width, temperature):
    """The worth of the tables that can be left from boards[0, 0], those that are not followed aside; how many there
    are, followed or not.

    With two sides the worth of a table that is refuted is a bound, which may be as much as the best: `chosen` is the
    best. With a temperature (in units) tables that may be drawn are told exactly.
    """
    found = begin(levels, r, judge)
    levels.state[0].spare = _TOLD * temperature
    if not look_on(levels, r, judge, turns * PART, width, 0.0, LISTINGS):
        _stop(levels, r, judge, width)
    for k in range(found):
        if levels.left[0, k] > _NEVER:
            levels.worth[0, k] = _NEVER
    return found


@entry
def list_and_judge(levels, rules, judge, view):
    """begin, called by Python, for the seat that decides in a view in which all cards are known."""
    levels.boards[0, 0] = view[0]
    return begin(levels, rules[0], judge)


@entry
def look_further(levels, rules, judge, far, width, steep, listings, anew):
    """look_on, called by Python; anew: from the root, what was best before first."""
    if anew:
        begin_again(levels)
    return look_on(levels, rules[0], judge, far, width, steep, levels.state[0].listings + listings)


@entry
def decide_by_tables(decisions, rules, judge, ahead, temperature, rng, levels):
    """Answers by the tables that can be left, and where all cards are known by what they lead to. A network that judges
    actions has given the other answers before."""
    r = rules[0]
    for i in range(decisions.views.shape[0]):
        settled = _answer_ahead(decisions, i, r, judge, ahead, temperature, rng, levels)
        if judge.shape[CHOICES]:
            continue
        if not settled:
            answer_by_tables(decisions, i, r, judge, temperature, rng, levels.judged)
        elif i < decisions.chances.shape[0]:
            weigh_tables(
                decisions, i, r, judge, temperature, levels.judged
            )  # whoever asks for chances may ask for values


@kernel
def _answer_ahead(decisions, i, r, judge, ahead, temperature, rng, levels):
    """The answer in game i, if all cards are known there; returns whether there is one."""
    v = decisions.views[i]
    if action_set.count(decisions.legal[i]) < 2 or not all_known(v, r):
        return False
    best = best_action(levels.last, r, v) if temperature == 0.0 and few_cards(v, r, ahead.exact) else -1
    if best >= 0:
        _settle_on(decisions, i, best)
        return True
    if ahead.turns < 2 or v.to_move != decisions.seats[i]:
        return False
    levels.boards[0, 0] = v
    warmth, room = temperature / judge.unit, room_of(levels, 0)
    found = look_ahead(levels, r, judge, ahead.turns, ahead.width, warmth)
    if found and temperature > 0.0:
        _forget_chances(decisions, i)
        settle(decisions, i, room, found, warmth, rng)
    elif found:
        _settle_on(decisions, i, step_of(room.outcomes.walk[0], levels.state[0].chosen, 0))
    return found > 0


@kernel
def _forget_chances(decisions, i):
    if i < decisions.chances.shape[0]:
        decisions.chances[i, :] = 0.0


@kernel
def _settle_on(decisions, i, action):
    """The answer in game i is this action."""
    _forget_chances(decisions, i)
    if i < decisions.chances.shape[0]:
        decisions.chances[i, action] = 1.0
    else:
        decisions.actions[i] = action
