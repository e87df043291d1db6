"""Looking some turns ahead where all cards are known: the best turns of each seat, judged by where they end.

A search over complete turns: negamax with alpha-beta for two sides; with more each plays for its own side (max^n). Only
the best turns of each seat by the network's first judgement are followed (`width`). Positions that come again are found
in a transposition table. Where the end is reached the result counts, exact but for questions to others (they give their
usual answer) and orders of secret batches (taken as they come). The last cards of two sides are left to the solver.
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.agents.base import Decisions
from casino_env.agents.policy.judging import (
    Judge,
    Judged,
    answer_by_afterstates,
    answer_by_worth,
    first_action,
    judge_afterstates,
    weigh_afterstates,
)
from casino_env.agents.policy.mlp import LOGITS
from casino_env.agents.solver.alpha_beta import AlphaBeta, best_action, few_cards
from casino_env.agents.solver.stakes import position_key, prospects
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import U64, Elements, F32x3, F64x2, I16x3, I64x2, Sizes
from casino_env.engine import action_set
from casino_env.engine.afterstates import DEPTH, LIMIT, MOST, WALK, Afterstates
from casino_env.engine.position_keys import find_equals, mix
from casino_env.engine.reading import side_of
from casino_env.engine.state import GAME, IDLE, OVER, SEATS, RulesRow
from casino_env.rng import stream_of
from casino_env.validate import float_in, int_in

LISTINGS = 4096  # seats whose turns are listed in one search; beyond it afterstates are taken as they were judged
MOST_TURNS, MOST_CARDS, MOST_TEMPERATURE = 8, 12, 100.0  # of PlaySettings
_NEVER = -1e9
_LATER = 1e6  # afterstates that have not been followed come after those that have
_WINDOW = 7.0  # temperatures below the best: what is worth less is hardly ever played


class PlaySettings(NamedTuple):
    """How a policy plays unless it is told otherwise."""

    temperature: float = 0.0  # in points; 0: always what it likes best
    turns: int = 1  # that it looks ahead where all cards are known, its own included
    width: int = 6  # turns that it follows; after each turn one fewer, at least two
    exact: int = 0  # the solver plays for two sides with so many cards in all hands, or fewer, if it finds the best


def checked(play: PlaySettings) -> PlaySettings:
    """As kernels want it; raises ValueError."""
    return PlaySettings(
        float_in(play.temperature, "temperature", 0.0, MOST_TEMPERATURE),
        int_in(play.turns, "turns", 1, MOST_TURNS),
        int_in(play.width, "width", 1, MOST),
        int_in(play.exact, "exact", 0, MOST_CARDS),
    )


# --- the transposition table -------------------------------------------------------------------------------------
# Of positions that come again: by other turns in another order, or when the search looks deeper. Two sides only.

NOTHING = -1
TO_THE_END = 1 << 20  # as a depth: everything was followed to the end of the deal
EXACT, LOWER, UPPER = 0, 1, 2  # what a value is: itself, or a bound of it
ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.float64),  # of side 0
        ("bound", np.int64),  # EXACT, LOWER or UPPER
        ("depth", np.int64),  # to which was looked
        ("best", np.int64),  # of the afterstates, as they were listed
    ]
)


@kernel
def _key_of(g, r, names):
    """Of a position at the beginning of a turn; 0: it has none."""
    if r.sides != 2 or r.count_out or g.mode != IDLE or g.acted:
        return np.uint64(0)
    safe, _, _, word = prospects(g, r)
    return mix(position_key(g, r, names, word), safe + 1000)


@kernel
def _slot(entries, key):
    """Where a position with this key has its place."""
    return np.int64(key & np.uint64(entries.shape[0] - 1))


# --- the workspace: a turn on each level -------------------------------------------------------------------------


# Of each turn that is looked at, by level: where it stands.
FRAME = np.dtype(
    [
        ("side", np.int64),  # that decides
        ("found", np.int64),  # afterstates that it can leave
        ("tried", np.int64),  # of them
        ("now", np.int64),  # the one that is being looked at
        ("best", np.float64, SEATS),  # by side, what it comes to
        ("low", np.float64),  # of two sides: what side 0 is sure of above
        ("high", np.float64),  # and what the other allows it
        ("key", np.uint64),  # of the position that is decided in
        ("lowest", np.float64),  # low and high when it began
        ("highest", np.float64),
        ("opened", np.int64),  # open afterstates of the whole search before that
        ("choice", np.int64),  # the best afterstate
        ("depth", np.int64),  # how deep to look from here, the turn itself included
    ]
)
# The search as a whole.
STATE = np.dtype(
    [
        ("level", np.int64),  # that is being looked at
        ("listings", np.int64),  # seats whose turns have been listed
        ("open", np.int64),  # afterstates that were judged before the deal was over
        ("chosen", np.int64),  # the best afterstate of the root so far
        ("window", np.float64),  # how much less than it others of the root may be worth and still be told exactly
        # deepening
        ("depth", np.int64),  # to which is looked now
        ("width", np.int64),
        ("steps", np.int64),  # depths to which was looked before
        ("anew", np.int64),  # 1: this depth begins
    ]
)


class Levels(NamedTuple):
    """A turn on each level, as in Judged."""

    state: Annotated[Array, Elements(STATE), Sizes(1)]
    frames: Annotated[Array, Elements(FRAME), Sizes("turns")]
    stack: Annotated[Array, Elements(GAME, 2), Sizes("turns", DEPTH + 1)]
    records: Annotated[Array, Elements(GAME, 2), Sizes("turns", MOST)]
    walks: Annotated[Array, Elements(WALK), Sizes("turns")]
    indices: Annotated[I16x3, Sizes("turns", MOST, "features")]
    counts: Annotated[I64x2, Sizes("turns", MOST)]
    values: Annotated[F32x3, Sizes("turns", MOST, SEATS)]
    worth: Annotated[F64x2, Sizes("turns", MOST)]
    remaining: Annotated[F64x2, Sizes("turns", MOST)]  # [level, afterstate]: its worth as long as it is not tried
    transpositions: Annotated[Array, Elements(ENTRY), Sizes("transpositions")]  # a power of two
    judged: Judged  # of afterstates that are not followed; the rest of this workspace serves all levels
    last: AlphaBeta  # for the last cards


LEVELS = {"transpositions": 1024, "levels": 256, "entries": 8192}  # sizes for one decision


@kernel
def judged_at(levels, level):
    """The workspace of a level."""
    rest = levels.judged
    afterstates = Afterstates(levels.stack[level], levels.records[level], levels.walks[level : level + 1])
    return Judged(
        afterstates, levels.indices[level], levels.counts[level], levels.values[level], levels.worth[level],
        rest.chances, rest.thought, rest.changes,
    )  # fmt: skip


# --- the search ---------------------------------------------------------------------------------------------------


@kernel
def all_known(v, r):
    """Nothing is hidden from the seat."""
    hidden = v.hidden_stock
    for seat in range(r.players):
        hidden += v.hidden_hand[seat] + v.hidden_pile[seat]
    return hidden == 0 and v.stock_top < 0


@kernel
def looks_ahead(v, r, play, seat):
    """A policy follows more turns than its own: the seat is in its turn, and all cards are known."""
    return play.turns > 1 and v.to_move == seat and all_known(v, r)


@kernel
def _enter(levels, r, judge, level, depth):
    """List and judge what the seat that decides in stack[level, 0] can leave."""
    f, v = levels.frames[level], levels.stack[level, 0]
    seat = np.int64(v.actor)
    f.side = side_of(r, seat)
    f.found = judge_afterstates(judged_at(levels, level), r, judge, seat, LIMIT if level == 0 else LIMIT // 4)
    f.depth = depth
    for k in range(f.found):
        levels.remaining[level, k] = levels.worth[level, k]
    _begin_frame(levels, level)
    levels.state[0].open += levels.walks[level].cut  # there may be turns that nobody follows


@kernel
def _begin_frame(levels, level):
    """No afterstate has been tried yet."""
    f = levels.frames[level]
    f.tried = 0
    f.best[:] = _NEVER
    f.low, f.high = _NEVER, -_NEVER
    if level:
        f.low, f.high = levels.frames[level - 1].low, levels.frames[level - 1].high
    f.lowest, f.highest, f.opened = f.low, f.high, levels.state[0].open


@kernel
def _next(levels, level):
    """The afterstate of most worth that has not been tried."""
    f, remaining, best = levels.frames[level], levels.remaining[level], 0
    for k in range(1, f.found):
        if remaining[k] > remaining[best]:
            best = k
    remaining[best] = _NEVER
    f.now = best
    f.tried += 1
    return best


@kernel
def _take(levels, r, level, values, first):
    """What the afterstate that was looked at comes to: values by side, beginning with side `first`."""
    f = levels.frames[level]
    mine = values[(f.side - first) % r.sides]
    if level == 0:
        levels.worth[0, f.now] = mine
        if mine > f.best[f.side]:
            levels.state[0].chosen = f.now
    if mine > f.best[f.side]:
        for i in range(r.sides):
            f.best[(first + i) % r.sides] = values[i]
        f.choice = f.now
    if r.sides == 2:
        window = 0.0 if level else levels.state[0].window
        f.low = max(f.low, f.best[0] - window) if f.side == 0 else f.low
        f.high = min(f.high, f.best[0] + window) if f.side == 1 and f.best[1] > _NEVER else f.high


@kernel
def _begin(levels, r, judge):
    """List and judge what can be left from stack[0, 0]; returns how many afterstates that are."""
    state = levels.state[0]
    find_equals(r, levels.last.names.same)
    for i in range(levels.transpositions.shape[0]):
        levels.transpositions[i].key = 0
    _enter(levels, r, judge, 0, 0)
    found = levels.frames[0].found
    state.level, state.listings, state.open, state.window = 0, 1, 0, 0.0
    state.chosen = np.argmax(levels.worth[0, :found])
    return found


@kernel
def _stay(levels, r, level, k):
    """The afterstate k of this level is taken as it was judged."""
    levels.state[0].open += levels.records[level, k].mode != OVER
    _take(levels, r, level, levels.values[level, k], levels.frames[level].side)


@kernel
def _follow(levels, r, judge, level, k, depth):
    """Go on from the afterstate k of this level, unless the table of transpositions knows what that comes to."""
    key, f = _key_of(levels.records[level, k], r, levels.last.names), levels.frames[level]
    e = levels.transpositions[_slot(levels.transpositions, key)]
    known = key != 0 and e.key == key
    bounded = (e.bound == LOWER and e.value >= f.high) or (e.bound == UPPER and e.value <= f.low)
    if known and e.depth >= depth and (e.bound == EXACT or bounded):
        levels.state[0].open += e.depth != TO_THE_END
        found = levels.frames[level + 1].best
        found[0], found[1] = e.value, -e.value
        _take(levels, r, level, found, 0)
        return
    hint = e.best if known else NOTHING
    levels.stack[level + 1, 0] = levels.records[level, k]
    levels.state[0].listings += 1
    _enter(levels, r, judge, level + 1, depth)
    f = levels.frames[level + 1]
    if f.found == 0:  # nothing can be done
        _stay(levels, r, level, k)
        return
    levels.state[0].level = level + 1
    f.key = key
    if NOTHING < hint < f.found and depth >= 2:
        levels.remaining[level + 1, hint] += _LATER  # first


@kernel
def _leave(levels, r, level):
    """All of this level that matters has been tried."""
    state, f = levels.state[0], levels.frames[level]
    state.open += f.tried < f.found and f.low < f.high
    if level:
        if f.key != 0:
            e, value = levels.transpositions[_slot(levels.transpositions, f.key)], f.best[0]
            e.key, e.value, e.best = f.key, value, f.choice
            e.depth = TO_THE_END if state.open == f.opened else f.depth
            e.bound = UPPER if value <= f.lowest else LOWER if value >= f.highest else EXACT
        state.level = level - 1
        _take(levels, r, level - 1, f.best, 0)


@kernel
def look_on(levels, r, judge, depth, widths, listings):
    """Go on until the worth of the afterstates of the root is known (true), or so many listings have been made.

    depth: how deep to look, in turns. widths: how many afterstates of the root are followed; and of the turns after it,
    the first of which has one less.
    """
    state, deepest = levels.state[0], levels.frames.shape[0] - 1
    levels.frames[0].depth = depth
    whole, width = widths
    while True:
        level = state.level
        f = levels.frames[level]
        wide = max(min(width, 2), width - level) if level else whole  # fewer further down
        if f.tried >= min(f.found, wide) or f.low >= f.high:
            _leave(levels, r, level)
            if level == 0:
                return True
            continue
        if state.listings >= listings:
            return False
        k, last = _next(levels, level), f.depth < 2 or level == deepest
        if last and level:
            f.tried = f.found = 1  # the best by judgement is the best
        if levels.records[level, k].mode == OVER or last:
            _stay(levels, r, level, k)
        else:
            _follow(levels, r, judge, level, k, f.depth - 1)


@kernel
def look_ahead(levels, r, judge, turns, width, temperature):
    """The worth of the afterstates that can be left from stack[0, 0], those that are not followed aside; how many there
    are, followed or not.

    With two sides the worth of an afterstate that is refuted is a bound, which may be as much as the best: `chosen` is
    the best. With a temperature (in units of the value) those that may be drawn are told exactly.
    """
    found = _begin(levels, r, judge)
    levels.state[0].window = _WINDOW * temperature
    if not look_on(levels, r, judge, turns, (width, width), LISTINGS):
        for level in range(levels.state[0].level + 1):  # what has not been followed is taken as it was judged
            levels.frames[level].depth = 0
        look_on(levels, r, judge, 0, (width, width), 2 * LISTINGS)
    for k in range(found):
        if levels.remaining[0, k] > _NEVER:
            levels.worth[0, k] = _NEVER
    return found


# --- looking deeper and deeper ------------------------------------------------------------------------------------

_DEEPEST = 100
_WIDER = 2  # turns that are followed more with each depth
DEEP_LEVELS = LEVELS | {"turns": 26, "transpositions": 1 << 15}  # no preset has more turns in a last deal of two
ENDED, UNFINISHED, TOLD = 0, 1, 2


@kernel
def begin_deepening(levels, r, judge, play, view, window):
    """For the seat that decides in a view in which all cards are known: first as the policy looks by itself, however
    short the time; then a turn deeper each time, and wider, from all that can be left.

    window: by how much afterstates may be behind the best one, in units of the value, and still be told exactly.
    Returns how many afterstates there are.
    """
    s = levels.state[0]
    levels.stack[0, 0] = view
    found = _begin(levels, r, judge)
    s.window, s.depth, s.width, s.steps, s.anew = window, play.turns, play.width, 0, 1
    return found


@kernel
def must_look(levels):
    """It has not yet looked as the policy does by itself."""
    s = levels.state[0]
    return s.steps == 0 and s.listings < LISTINGS


@kernel
def deepen(levels, r, judge, listings):
    """So many listings more. TOLD: the worth of all afterstates is known to a depth, and it may go deeper; ENDED:
    there is nothing left that has not been followed to the end, or that deep; else UNFINISHED."""
    s = levels.state[0]
    if levels.frames[0].found < 2 or s.depth >= _DEEPEST:
        return ENDED
    if s.anew:  # from the root, what was best then first
        look_anew(levels)
    whole = MOST if s.steps else s.width
    s.anew = look_on(levels, r, judge, s.depth, (whole, s.width), s.listings + listings)
    if not s.anew:
        return UNFINISHED
    if not s.open:
        return ENDED
    s.depth, s.width, s.steps = s.depth + 1, min(s.width + _WIDER, MOST), s.steps + 1
    return TOLD


@kernel
def look_anew(levels):
    """From the root, what was best before first."""
    for k in range(levels.frames[0].found):
        tried = levels.remaining[0, k] == _NEVER
        levels.remaining[0, k] = levels.worth[0, k] - (0.0 if tried else _LATER)
    levels.state[0].open = 0
    _begin_frame(levels, 0)


# --- called by Python: a batch of games, or a batch of one ----------------------------------------------------------


@entry
def decide_by_afterstates(
    decisions: Decisions, rules: RulesRow, judge: Judge, play: PlaySettings, rng: U64, levels: Levels
) -> None:
    """Answers by the afterstates that can be left, and where all cards are known by what they lead to. A network over
    actions has given the other answers before. play: as in PlaySettings. rng: a stream for each game, or one."""
    r = rules[0]
    for i in range(decisions.views.shape[0]):
        own = stream_of(rng, i)
        stream = rng[own : own + 1]
        answered = _answer_ahead(decisions, i, r, judge, play, stream, levels)
        if judge.shape[LOGITS]:
            continue
        if not answered:
            answer_by_afterstates(decisions, i, r, judge, play.temperature, stream, levels.judged)
        elif i < decisions.chances.shape[0]:
            # whoever asks for chances may ask for values
            weigh_afterstates(decisions, i, r, judge, play.temperature, levels.judged)


@kernel
def _answer_ahead(decisions, i, r, judge, play, rng, levels):
    """The answer in game i, if all cards are known there; returns whether there is one."""
    v = decisions.views[i]
    if action_set.count(decisions.legal[i]) < 2 or not all_known(v, r):
        return False
    best = best_action(levels.last, r, v) if play.temperature == 0.0 and few_cards(v, r, play.exact) else -1
    if best >= 0:
        _answer_with(decisions, i, best)
        return True
    if play.turns < 2 or v.to_move != decisions.seats[i]:
        return False
    levels.stack[0, 0] = v
    temperature, judged = play.temperature / judge.value_scale, judged_at(levels, 0)
    found = look_ahead(levels, r, judge, play.turns, play.width, temperature)
    if found and temperature > 0.0:
        if i < decisions.chances.shape[0]:
            decisions.chances[i, :] = 0.0
        answer_by_worth(decisions, i, judged, found, temperature, rng)
    elif found:
        _answer_with(decisions, i, first_action(judged, levels.state[0].chosen))
    return found > 0


@kernel
def _answer_with(decisions, i, action):
    """The answer in game i is this action."""
    if i < decisions.chances.shape[0]:
        decisions.chances[i, :] = 0.0
        decisions.chances[i, action] = 1.0
    else:
        decisions.actions[i] = action
