"""Alpha-beta with a window of nothing: is the final difference at least the target?

The search keeps its own stack of records, since cached kernels must not call themselves, and so it can be left after
any number of positions and taken up again. Each level is one decision; forced actions are played on.
"""

from typing import NamedTuple

import numpy as np

from agents.solver_position import own_points, position_key, prospects
from agents.solver_table import WORST, find, store, unpack
from casino_env.actions import CAPTURE, CAPTURE_HIGH
from casino_env.engine import step
from casino_env.jit import kernel, lowest, popcount
from casino_env.legal import legal_words
from casino_env.state import CARDS_TOTAL, IDLE, OVER
from casino_env.table import side_of

LEVELS = 1024
MOVES = 128
NO_MOVE = 255

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
        ("left", np.int64),  # cards in all hands
        ("begun", np.int64),  # positions seen before
    ]
)
LEVEL, TARGET, NODES, VALUE = 0, 1, 2, 3  # of Stack.control


class Stack(NamedTuple):
    control: np.ndarray
    games: np.ndarray
    frames: np.ndarray
    moves: np.ndarray  # [level, i]: merit << 8 | action


class Memory(NamedTuple):
    keys: np.ndarray
    entries: np.ndarray
    merits: np.ndarray  # [side, mode, action]: how often and how early it was enough


@kernel
def begin(stack, memory, facts, rules, target):
    """Put the question to the position in games[0], where something is to be decided."""
    control = stack.control
    control[LEVEL], control[TARGET], control[NODES] = 0, target, 0
    g, r = stack.games[0], rules[0]
    _recall(stack, memory, facts, r, 0)
    _list_moves(stack, memory, facts, r, 0, legal_words(g, r))


@kernel
def resume(stack, memory, facts, rules, budget):
    """Search until the question is answered (true; see control[VALUE]) or `budget` more positions have been seen."""
    control, frames, r = stack.control, stack.frames, rules[0]
    level, target, nodes = control[LEVEL], control[TARGET], control[NODES]
    last, answered = nodes + budget, False
    while nodes < last:
        f = frames[level]
        if f.next == f.count or _enough(f, target):
            _leave(stack, memory, facts, level, target, nodes)
            if level == 0:
                control[VALUE] = f.best
                answered = True
                break
            level -= 1
            _back_up(frames[level], f.best)
            continue
        f.move = _next_move(stack.moves[level], f)
        level += 1
        stack.games[level] = stack.games[level - 1]
        words = step(stack.games[level], r, f.move)
        nodes += 1
        settled, value = _settled(stack, memory, facts, r, level, target)
        if settled:
            level -= 1
            _back_up(f, value)
        else:
            frames[level].begun = nodes
            _list_moves(stack, memory, facts, r, level, words)
    control[LEVEL], control[NODES] = level, nodes
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
def _settled(stack, memory, facts, r, level, target):
    """(whether the question needs no search here, a bound that answers it)"""
    g = stack.games[level]
    if g.mode == OVER:
        return True, np.int64(g.deal_points[0]) - np.int64(g.deal_points[1])
    _recall(stack, memory, facts, r, level)
    f = stack.frames[level]
    if f.low >= target:
        return True, f.low
    return f.high < target, f.high


@kernel
def _recall(stack, memory, facts, r, level):
    """What is known of the position: its key, bounds and the best move so far."""
    g, f = stack.games[level], stack.frames[level]
    f.hashed = 1 if g.mode == IDLE and not g.acted else 0
    f.low, f.high, f.hint = -WORST, WORST, NO_MOVE
    if not f.hashed:
        return
    f.safe, f.low, f.high, word = prospects(g, r, facts)
    f.key = position_key(g, r, facts, word)
    i = find(memory.keys, f.key)
    if i >= 0:
        low, high, f.hint, _ = unpack(memory.entries[i])
        f.low, f.high = max(f.low, low + f.safe), min(f.high, high + f.safe)


@kernel
def _leave(stack, memory, facts, level, target, nodes):
    """All that matters has been tried: keep what was learnt."""
    f = stack.frames[level]
    good = _enough(f, target)
    if good:
        g = stack.games[level]
        merits = memory.merits[0 if f.largest else 1, g.mode]
        for i in range(f.next - 1):
            m = stack.moves[level, i] & 255
            merits[m] -= merits[m] >> 6
        merits[f.best_move] += (65536 - merits[f.best_move]) >> 6
    if f.hashed:
        low, high = f.low, f.high
        if f.best >= target:
            low = max(low, f.best)
        else:
            high = min(high, f.best)
        effort = _bits(nodes - f.begun + 1)
        move = _canonical(facts, f.best_move) if good else NO_MOVE
        store(memory.keys, memory.entries, f.key, low - f.safe, high - f.safe, move, effort)


@kernel
def _bits(number):
    bits = 0
    while number:
        number >>= 1
        bits += 1
    return bits


# --- moves ---------------------------------------------------------------------------------------------------------


@kernel
def _canonical(facts, move):
    """Equal for moves with cards that no rule tells apart."""
    if move < CAPTURE_HIGH:
        kind = move // CARDS_TOTAL * CARDS_TOTAL
        return kind + facts.same[move - kind]
    if move < CAPTURE_HIGH + 4:
        return CAPTURE_HIGH + facts.same[move - CAPTURE_HIGH]
    return move


@kernel
def _list_moves(stack, memory, facts, r, level, words):
    """All legal moves with their merits; nothing is tried yet."""
    g, f, moves = stack.games[level], stack.frames[level], stack.moves[level]
    side = side_of(r, g.actor)
    f.largest = 1 if side == 0 else 0
    f.best = WORST if side else -WORST
    f.best_move = NO_MOVE
    f.next = 0
    left = 0
    for seat in range(r.players):
        left += popcount(g.hands[seat])
    f.left = left
    count, base = 0, 0
    for word in words:
        while word:
            move = base + lowest(word)
            word &= word - 1
            merit = memory.merits[side, g.mode, move]
            if g.mode == IDLE and move >= CAPTURE and move < CAPTURE_HIGH:
                card = move - CAPTURE
                taken = (g.layout & (15 << (card & ~3))) | g.build_cards[(card >> 2) + 1] | 1 << card
                merit += 3000 * popcount(taken) + 12000 * own_points(facts, taken)
            if f.hint != NO_MOVE and _canonical(facts, move) == f.hint:
                merit = 1 << 50
            moves[count] = merit << 8 | move
            count += 1
        base += CARDS_TOTAL
    f.count = count


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
