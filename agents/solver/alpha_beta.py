"""The exact value of a position by alpha-beta with zero windows, a transposition table and the history heuristic.

Each zero-window search answers one question: is the final difference at least the target? Questions go on until the
bounds of the value meet. The search has a stack of its own, since kernels cannot be recursive; so it can stop after any
number of positions and resume. Each level of the stack is one decision; forced actions are played at once.
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS, CAPTURE, CAPTURE_HIGH, CARD, DISCARD
from casino_env.agents.solver.stakes import position_key, prospects
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, highest, kernel, popcount
from casino_env.compiler.types import Elements, I64x2, I64x3, Sizes
from casino_env.engine import action_set
from casino_env.engine.legal import legal_actions
from casino_env.engine.position_keys import Names, find_equals
from casino_env.engine.reading import pips, same_rank, side_of
from casino_env.engine.scoring import card_points
from casino_env.engine.state import IDLE, OVER, Records, RulesRow
from casino_env.engine.turn import decide

LEVELS = 1024
WORST = 1000  # points: more than any difference
NO_MOVE = 255

# Move ordering: constants tuned over many endings, for the fewest positions searched.
_FULL_MERIT = 1 << 16
_FORGET = 6
_MERIT_OF_CARD = 3000
_MERIT_OF_POINT = 12000
_FIRST = 1 << 50

CONTROL = np.dtype(
    [
        ("level", np.int64),
        ("target", np.int64),  # the question: is the final difference at least this?
        ("nodes", np.int64),  # positions searched
        ("value", np.int64),  # the answer: a bound of the final difference
        # bounds of the position's value for the side that decides there
        ("sign", np.int64),  # 1: side 0 decides, -1: side 1
        ("low", np.int64),
        ("high", np.int64),
        ("wanted", np.int64),  # the next question: is the value at least this?
        ("asked", np.int64),  # 1: the question is being answered
        ("best", np.int64),  # the move that is proven to reach `low`
        ("promising", np.int64),  # the most promising move before there is a proof
        # what the caller wants of the position, and the results so far
        ("want", np.int64),  # VALUE, BEST or VALUES
        ("most", np.int64),  # most positions to search
        ("moves", np.int16, ACTIONS),  # the legal actions
        ("count", np.int64),  # moves to be valued one by one
        ("valued", np.int64),  # moves valued so far
        ("bound", np.int64),  # upper bound of the next move's value
        ("values", np.int16, ACTIONS),  # of the moves: exact, or under BEST a bound that tells whether it reaches `low`
        ("good", np.int16, ACTIONS),  # the best moves, or the most promising one
        ("goods", np.int64),  # number of good moves
    ]
)
VALUE, BEST, VALUES = range(3)  # with one best move; with all best moves; with the value of every action
OPEN, DONE, STOPPED = range(3)  # stopped: it reached its limit of positions, or the deal is longer than the stack

FRAME = np.dtype(
    [
        ("key", np.uint64),
        ("hashed", np.int64),  # 1: the position begins a turn, so it has a key
        ("safe", np.int64),  # points that are certain; bounds in the table are relative to them
        ("low", np.int64),  # bounds known before the search of this position
        ("high", np.int64),
        ("largest", np.int64),  # 1: side 0 decides and maximises
        ("best", np.int64),
        ("best_move", np.int64),
        ("move", np.int64),  # the move being tried
        ("hint", np.int64),  # the best move of an earlier search
        ("next", np.int64),
        ("count", np.int64),
        ("begun", np.int64),  # positions searched before this one
    ]
)

# An entry of the transposition table: proven bounds of a position, and the move to try first.
ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("low", np.int16),  # bounds are relative to the points that are certain
        ("high", np.int16),
        ("move", np.uint8),
        ("effort", np.uint8),  # log2 of the positions that the search took
    ],
    align=True,
)
ENTRIES = 2**20 // ENTRY.itemsize  # in a megabyte
_WAYS = 4  # entries in which a position may lie


class AlphaBeta(NamedTuple):
    """The state of a search: its stack from the root down, and what it has learnt from earlier positions."""

    control: Annotated[Array, Elements(CONTROL), Sizes(1)]
    games: Annotated[Records, Sizes("levels")]
    frames: Annotated[Array, Elements(FRAME), Sizes("levels")]
    moves: Annotated[I64x2, Sizes("levels", ACTIONS)]  # [level, i]: merit << 8 | action
    table: Annotated[Array, Elements(ENTRY), Sizes("entries")]  # the transposition table; its length is a power of two
    # [side, mode, action]: the history heuristic: how often and how early an action was enough
    history: Annotated[I64x3, Sizes(2, OVER + 1, ACTIONS)]
    names: Names


# --- one question: is the final difference at least the target? ----------------------------------------------------


@kernel
def put(s, r, target, only):
    """Begin a question about the position in games[0]. only: about this move alone, unless it is NO_MOVE."""
    control, f, moves = s.control[0], s.frames[0], s.moves[0]
    find_equals(r, s.names.same)
    control.level, control.target = 0, target
    _recall(s, r, 0)
    _list_moves(s, r, 0, legal_actions(s.games[0], r))
    f.begun = control.nodes
    if only != NO_MOVE:
        moves[0] = only
        f.count = 1
        f.hashed = 0  # one move tells nothing about the position itself


@kernel
def search_on(s, r, budget):
    """Search until the question is answered (return true, the answer is control.value), or for `budget` positions."""
    control, frames = s.control[0], s.frames
    level, target, nodes = control.level, control.target, control.nodes
    last, answered = nodes + budget, False
    while nodes < last:
        f = frames[level]
        if f.next == f.count or _enough(f, target):
            _leave(s, level, target, nodes)
            if level == 0:
                control.value = f.best
                answered = True
                break
            level -= 1
            _back_up(frames[level], f.best)
            continue
        if level + 1 == frames.shape[0]:
            level = -1
            break
        f.move = _next_move(s.moves[level], f)
        level += 1
        s.games[level] = s.games[level - 1]
        legal = decide(s.games[level], r, f.move)
        nodes += 1
        settled, value = _settled(s, r, level, target)
        if settled:
            level -= 1
            _back_up(f, value)
        else:
            frames[level].begun = nodes
            _list_moves(s, r, level, legal)
    control.level, control.nodes = level, nodes
    return answered


@kernel
def _enough(f, target):
    """Return whether the moves tried so far answer the question."""
    return f.best >= target if f.largest else f.best < target


@kernel
def _back_up(f, value):
    if value > f.best if f.largest else value < f.best:
        f.best = value
        f.best_move = f.move


@kernel
def _settled(s, r, level, target):
    """Return (whether known bounds answer the question here, the bound that does)."""
    g, f = s.games[level], s.frames[level]
    if g.mode == OVER:
        return True, np.int64(g.deal_points[0]) - np.int64(g.deal_points[1])
    _recall(s, r, level)
    if f.low >= target:
        return True, f.low
    return f.high < target, f.high


@kernel
def _slot(table, key):
    """Return the index of the position's entry, or of the cheapest entry that it may replace."""
    first = np.int64(key & np.uint64(table.shape[0] - _WAYS))
    cheapest = 0
    for i in range(_WAYS):
        if table[first + i].key == key:
            return first + i
        if table[first + i].effort < table[first + cheapest].effort:
            cheapest = i
    return first + cheapest


@kernel
def _recall(s, r, level):
    """Look up the position: its key, bounds and the best move of an earlier search."""
    g, f = s.games[level], s.frames[level]
    f.hashed = 1 if g.mode == IDLE and not g.acted else 0
    f.low, f.high, f.hint = -WORST, WORST, NO_MOVE
    if not f.hashed:
        return
    f.safe, f.low, f.high, word = prospects(g, r)
    f.key = position_key(g, r, s.names, word)
    known = s.table[_slot(s.table, f.key)]
    if known.key == f.key:
        f.low, f.high, f.hint = max(f.low, known.low + f.safe), min(f.high, known.high + f.safe), known.move


@kernel
def _leave(s, level, target, nodes):
    """Finish a position: update the history heuristic and the transposition table."""
    f = s.frames[level]
    good = _enough(f, target)
    if good and f.count > 1:
        # The best move was enough, the moves before it were not. Older results slowly lose weight.
        history = s.history[0 if f.largest else 1, s.games[level].mode]
        for i in range(f.next - 1):
            move = s.moves[level, i] & 255
            history[move] -= history[move] >> _FORGET
        history[f.best_move] += (_FULL_MERIT - history[f.best_move]) >> _FORGET
    if not f.hashed:
        return
    low, high = f.low, f.high
    if f.best >= target:
        low = max(low, f.best)
    else:
        high = min(high, f.best)
    move, effort = _canonical(s.names, f.best_move) if good else NO_MOVE, highest(nodes - f.begun + 1)
    known = s.table[_slot(s.table, f.key)]
    if known.key == f.key:  # keep the bounds it already had
        low, high, effort = max(low, known.low + f.safe), min(high, known.high + f.safe), max(effort, known.effort)
        move = known.move if move == NO_MOVE else move
    known.key, known.low, known.high, known.move, known.effort = f.key, low - f.safe, high - f.safe, move, effort


@kernel
def _canonical(names, move):
    """Return the same number for moves that differ only in cards that no rule tells apart."""
    if move >= CAPTURE_HIGH + 4:
        return move
    kind = CAPTURE_HIGH
    for first in (CAPTURE, DISCARD, CARD):
        if move < kind:
            kind = first
    return kind + names.same[move - kind]


@kernel
def _list_moves(s, r, level, legal):
    """List all legal moves with their merits, and reset the frame: nothing is tried yet."""
    g, f, moves = s.games[level], s.frames[level], s.moves[level]
    side = side_of(r, g.actor)
    f.largest = 1 - side
    f.best = WORST if side else -WORST
    f.best_move = NO_MOVE
    f.next = 0
    f.count = action_set.listed(legal, moves)
    for i in range(f.count):
        move = moves[i]
        merit = s.history[side, g.mode, move]
        if g.mode == IDLE and CAPTURE <= move < CAPTURE_HIGH:  # what the card takes, sums left out
            card = move - CAPTURE
            taken = g.layout & same_rank(card) | g.build_cards[pips(card)] | 1 << card
            merit += _MERIT_OF_CARD * popcount(taken) + _MERIT_OF_POINT * card_points(r, taken)
        if f.hint != NO_MOVE and _canonical(s.names, move) == f.hint:
            merit = _FIRST
        moves[i] = merit << 8 | move


@kernel
def _next_move(moves, f):
    """Return the untried move of most merit."""
    best = f.next
    for i in range(f.next + 1, f.count):
        if moves[i] > moves[best]:
            best = i
    move = moves[best]
    moves[best] = moves[f.next]
    moves[f.next] = move
    f.next += 1
    return move & 255


# --- the value, and the move that reaches it -----------------------------------------------------------------------


@kernel
def begin(s, r):
    """Begin with the position in games[0], in which there is a decision: reset all that is known."""
    control, g = s.control[0], s.games[0]
    high = card_points(r, r.deck) + r.cards_points + r.spades_points + r.five_spades_points
    if r.sweeps:
        high += popcount(r.deck)
    low = -high
    if g.mode == IDLE and not g.acted:
        _, low, high, _ = prospects(g, r)
    control.nodes, control.asked = 0, 0
    control.sign = 1 - 2 * side_of(r, g.actor)
    control.low, control.high = (low, high) if control.sign > 0 else (-high, -low)
    control.wanted = (control.low + control.high + 1) // 2
    control.best = control.promising = NO_MOVE


@kernel
def seek(s, r, budget):
    """Ask questions until the bounds of the value meet (return true), or for `budget` positions. Each asks whether the
    best value still possible is reached. If the stack is full, the search ends: control.level is -1."""
    control = s.control[0]
    last = control.nodes + budget
    while control.low < control.high:
        if not control.asked:
            put(s, r, control.wanted if control.sign > 0 else 1 - control.wanted, NO_MOVE)
            control.asked = 1
        if not search_on(s, r, last - control.nodes):
            return False
        control.asked = 0
        bound, move = control.sign * control.value, s.frames[0].best_move
        if move != NO_MOVE:
            control.promising = move
        if bound >= control.wanted:
            control.low, control.best = bound, move
            control.wanted = bound + 1
        else:
            control.high = min(control.high, bound)
            control.wanted = max(control.high, control.low + 1)
    return True


# --- value, best moves, or values of all moves ---------------------------------------------------------------------


@kernel
def ask(s, r, g, want, most):
    """Begin with a position in which there is a decision. want: VALUE, BEST or VALUES. most: positions to search."""
    s.games[0] = g
    s.games[0].match = 0  # the deal is solved, not the match
    begin(s, r)
    control = s.control[0]
    control.want, control.most, control.valued, control.bound = want, most, 0, WORST
    control.count = action_set.listed(legal_actions(s.games[0], r), control.moves)
    if want == VALUE:
        control.count = 0


@kernel
def _value_moves(s, r, last):
    """Value the moves one by one until all are known (return true) or `last` positions have been searched.

    For a good move the first answer is mostly yes; for others the bound falls step by step.
    """
    control = s.control[0]
    while control.valued < control.count:
        move, bound = np.int64(control.moves[control.valued]), control.low
        if control.want == VALUES or move != control.best:
            if not control.asked:
                control.wanted = min(control.low, control.bound)
                put(s, r, control.wanted if control.sign > 0 else 1 - control.wanted, move)
                control.asked = 1
            if not search_on(s, r, last - control.nodes):
                return False
            bound, control.asked = control.sign * control.value, 0
            if control.want == VALUES and bound < control.wanted:
                control.bound = bound
                continue
        control.values[control.valued], control.bound = bound, WORST
        control.valued += 1
    return True


@kernel
def _name_best(control):
    """Set the good moves: those proven to reach `low`; without a proof, the most promising one."""
    control.goods = 0
    for i in range(control.valued):
        if control.values[i] >= control.low:
            control.good[control.goods] = control.moves[i]
            control.goods += 1
    if control.goods == 0:
        looks = control.best if control.best != NO_MOVE else control.promising
        control.good[0] = looks if looks != NO_MOVE else control.moves[0]
        control.goods = 1


@kernel
def go_on(s, r, budget):
    """Search `budget` more positions; return OPEN, DONE or STOPPED."""
    control = s.control[0]
    last = min(control.nodes + budget, control.most)
    done = seek(s, r, last - control.nodes) and _value_moves(s, r, last)
    _name_best(control)
    if done:
        return DONE
    return STOPPED if control.level < 0 or control.nodes >= control.most else OPEN


# Why begin_solving refuses a position, by number: only deals of two sides without chance or hidden cards have a value.
REFUSALS = (
    "",
    "nothing to solve: the game is over",
    "nothing to solve: seat {seat} has nothing to decide",
    "the solver needs two sides; {name} with {players} players has {sides}",
    "the solver needs all cards to be dealt; the stock is not empty",
    "the solver needs all cards to be known; this is one seat's view",
    "the solver counts the points of whole deals; with count_out a deal may be cut short",
)


@kernel
def _refusal(g, r):
    hidden = 0
    for seat in range(r.players):
        hidden += g.hidden_hand[seat] + g.hidden_pile[seat]
    if g.mode == OVER:
        return 1
    if action_set.count(legal_actions(g, r)) == 0:
        return 2
    if r.sides != 2:
        return 3
    if g.stock_top >= 0:
        return 4
    return 5 if hidden else 6 if r.count_out else 0


@entry
def begin_solving(s: AlphaBeta, rules: RulesRow, record: Records, want: int, most: int) -> int:
    """Call ask from Python; return 0, or the number of the refusal."""
    refused = _refusal(record[0], rules[0])
    if not refused:
        ask(s, rules[0], record[0], want, most)
    return refused


@entry
def go_on_solving(s: AlphaBeta, rules: RulesRow, budget: int) -> int:
    """Call go_on from Python; `control` holds what is known."""
    return go_on(s, rules[0], budget)


# --- for other kernels: one decision at a time, with little memory and a limit of positions ------------------------

POSITIONS = 5000  # for one decision: some 10 ms


@kernel
def few_cards(v, r, most):
    """Return whether the solver can play this: two sides, whole deals, at most so many cards in all hands together."""
    cards = 0
    for seat in range(r.players):
        cards += popcount(v.hands[seat])
    return r.sides == 2 and not r.count_out and cards <= most


@kernel
def best_action(s, r, v):
    """Return the best action where all cards are known; -1 if it is not found within POSITIONS."""
    for i in range(s.table.shape[0]):
        s.table[i].key, s.table[i].effort = 0, 0
    s.history[:] = 0
    ask(s, r, v, VALUE, POSITIONS)
    return np.int64(s.control[0].good[0]) if go_on(s, r, POSITIONS) == DONE else -1
