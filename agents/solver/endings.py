"""Endings as a seat knows them, and their complete turns, put to the exact search one after the other.

Where a seat does not know the order of a captured pile, a few orders that it may have stand for all, always the same.
All of it stops after any number of positions and resumes.
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.solver.alpha_beta import BEST, DONE, OPEN, STOPPED, VALUE, VALUES, AlphaBeta, ask, go_on
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel, popcount
from casino_env.compiler.types import F64, I64, Elements, I16x2, Sizes
from casino_env.engine import action_set
from casino_env.engine.afterstates import DEPTH
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import side_of
from casino_env.engine.state import OVER, Records, RulesRow
from casino_env.engine.turn import apply
from casino_env.knowledge.determinizations import complete
from casino_env.rng import nth_word

ORDERS = 4  # of piles whose order the seat does not know
_SEED = np.uint64(5874934615388537135)
NO_LIMIT = 1 << 50
NOT_OPEN, READY, IMPOSSIBLE = range(3)  # impossible: no game agrees with the view

ENDING = np.dtype(
    [
        ("games", np.int64),  # one for each order
        ("order", np.int64),  # the game at hand
        ("begun", np.int64),  # the search has its position, or what the turn at hand leaves
        ("most", np.int64),  # positions of each game
        ("known", np.int64),  # the worth of actions can be told
        ("weighed", np.int64, ACTIONS),  # the actions that have a worth: the best, or where an order is not known all
        ("worth", np.float64, ACTIONS),  # points for the side that decides, on the mean of the games
        # of complete turns
        ("seat", np.int64),
        ("turns", np.int64),
        ("asked", np.int64),  # so many have to be known
        ("number", np.int64),  # the turn at hand, in the order in which they are wanted; -1: the position itself
        ("value", np.int64),  # of the position
        ("best", np.float64),  # value of the turns so far
        ("failed", np.int64),  # what has to be known is not
    ],
    align=True,
)


class Ending(NamedTuple):
    """The workspace."""

    search: AlphaBeta
    games: Records
    state: Annotated[Array, Elements(ENDING)]  # one record


class WantedTurns(NamedTuple):
    """Complete turns of a seat, by number."""

    paths: Annotated[I16x2, Sizes("turns", DEPTH)]  # [turn, step]: actions of the seat
    lengths: Annotated[I64, Sizes("turns")]
    order: Annotated[I64, Sizes("turns")]  # in which they are wanted; those that have to be known come first
    wanted: Annotated[I64, Sizes("turns")]  # the same, the most promising first
    values: Annotated[F64, Sizes("turns")]  # points for the side of the seat; NaN: not found


@kernel
def _ready(e, r, v, seat, in_hand, in_all):
    """Draw the orders, if all cards are known to the seat and are no more than so many in any hand, or in all."""
    hidden, most, cards = v.hidden_stock, 0, 0
    for other in range(r.players):
        hidden += v.hidden_hand[other] + v.hidden_pile[other]
        most, cards = max(most, popcount(v.hands[other])), cards + popcount(v.hands[other])
    if hidden or v.stock_top >= 0 or r.sides != 2 or r.count_out or (most > in_hand and cards > in_all):
        return NOT_OPEN
    state = e.state[0]
    state.games, state.order, state.begun, state.known, state.failed = ORDERS if v.shuffled else 1, 0, 0, 0, 0
    for i in range(state.games):
        e.games[i] = v
        if v.shuffled:
            e.games[i].rng = nth_word(_SEED, i)
            if not complete(v, r, seat, e.games[i]):
                return IMPOSSIBLE
    return READY


@kernel
def _search_on(e, r, budget):
    """(OPEN, DONE or STOPPED, what is left of the budget)"""
    before = e.search.control[0].nodes
    found = go_on(e.search, r, budget)
    return found, budget - (e.search.control[0].nodes - before)


# --- actions ---------------------------------------------------------------------------------------------------------


@entry
def begin_ending(
    e: Ending, rules: RulesRow, view: Records, seat: int, in_hand: int, in_all: int, positions: int
) -> int:
    """READY if no hand holds more cards than in_hand, or all hands together no more than in_all. positions: at most."""
    ready = _ready(e, rules[0], view[0], seat, in_hand, in_all)
    if ready == READY:
        state = e.state[0]
        state.most = positions // state.games
        state.weighed[:] = 0
        state.worth[:] = 0.0
    return ready


@kernel
def _weigh(e):
    """What has been found out of the game at hand."""
    state, control = e.state[0], e.search.control[0]
    if state.games == 1:
        state.weighed[:] = 0
        for i in range(control.goods):
            state.weighed[control.good[i]] = 1
            state.worth[control.good[i]] = control.low
    else:
        for i in range(control.count):
            state.weighed[control.moves[i]] = 1
            state.worth[control.moves[i]] += control.values[i] / state.games


@entry
def go_on_ending(e: Ending, rules: RulesRow, budget: int) -> int:
    """See `budget` more positions: OPEN, DONE or STOPPED."""
    r, state, control = rules[0], e.state[0], e.search.control[0]
    while state.order < state.games:
        if not state.begun:
            ask(e.search, r, e.games[state.order], BEST if state.games == 1 else VALUES, state.most)
            state.begun = 1
        found, budget = _search_on(e, r, budget)
        if found == DONE or (state.games == 1 and control.low == control.high):
            _weigh(e)
            state.known = state.order + 1 == state.games
        if found != DONE:
            return found
        state.order, state.begun = state.order + 1, 0
    return DONE


# --- complete turns --------------------------------------------------------------------------------------------------


@entry
def begin_turns(
    e: Ending, turns: WantedTurns, rules: RulesRow, view: Records, seat: int, cards: int, many: int, asked: int
) -> int:
    """READY if no hand holds more than so many cards. asked: of the wanted turns, so many have to be known."""
    state = e.state[0]
    state.seat, state.turns, state.asked, state.number, state.best = seat, many, asked, -1, -np.inf
    return _ready(e, rules[0], view[0], seat, cards, -1)


@kernel
def _put_next(e, turns, r):
    """The position, or what the next turn leaves, to the search. Returns whether that is over, and then its value."""
    state, g = e.state[0], e.search.games[0]
    e.search.games[0] = e.games[state.order]
    g.match = 0
    if state.number >= 0:
        k = turns.wanted[state.number]
        for step in range(turns.lengths[k]):
            action = np.int64(turns.paths[k, step])
            if g.mode != OVER and g.actor == state.seat and action_set.has(legal_actions(g, r), action):
                apply(g, r, action)
        if g.mode == OVER:
            side = side_of(r, state.seat)
            return True, np.float64(g.deal_points[side] - g.deal_points[1 - side])
    ask(e.search, r, g, VALUE, NO_LIMIT)
    state.begun = 1
    return False, 0.0


@kernel
def _note_position(e, turns):
    """The value of the position is known: turns that begin with its best action are the most promising."""
    state, control, many = e.state[0], e.search.control[0], 0
    state.value = control.low
    for i in range(state.asked):
        turns.wanted[i] = turns.order[i]
    many = state.asked
    for likely in (True, False):
        for i in range(state.asked, state.turns):
            k = turns.order[i]
            if (turns.paths[k, 0] == control.good[0]) == likely:
                turns.wanted[many] = k
                many += 1


@kernel
def _note_turn(e, turns, value):
    """The value of the turn at hand. One that has to be known must be found, and the same in all orders."""
    state, k = e.state[0], turns.wanted[e.state[0].number]
    unknown = np.isnan(value)
    if not unknown:
        state.best = max(state.best, value)
    state.failed = unknown and (state.number < state.asked or state.best < state.value)
    if state.order == 0 or unknown:
        turns.values[k] = value
    elif not np.isnan(turns.values[k]) and turns.values[k] != value:
        state.failed = 1


@entry
def go_on_turns(e: Ending, turns: WantedTurns, rules: RulesRow, budget: int) -> int:
    """See `budget` more positions: OPEN, DONE, or STOPPED if what has to be known will not be."""
    r, state, control = rules[0], e.state[0], e.search.control[0]
    while state.order < state.games:
        over, value = False, 0.0
        if not state.begun:
            over, value = _put_next(e, turns, r)
        if not over:
            found, budget = _search_on(e, r, budget)
            if found == OPEN:
                return OPEN
            mine = control.sign == 1 - 2 * side_of(r, state.seat)
            value = np.float64(control.low if mine else -control.low) if found == DONE else np.nan
            if state.number < 0 and found == STOPPED:
                state.failed = 1
        if state.number < 0:
            _note_position(e, turns)
        else:
            _note_turn(e, turns, value)
        if state.failed:
            return STOPPED
        state.number, state.begun = state.number + 1, 0
        if state.number == state.turns:
            state.order, state.number, state.best = state.order + 1, -1, -np.inf
    return DONE


@entry
def close_turns(e: Ending, turns: WantedTurns) -> bool:
    """No more positions: whether the values can be told. Those that have not been found are NaN."""
    state = e.state[0]
    if state.order == state.games:
        return True
    last, early = state.order == state.games - 1, state.number < 0 or state.number < state.asked
    if state.failed or not last or early or state.best < state.value:
        return False
    for i in range(state.number, state.turns):
        turns.values[turns.wanted[i]] = np.nan
    return True
