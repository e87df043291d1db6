"""The exact value of a position by alpha-beta: questions with a zero window (is the final difference at least the
target?) until its bounds meet, with a transposition table and the history heuristic.

The search keeps its own stack of records, since cached kernels must not call themselves, and so it can be left after
any number of positions and taken up again. Each level is one decision; forced actions are played on.
"""

from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS, CAPTURE, CAPTURE_HIGH, CARD, DISCARD
from casino_env.agents.solver.stakes import position_key, prospects
from casino_env.compiler.jit import entry, highest, kernel, popcount
from casino_env.engine import action_set
from casino_env.engine.legal import legal_actions
from casino_env.engine.position_keys import Names, names_of
from casino_env.engine.reading import pips, same_rank, side_of
from casino_env.engine.scoring import card_points
from casino_env.engine.state import GAME, IDLE, OVER
from casino_env.engine.turn import decide

Array = np.ndarray[Any, Any]

# === The transposition table: of positions seen, proven bounds and the move to try first ============================

_WAYS = 4  # entries in which a position may be
_ZERO = 2048  # stands for a bound of 0
_FIELD = 4095
WORST = 1000  # beyond any difference of points
NO_MOVE = 255


class Transpositions(NamedTuple):
    keys: np.ndarray[Any, Any]
    entries: np.ndarray[Any, Any]  # bounds, move and effort in one number


def new_transpositions(megabytes: float) -> Transpositions:
    """As many entries as fit, a power of two."""
    entries = 1 << int(megabytes * 2**20 / 16).bit_length() - 1
    return Transpositions(np.zeros(entries, np.uint64), np.zeros(entries, np.int64))


@kernel
def _written(low, high, move, effort):
    return (low + _ZERO) | (high + _ZERO) << 12 | move << 24 | effort << 32


@kernel
def _read(entry):
    """(low, high, move, effort)"""
    return (entry & _FIELD) - _ZERO, (entry >> 12 & _FIELD) - _ZERO, entry >> 24 & 255, entry >> 32


@kernel
def find(table, key):
    """(low, high, move) known of a position; nothing is known without a move and within the worst bounds."""
    first = np.int64(key & np.uint64(table.keys.shape[0] - _WAYS))
    for i in range(first, first + _WAYS):
        if table.keys[i] == key:
            low, high, move, _ = _read(table.entries[i])
            return low, high, move
    return -WORST, WORST, NO_MOVE


@kernel
def _place_for(table, key):
    """The entry of the position, or the one that cost the least of those it may replace."""
    first = np.int64(key & np.uint64(table.keys.shape[0] - _WAYS))
    cheapest = 0
    for i in range(_WAYS):
        if table.keys[first + i] == key:
            return first + i
        if table.entries[first + i] >> 32 < table.entries[first + cheapest] >> 32:
            cheapest = i
    return first + cheapest


@kernel
def store(table, key, low, high, move, effort):
    """Keep what is known of a position; bounds that it had already are kept as well."""
    i = _place_for(table, key)
    if table.keys[i] == key:
        old_low, old_high, old_move, old_effort = _read(table.entries[i])
        low, high, effort = max(low, old_low), min(high, old_high), max(effort, old_effort)
        if move == NO_MOVE:
            move = old_move
    table.keys[i] = key
    table.entries[i] = _written(low, high, move, effort)


# === Alpha-beta: one question =======================================================================================

LEVELS = 1024

# The order of moves: found by trial over many endings; all that counts is how few positions are searched.
_FULL_MERIT = 1 << 16
_FORGET = 6
_MERIT_OF_CARD = 3000
_MERIT_OF_POINT = 12000
_FIRST = 1 << 50

CONTROL = np.dtype(
    [
        ("level", np.int64),
        ("target", np.int64),  # the question: is the final difference at least this?
        ("nodes", np.int64),  # positions seen
        ("value", np.int64),  # the answer
        # what is known of the value of the position, for the side that decides there
        ("sign", np.int64),  # 1: that is side 0, -1: side 1
        ("low", np.int64),
        ("high", np.int64),
        ("wanted", np.int64),  # the next question: is it at least this?
        ("asked", np.int64),  # it is being answered
        ("best", np.int64),  # the move that is proven to reach `low`
        ("promising", np.int64),  # what looks best until then
    ]
)

FRAME = np.dtype(
    [
        ("key", np.uint64),
        ("hashed", np.int64),  # the position begins a turn: it has a key
        ("safe", np.int64),  # points that are certain; bounds in the table are relative to them
        ("low", np.int64),  # bounds known on the way in
        ("high", np.int64),
        ("largest", np.int64),  # side 0 decides and wants the largest value
        ("best", np.int64),
        ("best_move", np.int64),
        ("move", np.int64),  # being tried
        ("hint", np.int64),  # what was best in an earlier search
        ("next", np.int64),
        ("count", np.int64),
        ("begun", np.int64),  # positions seen before
    ]
)


class Stack(NamedTuple):
    """The search: where it is, and each level from the root to there."""

    control: Array  # one record
    games: Array
    frames: Array
    moves: Array  # [level, i]: merit << 8 | action


class Knowledge(NamedTuple):
    """What earlier positions have taught."""

    table: Transpositions
    history: Array  # [side, mode, action]: the history heuristic, how often and how early an action was enough


def new_stack(levels: int = LEVELS) -> Stack:
    frames, moves = np.zeros(levels, FRAME), np.zeros((levels, ACTIONS), np.int64)
    return Stack(np.zeros(1, CONTROL), np.zeros(levels, GAME), frames, moves)


def new_knowledge(megabytes: float) -> Knowledge:
    return Knowledge(new_transpositions(megabytes), np.zeros((2, OVER + 1, ACTIONS), np.int64))


@kernel
def put(stack, known, names, r, target, only):
    """Put the question to the position in games[0]; only: if this move is made."""
    control, f, moves = stack.control[0], stack.frames[0], stack.moves[0]
    control.level, control.target = 0, target
    _recall(stack, known, names, r, 0)
    _list_moves(stack, known, names, r, 0, legal_actions(stack.games[0], r))
    f.begun = control.nodes
    if only != NO_MOVE:
        moves[0] = only
        f.count = 1
        f.hashed = 0  # nothing is learnt of the position itself


@entry
def put_question(stack, known, names, rules, target, only):
    """The same, called by Python."""
    put(stack, known, names, rules[0], target, only)


@entry
def resume(stack, known, names, rules, budget):
    """Search on, called by Python."""
    return search_on(stack, known, names, rules[0], budget)


@kernel
def search_on(stack, known, names, r, budget):
    """Search until the question is answered (true; see control.value) or `budget` more positions have been seen."""
    control, frames = stack.control[0], stack.frames
    level, target, nodes = control.level, control.target, control.nodes
    last, answered = nodes + budget, False
    while nodes < last:
        f = frames[level]
        if f.next == f.count or _enough(f, target):
            _leave(stack, known, names, level, target, nodes)
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
        f.move = _next_move(stack.moves[level], f)
        level += 1
        stack.games[level] = stack.games[level - 1]
        legal = decide(stack.games[level], r, f.move)
        nodes += 1
        settled, value = _settled(stack, known, names, r, level, target)
        if settled:
            level -= 1
            _back_up(f, value)
        else:
            frames[level].begun = nodes
            _list_moves(stack, known, names, r, level, legal)
    control.level, control.nodes = level, nodes
    return answered


@kernel
def _enough(f, target):
    """The rest of the moves need not be tried."""
    return f.best >= target if f.largest else f.best < target


@kernel
def _back_up(f, value):
    if value > f.best if f.largest else value < f.best:
        f.best = value
        f.best_move = f.move


# --- positions -----------------------------------------------------------------------------------------------------


@kernel
def _settled(stack, known, names, r, level, target):
    """(whether the question needs no search here, a bound that answers it)"""
    g = stack.games[level]
    if g.mode == OVER:
        return True, np.int64(g.deal_points[0]) - np.int64(g.deal_points[1])
    _recall(stack, known, names, r, level)
    f = stack.frames[level]
    if f.low >= target:
        return True, f.low
    return f.high < target, f.high


@kernel
def _recall(stack, known, names, r, level):
    """What is known of the position: its key, bounds and the best move so far."""
    g, f = stack.games[level], stack.frames[level]
    f.hashed = 1 if g.mode == IDLE and not g.acted else 0
    f.low, f.high, f.hint = -WORST, WORST, NO_MOVE
    if not f.hashed:
        return
    f.safe, f.low, f.high, word = prospects(g, r)
    f.key = position_key(g, r, names, word)
    low, high, f.hint = find(known.table, f.key)
    f.low, f.high = max(f.low, low + f.safe), min(f.high, high + f.safe)


@kernel
def _leave(stack, known, names, level, target, nodes):
    """All that matters has been tried: keep what was learnt."""
    f = stack.frames[level]
    good = _enough(f, target)
    if good and f.count > 1:
        _note_success(known.history[0 if f.largest else 1, stack.games[level].mode], stack.moves[level], f)
    if f.hashed:
        low, high = f.low, f.high
        if f.best >= target:
            low = max(low, f.best)
        else:
            high = min(high, f.best)
        move = _canonical(names, f.best_move) if good else NO_MOVE
        effort = highest(nodes - f.begun + 1)
        store(known.table, f.key, low - f.safe, high - f.safe, move, effort)


@kernel
def _note_success(history, moves, f):
    """The best move was enough, those tried before it were not. What is long ago is slowly forgotten."""
    for i in range(f.next - 1):
        move = moves[i] & 255
        history[move] -= history[move] >> _FORGET
    history[f.best_move] += (_FULL_MERIT - history[f.best_move]) >> _FORGET


# --- moves ---------------------------------------------------------------------------------------------------------


@kernel
def _canonical(names, move):
    """Equal for moves with cards that no rule tells apart."""
    if move >= CAPTURE_HIGH + 4:
        return move
    kind = CAPTURE_HIGH
    for first in (CAPTURE, DISCARD, CARD):
        if move < kind:
            kind = first
    return kind + names.same[move - kind]


@kernel
def _list_moves(stack, known, names, r, level, legal):
    """All legal moves with their merits; nothing is tried yet."""
    g, f, moves = stack.games[level], stack.frames[level], stack.moves[level]
    side = side_of(r, g.actor)
    f.largest = 1 - side
    f.best = WORST if side else -WORST
    f.best_move = NO_MOVE
    f.next = 0
    history = known.history[side, g.mode]
    f.count = action_set.listed(legal, moves)
    for i in range(f.count):
        move = moves[i]
        merit = history[move]
        if g.mode == IDLE and CAPTURE <= move < CAPTURE_HIGH:
            merit += _gain(g, r, move - CAPTURE)
        if f.hint != NO_MOVE and _canonical(names, move) == f.hint:
            merit = _FIRST
        moves[i] = merit << 8 | move


@kernel
def _gain(g, r, card):
    """The merit of what the card takes at first sight, sums aside."""
    taken = g.layout & same_rank(card) | g.build_cards[pips(card)] | 1 << card
    return _MERIT_OF_CARD * popcount(taken) + _MERIT_OF_POINT * card_points(r, taken)


@kernel
def _next_move(moves, f):
    """The move of most merit among those not yet tried."""
    best = f.next
    for i in range(f.next + 1, f.count):
        if moves[i] > moves[best]:
            best = i
    move = moves[best]
    moves[best] = moves[f.next]
    moves[f.next] = move
    f.next += 1
    return move & 255


# === The value of a position, and the move that reaches it ==========================================================


@kernel
def _first_bounds(g, r):
    """(lowest, highest) final difference that can be told without a search."""
    if g.mode == IDLE and not g.acted:
        _, low, high, _ = prospects(g, r)
        return low, high
    most = card_points(r, r.deck) + r.cards_points + r.spades_points + r.five_spades_points
    if r.sweeps:
        most += popcount(r.deck)
    return -most, most


@kernel
def begin(stack, r):
    """Nothing is known yet of the position in games[0], where something is to be decided."""
    control, g = stack.control[0], stack.games[0]
    low, high = _first_bounds(g, r)
    control.nodes, control.asked = 0, 0
    control.sign = 1 - 2 * side_of(r, g.actor)
    control.low, control.high = (low, high) if control.sign > 0 else (-high, -low)
    control.wanted = (control.low + control.high + 1) // 2
    control.best = control.promising = NO_MOVE


@kernel
def seek(stack, known, names, r, budget):
    """Ask at the edge of what is possible until the bounds of the value meet (true) or `budget` more positions have
    been seen. Without room for a deeper level the search is over: control.level is -1."""
    control = stack.control[0]
    last = control.nodes + budget
    while control.low < control.high:
        if not control.asked:
            put(stack, known, names, r, control.wanted if control.sign > 0 else 1 - control.wanted, NO_MOVE)
            control.asked = 1
        if not search_on(stack, known, names, r, last - control.nodes):
            return False
        control.asked = 0
        _hear(control, stack.frames[0].best_move)
    return True


@kernel
def _hear(control, move):
    """What the answer to the last question says of the value."""
    bound = control.sign * control.value
    if move != NO_MOVE:
        control.promising = move
    if bound >= control.wanted:
        control.low, control.best = bound, move
        control.wanted = bound + 1
    else:
        control.high = min(control.high, bound)
        control.wanted = max(control.high, control.low + 1)


@entry
def begin_search(stack, rules):
    """begin, called by Python."""
    begin(stack, rules[0])


@entry
def seek_value(stack, known, names, rules, budget):
    """seek, called by Python."""
    return seek(stack, known, names, rules[0], budget)


# === Inside a kernel: for whoever decides in many games, with little memory and a limit of positions ================

POSITIONS = 5000  # of one decision: some 10 ms
_LEVELS, _MEGABYTES = 256, 1 / 8


class LastCards(NamedTuple):
    """The workspace of the search."""

    stack: Stack
    known: Knowledge
    names: Names


def new_last_cards(rules: np.ndarray[Any, Any]) -> LastCards:
    return LastCards(new_stack(_LEVELS), new_knowledge(_MEGABYTES), names_of(rules))


@kernel
def few_cards(v, r, most):
    """The solver can play it: two sides, whole deals, no more than so many cards in all hands."""
    cards = 0
    for seat in range(r.players):
        cards += popcount(v.hands[seat])
    return r.sides == 2 and not r.count_out and cards <= most


@kernel
def best_action(last, r, v):
    """The best action where all cards are known; -1 if that takes too long to find out."""
    known = last.known
    known.table.keys[:] = 0
    known.table.entries[:] = 0
    known.history[:] = 0
    last.stack.games[0] = v
    last.stack.games[0].match = 0  # the deal is solved, not the match
    begin(last.stack, r)
    if not seek(last.stack, known, last.names, r, POSITIONS):
        return -1
    control = last.stack.control[0]
    if control.best != NO_MOVE:
        return control.best
    return control.promising if control.promising != NO_MOVE else action_set.nth(legal_actions(v, r), 0)
