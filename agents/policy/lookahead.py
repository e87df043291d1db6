"""Lookahead over complete turns when all cards are known: follow each seat's best turns, judge where they end.

Two sides: negamax with alpha-beta; more sides: each maximizes its own value (max^n). Only the best turns of each seat
by the network's first judgement are followed (`width`). A transposition table finds repeated positions. At the end of
the deal the result counts: exact, except that questions to others get their usual answer and secret batches keep their
present order. The solver plays the last cards of two sides.
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
from casino_env.compiler.types import U64, Elements, F32x3, F64x2, I64x3, Sizes
from casino_env.engine import action_set
from casino_env.engine.afterstates import DEPTH, LIMIT, MOST, WALK, Afterstates
from casino_env.engine.position_keys import find_equals, mix
from casino_env.engine.reading import side_of
from casino_env.engine.state import GAME, IDLE, OVER, SEATS, RulesRow
from casino_env.rng import stream_of
from casino_env.validate import float_in, int_in

LISTINGS = 4096  # most seats whose turns one search lists; beyond it afterstates count as judged
MOST_TURNS, MOST_CARDS, MOST_TEMPERATURE = 8, 12, 100.0  # limits of PlaySettings
_NEVER = -1e9
_LATER = 1e6  # moves afterstates to the front or back of the order in which they are tried
_WINDOW = 7.0  # in temperatures below the best: afterstates of less worth are hardly ever played


class PlaySettings(NamedTuple):
    """How a policy plays by default."""

    temperature: float = 0.0  # in points; 0: always the best
    turns: int = 1  # depth of the lookahead when all cards are known, the own turn included
    width: int = 6  # turns followed at the root; one fewer after each turn, at least two
    exact: int = 0  # most cards in all hands with which the solver plays (two sides) if it finds the best


def checked(play: PlaySettings) -> PlaySettings:
    """Convert settings for kernels; raise ValueError if they are out of range."""
    return PlaySettings(
        float_in(play.temperature, "temperature", 0.0, MOST_TEMPERATURE),
        int_in(play.turns, "turns", 1, MOST_TURNS),
        int_in(play.width, "width", 1, MOST),
        int_in(play.exact, "exact", 0, MOST_CARDS),
    )


# --- the transposition table -------------------------------------------------------------------------------------
# For positions that repeat: by another order of turns, or when the search deepens. Two sides only.

NOTHING = -1
TO_THE_END = 1 << 20  # as a depth: searched to the end of the deal
EXACT, LOWER, UPPER = 0, 1, 2  # the value is exact, or a bound
ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.float64),  # of side 0
        ("bound", np.int64),  # EXACT, LOWER or UPPER
        ("depth", np.int64),  # of the search
        ("best", np.int64),  # index of the best afterstate in the listing
    ]
)


@kernel
def _key_of(g, r, names):
    """Key of a position at the beginning of a turn; 0 if it has none."""
    if r.sides != 2 or r.count_out or g.mode != IDLE or g.acted:
        return np.uint64(0)
    safe, _, _, word = prospects(g, r)
    return mix(position_key(g, r, names, word), safe + 1000)


@kernel
def _slot(entries, key):
    """The index of the entry for this key."""
    return np.int64(key & np.uint64(entries.shape[0] - 1))


# --- the workspace: one turn per level ---------------------------------------------------------------------------


# State of the search in one turn, by level.
FRAME = np.dtype(
    [
        ("side", np.int64),  # that decides
        ("found", np.int64),  # number of its afterstates
        ("tried", np.int64),  # number of afterstates tried
        ("now", np.int64),  # the current afterstate
        ("best", np.float64, SEATS),  # by side: the best result so far
        ("low", np.float64),  # two sides: alpha, what side 0 is sure of
        ("high", np.float64),  # two sides: beta, what side 1 allows side 0
        ("key", np.uint64),  # of the position
        ("lowest", np.float64),  # low and high at the start
        ("highest", np.float64),
        ("opened", np.int64),  # state.open at the start
        ("choice", np.int64),  # the best afterstate
        ("depth", np.int64),  # turns to look from here, this one included
    ]
)
# The search as a whole.
STATE = np.dtype(
    [
        ("level", np.int64),  # the current level
        ("listings", np.int64),  # listings so far
        ("open", np.int64),  # > 0: some afterstates were judged before the end of the deal
        ("chosen", np.int64),  # the best afterstate of the root so far
        ("window", np.float64),  # how far below it others of the root still get an exact worth
        # iterative deepening
        ("depth", np.int64),  # of the current search
        ("width", np.int64),
        ("steps", np.int64),  # searches finished
        ("anew", np.int64),  # 1: a new depth begins
    ]
)


class Levels(NamedTuple):
    """The workspace, with a turn per level; arrays as in Judged."""

    state: Annotated[Array, Elements(STATE), Sizes(1)]
    frames: Annotated[Array, Elements(FRAME), Sizes("turns")]
    stack: Annotated[Array, Elements(GAME, 2), Sizes("turns", DEPTH + 1)]
    records: Annotated[Array, Elements(GAME, 2), Sizes("turns", MOST)]
    walks: Annotated[Array, Elements(WALK), Sizes("turns")]
    features: Annotated[I64x3, Sizes("turns", MOST, "words")]
    values: Annotated[F32x3, Sizes("turns", MOST, SEATS)]
    worth: Annotated[F64x2, Sizes("turns", MOST)]
    remaining: Annotated[F64x2, Sizes("turns", MOST)]  # [level, afterstate]: its worth until it is tried
    transpositions: Annotated[Array, Elements(ENTRY), Sizes("transpositions")]  # a power of two
    judged: Judged  # for decisions without lookahead; its other arrays serve all levels
    last: AlphaBeta  # the solver for the last cards


LEVELS = {"transpositions": 1024, "levels": 256, "entries": 8192}  # sizes for one decision


@kernel
def judged_at(levels, level):
    """The workspace of a level as Judged."""
    rest = levels.judged
    afterstates = Afterstates(levels.stack[level], levels.records[level], levels.walks[level : level + 1])
    return Judged(
        afterstates, levels.features[level], levels.values[level], levels.worth[level], rest.chances, rest.thought,
        rest.changes,
    )  # fmt: skip


# --- the search ---------------------------------------------------------------------------------------------------


@kernel
def all_known(v, r):
    """Whether nothing is hidden from the seat."""
    hidden = v.hidden_stock
    for seat in range(r.players):
        hidden += v.hidden_hand[seat] + v.hidden_pile[seat]
    return hidden == 0 and v.stock_top < 0


@kernel
def looks_ahead(v, r, play, seat):
    """Whether a policy looks beyond its own turn: the seat is in its turn and all cards are known."""
    return play.turns > 1 and v.to_move == seat and all_known(v, r)


@kernel
def _enter(levels, r, judge, level, depth):
    """List and judge the afterstates of the seat that decides in stack[level, 0]."""
    f, v = levels.frames[level], levels.stack[level, 0]
    seat = np.int64(v.actor)
    f.side = side_of(r, seat)
    f.found = judge_afterstates(judged_at(levels, level), r, judge, seat, LIMIT if level == 0 else LIMIT // 4)
    f.depth = depth
    for k in range(f.found):
        levels.remaining[level, k] = levels.worth[level, k]
    _begin_frame(levels, level)
    levels.state[0].open += levels.walks[level].cut  # some turns may be missing


@kernel
def _begin_frame(levels, level):
    """Reset the frame: no afterstate has been tried yet."""
    f = levels.frames[level]
    f.tried = 0
    f.best[:] = _NEVER
    f.low, f.high = _NEVER, -_NEVER
    if level:
        f.low, f.high = levels.frames[level - 1].low, levels.frames[level - 1].high
    f.lowest, f.highest, f.opened = f.low, f.high, levels.state[0].open


@kernel
def _next(levels, level):
    """Pick the untried afterstate of highest worth."""
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
    """Record the result of the current afterstate: values by side, side `first` first."""
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
    """List and judge the afterstates from stack[0, 0]; return how many there are."""
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
    """Take afterstate k of this level as judged, without following it."""
    levels.state[0].open += levels.records[level, k].mode != OVER
    _take(levels, r, level, levels.values[level, k], levels.frames[level].side)


@kernel
def _follow(levels, r, judge, level, k, depth):
    """Search from afterstate k of this level, unless the transposition table knows its result."""
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
    if f.found == 0:  # the seat has no turn
        _stay(levels, r, level, k)
        return
    levels.state[0].level = level + 1
    f.key = key
    if NOTHING < hint < f.found and depth >= 2:
        levels.remaining[level + 1, hint] += _LATER  # try it first


@kernel
def _leave(levels, r, level):
    """Leave this level: store its result, and hand it to the level above."""
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
    """Search until the worth of the root's afterstates is known (return True), or the number of listings is reached.

    depth: how deep to look, in turns. widths: afterstates followed at the root; and the width that decreases by one per
    turn after it.
    """
    state, deepest = levels.state[0], levels.frames.shape[0] - 1
    levels.frames[0].depth = depth
    whole, width = widths
    while True:
        level = state.level
        f = levels.frames[level]
        wide = max(min(width, 2), width - level) if level else whole  # narrower at deeper levels
        if f.tried >= min(f.found, wide) or f.low >= f.high:
            _leave(levels, r, level)
            if level == 0:
                return True
            continue
        if state.listings >= listings:
            return False
        k, last = _next(levels, level), f.depth < 2 or level == deepest
        if last and level:
            f.tried = f.found = 1  # at the last level the best judgement is the result
        if levels.records[level, k].mode == OVER or last:
            _stay(levels, r, level, k)
        else:
            _follow(levels, r, judge, level, k, f.depth - 1)


@kernel
def look_ahead(levels, r, judge, turns, width, temperature):
    """Search the worth of the afterstates from stack[0, 0]; return how many there are, followed or not.

    Those not followed get the worth _NEVER. With two sides a refuted afterstate has only a bound, which may equal the
    best: `chosen` is the best. With a temperature (in units of the value), all that may be drawn are exact.
    """
    found = _begin(levels, r, judge)
    levels.state[0].window = _WINDOW * temperature
    if not look_on(levels, r, judge, turns, (width, width), LISTINGS):
        for level in range(levels.state[0].level + 1):  # finish: the rest counts as judged
            levels.frames[level].depth = 0
        look_on(levels, r, judge, 0, (width, width), 2 * LISTINGS)
    for k in range(found):
        if levels.remaining[0, k] > _NEVER:
            levels.worth[0, k] = _NEVER
    return found


# --- iterative deepening ------------------------------------------------------------------------------------------

_DEEPEST = 100
_WIDER = 2  # width added with each depth
DEEP_LEVELS = LEVELS | {"turns": 26, "transpositions": 1 << 15}  # more turns than any preset's last deal for two
ENDED, UNFINISHED, TOLD = 0, 1, 2


@kernel
def begin_deepening(levels, r, judge, play, view, window):
    """Begin iterative deepening for the seat that decides in a view in which all cards are known. The first search has
    the policy's own depth and width, however short the time; each further one is a turn deeper, wider, and from all
    afterstates.

    window: how far below the best, in units of the value, afterstates still get an exact worth. Return how many there
    are.
    """
    s = levels.state[0]
    levels.stack[0, 0] = view
    found = _begin(levels, r, judge)
    s.window, s.depth, s.width, s.steps, s.anew = window, play.turns, play.width, 0, 1
    return found


@kernel
def must_look(levels):
    """Whether the search of the policy's own depth is still to finish."""
    s = levels.state[0]
    return s.steps == 0 and s.listings < LISTINGS


@kernel
def deepen(levels, r, judge, listings):
    """Search for this many more listings. Return TOLD: the worth of all afterstates is known to a depth, and it may go
    deeper; ENDED: everything was followed to the end or to the greatest depth; else UNFINISHED."""
    s = levels.state[0]
    if levels.frames[0].found < 2 or s.depth >= _DEEPEST:
        return ENDED
    if s.anew:  # start the new depth from the root
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
    """Restart from the root, best afterstates of the search before first."""
    for k in range(levels.frames[0].found):
        tried = levels.remaining[0, k] == _NEVER
        levels.remaining[0, k] = levels.worth[0, k] - (0.0 if tried else _LATER)
    levels.state[0].open = 0
    _begin_frame(levels, 0)


# --- entry points: a batch of games, or a batch of one --------------------------------------------------------------


@entry
def decide_by_afterstates(
    decisions: Decisions, rules: RulesRow, judge: Judge, play: PlaySettings, rng: U64, levels: Levels
) -> None:
    """Answer by afterstates, and by lookahead if all cards are known. A network over actions has given its other
    answers already. rng: a stream per game, or one for all."""
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
            # a caller that wants chances may also want values
            weigh_afterstates(decisions, i, r, judge, play.temperature, levels.judged)


@kernel
def _answer_ahead(decisions, i, r, judge, play, rng, levels):
    """Answer in game i by lookahead or solver if all cards are known; return whether there is an answer."""
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
    """Answer in game i with this action."""
    if i < decisions.chances.shape[0]:
        decisions.chances[i, :] = 0.0
        decisions.chances[i, action] = 1.0
    else:
        decisions.actions[i] = action
