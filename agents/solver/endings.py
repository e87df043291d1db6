"""Endings as a seat knows them, and their complete turns, solved exactly one after the other.

Where a seat does not know the order of a captured pile, a few possible orders, always the same ones, stand for all.
Everything here can stop after any number of positions and resume.
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.solver.alpha_beta import BEST, DONE, OPEN, STOPPED, VALUE, VALUES, AlphaBeta, ask, go_on
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel, popcount
from casino_env.compiler.types import Elements, Sizes
from casino_env.engine import action_set
from casino_env.engine.afterstates import DEPTH
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import side_of
from casino_env.engine.state import OVER, Records
from casino_env.engine.turn import apply
from casino_env.knowledge.determinizations import complete
from casino_env.rng import nth_word

ORDERS = 4  # orders that are tried if the seat does not know the order of a pile
_SEED = np.uint64(5874934615388537135)
NO_LIMIT = 1 << 50
_FIVE, _ONE_MORE = 0.005, 5.5  # seconds with five cards in each hand, and the factor for one card more
NOT_OPEN, READY, IMPOSSIBLE = range(3)  # impossible: no game agrees with the view

ENDING = np.dtype(
    [
        ("games", np.int64),  # one for each order
        ("order", np.int64),  # the current game
        ("begun", np.int64),  # 1: the search has been given its position
        ("most", np.int64),  # most positions searched for each game
        ("known", np.int64),  # 1: the worth of actions is known
        ("weighed", np.int64, ACTIONS),  # 1: the action has a worth: the best ones, or all where an order is not known
        ("worth", np.float64, ACTIONS),  # points for the side that decides, the mean over the games
        # of complete turns
        ("seat", np.int64),
        ("turn", np.int64),  # the current turn; -1: the position itself
        ("value", np.int64),  # of the position
        ("first", np.int64),  # its best action
        ("best", np.float64),  # best value of the turns so far
        ("failed", np.int64),  # 1: a value that must be known was not found
    ],
    align=True,
)


class Ending(NamedTuple):
    """The workspace of an ending."""

    search: AlphaBeta
    games: Annotated[Records, Sizes(ORDERS)]
    state: Annotated[Array, Elements(ENDING), Sizes(1)]


# A complete turn of a seat.
TURN = np.dtype(
    [
        ("key", np.uint64),  # equal for turns that leave the same
        ("actions", np.int16, DEPTH + 1),  # of the seat, until another seat decides
        ("long", np.int64),  # number of these actions
        ("number", np.int64),  # index of its afterstate
        ("done", np.int64),  # 1: valued in the current game
        ("worth", np.float64),  # by the policy's judgement, in points
        ("asked", np.int64),  # 0, or its place (from 1) among the turns that are asked for
        # results
        ("value", np.float64),  # points more than the others, for the side of the seat; NaN: not found
        ("loss", np.float64),  # points that it is worth less than the best turn
        ("low", np.float64),  # the interval of the loss
        ("high", np.float64),
        ("chance", np.float64),  # that the strongest player plays it
        ("games", np.int64),  # play-outs
    ],
    align=True,
)


@entry
def cards_within(seconds: float) -> int:
    """Return the number of cards in each hand with which an ending is mostly solved in this time."""
    return max(1, 5 + int(np.floor(np.log(seconds / _FIVE) / np.log(_ONE_MORE))))


@kernel
def _ready(e, r, v, seat, in_hand, in_all):
    """Draw the orders if the seat knows all cards, and each hand has at most in_hand or all hands at most in_all."""
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
    """Return (OPEN, DONE or STOPPED, the rest of the budget)."""
    before = e.search.control[0].nodes
    found = go_on(e.search, r, budget)
    return found, budget - (e.search.control[0].nodes - before)


# --- actions ---------------------------------------------------------------------------------------------------------


@kernel
def begin_ending(e, rules, view, seat, in_hand, in_all, positions):
    """Begin to solve the position, with at most so many positions in all; return READY or why not, as _ready does."""
    ready = _ready(e, rules[0], view[0], seat, in_hand, in_all)
    if ready == READY:
        state = e.state[0]
        state.most = positions // state.games
        state.weighed[:] = 0
        state.worth[:] = 0.0
    return ready


@kernel
def _weigh(e):
    """Add the results of the current game to the worth of the actions."""
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


@kernel
def go_on_ending(e, rules, budget):
    """Search `budget` more positions; return OPEN, DONE or STOPPED."""
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


@kernel
def begin_turns(e, r, view, seat, seconds):
    """Begin with complete turns: READY if such an ending is mostly solved in the time."""
    e.state[0].seat, e.state[0].turn, e.state[0].best = seat, -1, -np.inf
    return _ready(e, r, view, seat, cards_within(seconds), -1) if seconds > 0.0 else NOT_OPEN


@kernel
def _put(e, turns, r):
    """Search the position, or the current turn's afterstate; return (whether that ends the deal, its value)."""
    state, g = e.state[0], e.search.games[0]
    e.search.games[0] = e.games[state.order]
    g.match = 0
    if state.turn >= 0:
        turn = turns[state.turn]
        for step in range(turn.long):
            action = np.int64(turn.actions[step])
            if g.mode != OVER and g.actor == state.seat and action_set.has(legal_actions(g, r), action):
                apply(g, r, action)
        if g.mode == OVER:
            side = side_of(r, state.seat)
            return True, np.float64(g.deal_points[side] - g.deal_points[1 - side])
    ask(e.search, r, g, VALUE, NO_LIMIT)
    state.begun = 1
    return False, 0.0


@kernel
def _wanted_before(turn, other, first):
    """Order turns for valuing: those asked for first, then those that begin with the best action, then by worth."""
    if turn.asked or other.asked:
        return turn.asked and (not other.asked or turn.asked < other.asked)
    promising, others = turn.actions[0] == first, other.actions[0] == first
    return promising if promising != others else turn.worth > other.worth


@kernel
def _next_turn(e, turns, many):
    """Go on to the next turn; after the last one, to the next game."""
    state, best = e.state[0], -1
    for k in range(many):
        if not turns[k].done and (best < 0 or _wanted_before(turns[k], turns[best], state.first)):
            best = k
    state.turn, state.begun = best, 0
    if best < 0:
        state.order, state.best = state.order + 1, -np.inf


@kernel
def _note_turn(state, turn, value):
    """Note the current turn's value; fail if it must be known and was not found, or differs between the orders."""
    unknown = np.isnan(value)
    if not unknown:
        state.best = max(state.best, value)
    state.failed = unknown and (turn.asked > 0 or state.best < state.value)
    if state.order == 0 or unknown:
        turn.value = value
    elif not np.isnan(turn.value) and turn.value != value:
        state.failed = 1
    turn.done = 1


@kernel
def go_on_turns(e, turns, many, r, budget):
    """Search `budget` more positions; return OPEN, DONE, or STOPPED if a value that must be known cannot be found."""
    state, control = e.state[0], e.search.control[0]
    while state.order < state.games:
        over, value = False, 0.0
        if not state.begun:
            over, value = _put(e, turns, r)
        if not over:
            found, budget = _search_on(e, r, budget)
            if found == OPEN:
                return OPEN
            mine = control.sign == 1 - 2 * side_of(r, state.seat)
            value = np.float64(control.low if mine else -control.low) if found == DONE else np.nan
        if state.turn >= 0:
            _note_turn(state, turns[state.turn], value)
        else:
            state.value, state.first, state.failed = control.low, control.good[0], np.isnan(value)
            for k in range(many):
                turns[k].done = 0
        if state.failed:
            return STOPPED
        _next_turn(e, turns, many)
    return DONE


@kernel
def close_turns(e, turns, many):
    """End the search; return whether the values are known well enough. Values that were not found become NaN."""
    state = e.state[0]
    if state.order == state.games:
        return True
    if state.failed or state.order < state.games - 1 or state.turn < 0 or state.best < state.value:
        return False
    for k in range(many):
        if not turns[k].done:
            turns[k].value = np.nan
            if turns[k].asked:
                return False
    return True
