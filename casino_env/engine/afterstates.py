"""All afterstates of a seat: what it can leave behind by one complete turn, each with the actions that lead there.

All of it happens on copies of what the seat sees, and nothing is tried beyond the own turn: END is never applied, since
that draws or deals hidden cards. The turn is handed over by hand instead.

Turns that come to the same afterstate are one, whatever the order of their actions, and so are equal cards. A crowded
table has thousands of turns: the search stops after so many positions (`limit`), shared out evenly among the first
actions, and what it finds first takes most; so it is with the afterstates that there is room for (`MOST`).
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import BUILD, CAPTURE, CAPTURE_HIGH, CARD, COUNT_OUT, DISCARD, END, NO, YES
from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, highest, kernel, lowest
from casino_env.compiler.types import Elements, Sizes
from casino_env.engine import action_set
from casino_env.engine.deal import next_with_cards, played_out, reset_turn, take_leftovers
from casino_env.engine.legal import legal_actions
from casino_env.engine.piles import next_to_stack
from casino_env.engine.position_keys import cards_key, chain_key, find_equals, mix, table_key
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import settle_deal
from casino_env.engine.state import (
    CAPTURING,
    GRANT,
    IDLE,
    INSIST_ADD,
    INSIST_CAPTURE,
    OVER,
    RAISED,
    REQUEST,
    SEATS,
    SET,
    SORTING,
    Records,
    RulesRow,
)
from casino_env.engine.turn import apply

# === Telling apart what has been met on the way through a turn ========================================================

SLOTS = 4096  # of the set of positions that have been tried: a power of two


@kernel
def afterstate_key(v, r, w):
    """Equal for afterstates that nobody could tell apart, equal cards aside."""
    key = table_key(v, r, w)
    for pile in range(r.players):
        now, old, top = v.piles[pile], w.piles[pile], v.pile_top[pile]
        if now != old:
            key = mix(key, cards_key(w, now ^ old, pile))
            if top >= 0:
                key += chain_key(v, w, top, now & ~old)
        seen = w.same[top] + 1 if top >= 0 else 0
        key = mix(key, v.proven[pile] | v.sweeps[pile] << 16 | seen << 24)
    return mix(key, v.last_capture + 1)


@kernel
def turn_key(v, key):
    """The same for positions inside a turn."""
    key = mix(
        key,
        v.mode | v.actor << 4 | v.acted << 8 | v.played << 9 | v.play_value << 10 | v.debt << 14 | v.unfinished << 18
        | v.joined << 22 | v.added << 27 | v.merged << 28 | v.no_new_build << 29 | v.must_add << 30
        | (v.last_source + 1) << 31 | (v.laid_now + 1) << 35 | v.take_build << 42 | v.tops_only << 43
        | v.settled << 44 | v.stolen << 46,
    )  # fmt: skip
    if v.mode == IDLE:
        return key
    key = mix(
        key,
        v.open_value | v.open_left << 4 | v.open_count << 8 | v.open_last << 12 | v.raising << 18
        | (v.hand_card + 1) << 22 | v.lead << 29,
    )  # fmt: skip
    if v.mode == SET or v.mode == RAISED:
        for i in range(v.open_count):
            key = mix(key, v.open_cards[i])
    return mix(mix(key, v.picked), v.required)


@kernel
def is_new(w, key):
    """Puts a position into the set of those that have been tried."""
    key |= np.uint64(1)  # 0 is an empty slot
    slot = np.int64(key >> np.uint64(32)) & SLOTS - 1
    while w.seen[slot]:
        if w.seen[slot] == key:
            w.slots[w.tried] = -1
            return False
        slot = slot + 1 & SLOTS - 1
    w.seen[slot] = key
    w.slots[w.tried] = slot
    return True


# === Following all of its turns =======================================================================================


NOBODY = -1
DEPTH = 56  # actions of one turn
MOST = 256  # afterstates that are kept
LIMIT = 2000  # positions that are tried
_SPARE = 24  # more actions may follow from one
_CARDS, _DISCARDS, _CAPTURES, _OTHERS = range(action_set.PARTS)
_CAPTURE_BUILDS = 16383 << (BUILD - CAPTURE_HIGH)
_END = 1 << (END - CAPTURE_HIGH)
_COUNT_OUT = 1 << (COUNT_OUT - CAPTURE_HIGH)


# What is found, and the workspace to find it, in one record: kernels hand on where it lies, not all of it.
WALK = np.dtype(
    [
        # on the way through a turn
        ("todo", np.int64, (DEPTH + 1, action_set.PARTS)),  # the actions that have not been tried at each position
        ("path", np.int16, DEPTH),  # the actions that lead to the last position
        ("long", np.int64, DEPTH + 1),  # how many of these lead to each
        ("piles", np.int64, SEATS),  # what each pile held at the beginning
        ("seen", np.uint64, SLOTS),  # the set of positions that have been tried
        ("slots", np.int64, SLOTS),  # where they lie in it
        ("tried", np.int64),  # positions
        ("cut", np.int64),  # 1: there may be more afterstates than were found
        # what was found
        ("found", np.int64),  # afterstates
        ("keys", np.uint64, MOST),
        ("lengths", np.int64, MOST),  # actions that lead to each, without END
        ("paths", np.int16, (MOST, DEPTH)),  # these actions
        ("same", np.int64, CARDS),  # what keys are made of (position_keys.py)
    ],
    align=True,
)


class Afterstates(NamedTuple):
    """All that a seat can leave behind with one complete turn, and the workspace to find it."""

    # positions on the way through a turn; the first is the one from which it begins
    stack: Annotated[Records, Sizes(DEPTH + 1)]
    records: Annotated[Records, Sizes(MOST)]  # the afterstates, after the turn has been handed over
    walk: Annotated[Array, Elements(WALK), Sizes(1)]


# --- what others do in the meantime --------------------------------------------------------------------------------


@kernel
def usual_answer(v, r, seat):
    """What is not for this seat to think about: a partner asks for nothing and grants what is asked, nobody insists,
    piles are sorted as they usually are. -1 if there is no such question."""
    if v.mode == SORTING:
        return CARD + next_to_stack(r, v.required)
    if v.actor == seat:
        return -1
    if v.mode == GRANT:
        return YES
    return NO if v.mode == REQUEST or v.mode == INSIST_CAPTURE or v.mode == INSIST_ADD else -1


@kernel
def pop(todo, capturing):
    """Take an action off the list: the one that takes most first, ending last; -1 if there is none."""
    if capturing and todo[_OTHERS] & _CAPTURE_BUILDS:
        part, bit, first = _OTHERS, lowest(todo[_OTHERS] & _CAPTURE_BUILDS), CAPTURE_HIGH
    elif todo[_CARDS]:
        part, bit, first = _CARDS, highest(todo[_CARDS]), CARD
    elif todo[_CAPTURES]:
        part, bit, first = _CAPTURES, highest(todo[_CAPTURES]), CAPTURE
    elif todo[_DISCARDS]:
        part, bit, first = _DISCARDS, highest(todo[_DISCARDS]), DISCARD
    elif todo[_OTHERS]:
        part, bit, first = _OTHERS, lowest(todo[_OTHERS]), CAPTURE_HIGH
    else:
        return -1
    todo[part] &= ~(1 << bit)
    return first + bit


# --- the end of a turn ---------------------------------------------------------------------------------------------


@kernel
def _forgotten(v, r):
    """The seat does not remember the piles (`memory="none"`), so it does not know how the deal has ended."""
    hidden = 0
    for seat in range(r.players):
        hidden += v.hidden_pile[seat]
    return hidden > 0


@kernel
def hand_over(v, r):
    """The turn is over, but nothing is drawn or dealt: that is for the game to do."""
    following = next_with_cards(v, r)
    v.turns += 1
    if played_out(v, following):
        take_leftovers(v, r)
        if not _forgotten(v, r):
            settle_deal(v, r)
            reset_turn(v)
            v.mode = OVER
            return
    v.to_move = following if following >= 0 else (v.to_move + 1) % r.players
    reset_turn(v)


@kernel
def _keep(v, r, w, records, depth, key):
    """A position at which the turn may end, as an afterstate if it is a new one."""
    for k in range(w.found):
        if w.keys[k] == key:
            return
    k = w.found
    if k == MOST:
        w.cut = 1
        return
    records[k] = v
    hand_over(records[k], r)
    w.keys[k] = key
    w.lengths[k] = w.long[depth]
    for i in range(w.long[depth]):
        w.paths[k, i] = w.path[i]
    w.found += 1


# --- following all of them -----------------------------------------------------------------------------------------


@kernel
def _arrive(v, r, w, records, depth):
    """At a new position of the turn: keep the afterstate if the turn may end, and list what may be done."""
    todo, key = w.todo[depth], afterstate_key(v, r, w)
    if depth and not is_new(w, turn_key(v, key)):
        todo[:] = 0
        return
    action_set.to_row(legal_actions(v, r), todo)
    if v.mode == IDLE:
        todo[_OTHERS] &= ~_COUNT_OUT
        if todo[_OTHERS] & _END:
            todo[_OTHERS] &= ~_END
            _keep(v, r, w, records, depth, key)
    if w.long[depth] > DEPTH - _SPARE and action_set.count(todo):
        w.cut = 1
        todo[:] = 0


@kernel
def _do(v, r, w, seat, depth, action):
    """An action at the position of this depth, and what usually follows from others, make the next one of v."""
    long = w.long[depth]
    while action >= 0 and long < DEPTH:
        w.path[long] = action
        long += 1
        apply(v, r, action)
        action = usual_answer(v, r, seat)
    w.long[depth + 1] = long


@kernel
def _count_out(stack, records, w, r, seat):
    """The seat claims the target, if it has it: nothing is better, so there is no other afterstate. Returns whether."""
    v = stack[1]
    if not action_set.has(legal_actions(stack[0], r), COUNT_OUT):
        return False
    stack[1] = stack[0]
    apply(v, r, COUNT_OUT)
    if v.winner != side_of(r, seat):
        return False
    records[0] = v
    w.paths[0, 0], w.lengths[0], w.keys[0], w.found = COUNT_OUT, 1, 0, 1
    return True


@kernel
def _follow_turn(stack, records, w, r, seat, limit):
    """Depth first over all that the mover may do."""
    if r.count_out and _count_out(stack, records, w, r, seat):
        return
    depth, begun = 0, 0
    _arrive(stack[0], r, w, records, 0)
    first = max(1, action_set.count(w.todo[0]))
    while depth >= 0:
        action = pop(w.todo[depth], stack[depth].mode == CAPTURING)
        if action < 0:
            depth -= 1
            continue
        begun += depth == 0
        stack[depth + 1] = stack[depth]
        _do(stack[depth + 1], r, w, seat, depth, action)
        depth += 1
        _arrive(stack[depth], r, w, records, depth)
        w.tried += 1
        if w.tried >= limit * begun // first:
            w.cut = 1
            depth = 0
    for k in range(w.tried):
        if w.slots[k] >= 0:
            w.seen[w.slots[k]] = 0


@kernel
def _play_on(v, r, todo):
    """The mover, asked by another seat, goes on: it takes what it can until its turn may end."""
    for _ in range(DEPTH):
        action_set.to_row(legal_actions(v, r), todo)
        if v.mode == OVER or (v.mode == IDLE and todo[_OTHERS] & _END):
            return
        action = usual_answer(v, r, NOBODY)
        if action < 0:
            action = pop(todo, v.mode == CAPTURING)
        if action < 0:
            return
        apply(v, r, action)


@kernel
def _follow_answers(stack, records, w, r):
    """A question inside the turn of another seat: what yes leaves, and what no."""
    legal = legal_actions(stack[0], r)
    for n in range(action_set.count(legal)):
        action, v = action_set.nth(legal, n), stack[1]
        stack[1] = stack[0]
        w.path[0] = action
        w.long[1] = 1
        if v.mode != INSIST_ADD or action == YES:  # not to insist ends the turn
            apply(v, r, action)
            _play_on(v, r, w.todo[1])
        _keep(v, r, w, records, 1, np.uint64(action))


@kernel
def list_afterstates(afterstates, r, seat, limit):
    """The afterstates that the seat, which has to decide in stack[0], can leave; returns how many there are."""
    stack, w = afterstates.stack, afterstates.walk[0]
    v = stack[0]
    find_equals(r, w.same)
    w.tried, w.found, w.cut = 0, 0, 0
    w.long[0] = 0
    for pile in range(r.players):
        w.piles[pile] = v.piles[pile]
    if v.to_move == seat:
        _follow_turn(stack, afterstates.records, w, r, seat, limit)
    else:
        _follow_answers(stack, afterstates.records, w, r)
    return w.found


@entry
def afterstates_of(record: Records, rules: RulesRow, afterstates: Afterstates, limit: int) -> int:
    """The same, called by Python, for the seat that decides in a record of its view."""
    afterstates.stack[0] = record[0]
    return list_afterstates(afterstates, rules[0], record[0].actor, limit)


# --- playing one of them ---------------------------------------------------------------------------------------------


@kernel
def step_of(walk, k, step):
    """An action of the turn that leads to an afterstate; END after the last."""
    return np.int64(walk.paths[k, step]) if step < walk.lengths[k] else END


@kernel
def follow(g, r, walk, k):
    """Play the turn that leads to an afterstate, until somebody else decides or what lay hidden makes it impossible;
    returns how many actions were played."""
    seat = g.actor
    for step in range(walk.lengths[k] + 1):
        action = step_of(walk, k, step)
        if g.mode == OVER or g.actor != seat or not action_set.has(legal_actions(g, r), action):
            return step
        apply(g, r, action)
    return walk.lengths[k] + 1
