"""All afterstates of a seat: the positions that one complete turn can lead to, each with the actions that lead there.

Turns are played on copies of the seat's view, and the search stops at the end of the seat's own turn. END is never
applied, because it would draw or deal hidden cards; `hand_over` passes the turn on instead.

Turns that lead to the same afterstate count once, whatever the order of their actions; equal cards are interchangeable.
A crowded table has thousands of turns, so the search stops after `limit` positions, a budget shared evenly among the
first actions. It tries actions that take most first. It keeps at most MOST afterstates, those found first.
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
from casino_env.engine.position_keys import cards_key, chain_key, find_equals, hands_key, mix, table_key
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

# === Keys of positions inside a turn, and the set of tried positions ==================================================

SLOTS = 4096  # in the hash set of tried positions: a power of two


@kernel
def begin_keys(v, r, w):
    """Note what keys of positions in a turn need of the one where it begins."""
    find_equals(r, w.same)
    w.mover = v.to_move
    w.others = hands_key(v, r, w, w.mover)
    for pile in range(r.players):
        w.piles[pile] = v.piles[pile]


@kernel
def afterstate_key(v, r, w):
    """Key of an afterstate: equal for positions that nobody could tell apart, up to equal cards."""
    key = table_key(v, r, w, w.others + cards_key(w, v.hands[w.mover], w.mover))
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
    """Key of a position inside a turn; `key` is its afterstate_key."""
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
    """Add a position to the set of tried positions; return whether it is new."""
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


# === Searching all turns ==============================================================================================


NOBODY = -1
DEPTH = 56  # most actions in one turn
MOST = 256  # most afterstates kept
LIMIT = 2000  # default number of positions tried
_SPARE = 24  # path entries reserved for one action and the usual answers after it
_CARDS, _DISCARDS, _CAPTURES, _OTHERS = range(action_set.PARTS)
_CAPTURE_BUILDS = 16383 << (BUILD - CAPTURE_HIGH)
_END = 1 << (END - CAPTURE_HIGH)
_COUNT_OUT = 1 << (COUNT_OUT - CAPTURE_HIGH)


# Results and search workspace in one record: kernels pass its address, not copies.
WALK = np.dtype(
    [
        # search state
        ("todo", np.int64, (DEPTH + 1, action_set.PARTS)),  # by depth: actions not tried yet
        ("path", np.int16, DEPTH),  # actions that lead to the current position
        ("long", np.int64, DEPTH + 1),  # by depth: length of the path
        ("mover", np.int64),
        ("others", np.uint64),  # key of the hands of the others, which a turn does not change
        ("piles", np.int64, SEATS),  # each pile at the start of the turn
        ("seen", np.uint64, SLOTS),  # hash set of tried positions
        ("slots", np.int64, SLOTS),  # slot of each tried position; -1 if it was known
        ("tried", np.int64),  # positions tried
        ("cut", np.int64),  # 1: the search was cut short, so afterstates may be missing
        # results
        ("found", np.int64),  # number of afterstates
        ("keys", np.uint64, MOST),
        ("lengths", np.int64, MOST),  # number of actions that lead to each, without END
        ("paths", np.int16, (MOST, DEPTH)),  # these actions
        ("same", np.int64, CARDS),  # representatives of equal cards (position_keys.py)
    ],
    align=True,
)


class Afterstates(NamedTuple):
    """All afterstates that a seat can reach with one complete turn, and the search workspace."""

    # positions by depth; the first is the start
    stack: Annotated[Records, Sizes(DEPTH + 1)]
    records: Annotated[Records, Sizes(MOST)]  # the afterstates, the turn handed over
    walk: Annotated[Array, Elements(WALK), Sizes(1)]


# --- answers of others, and action order ---------------------------------------------------------------------------


@kernel
def usual_answer(v, r, seat):
    """The default answer to a question that this seat does not decide: a partner asks for nothing and grants every
    request, opponents do not insist, and piles are sorted in the usual order. -1 if there is no such question."""
    if v.mode == SORTING:
        return CARD + next_to_stack(r, v.required)
    if v.actor == seat:
        return -1
    if v.mode == GRANT:
        return YES
    return NO if v.mode == REQUEST or v.mode == INSIST_CAPTURE or v.mode == INSIST_ADD else -1


@kernel
def pop(todo, capturing):
    """Remove an action from the list and return it: actions that take most first, ending last; -1 if none is left."""
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
    """Whether the seat does not remember the piles (`memory="none"`), so it cannot know how the deal ended."""
    hidden = 0
    for seat in range(r.players):
        hidden += v.hidden_pile[seat]
    return hidden > 0


@kernel
def hand_over(v, r):
    """End the turn without drawing or dealing, which only the game itself can do."""
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
    """Store a position where the turn may end as an afterstate, unless its key is known."""
    known, k = False, w.found
    for i in range(k):  # without a way out, so that several keys are compared at once
        known |= w.keys[i] == key
    if known:
        return
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


# --- depth-first search --------------------------------------------------------------------------------------------


@kernel
def _arrive(v, r, w, records, depth):
    """Enter a new position of the turn: keep the afterstate if the turn may end here, and list the actions to try."""
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
    """Apply an action to v, a copy of the position at this depth, and then the usual answers of other seats."""
    long = w.long[depth]
    while action >= 0 and long < DEPTH:
        w.path[long] = action
        long += 1
        apply(v, r, action)
        action = usual_answer(v, r, seat)
    w.long[depth + 1] = long


@kernel
def _count_out(stack, records, w, r, seat):
    """Claim the target if legal. A right claim wins: keep it as the only afterstate and return True."""
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
    """Search all turns of the mover, depth first."""
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
    """Play the rest of the mover's turn after another seat's answer: take what it can until the turn may end."""
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
    """Keep one afterstate per answer to a question inside another seat's turn."""
    legal = legal_actions(stack[0], r)
    for n in range(action_set.count(legal)):
        action, v = action_set.nth(legal, n), stack[1]
        stack[1] = stack[0]
        w.path[0] = action
        w.long[1] = 1
        if v.mode != INSIST_ADD or action == YES:  # NO ends the turn
            apply(v, r, action)
            _play_on(v, r, w.todo[1])
        _keep(v, r, w, records, 1, np.uint64(action))


@kernel
def list_afterstates(afterstates, r, seat, limit):
    """List the afterstates of the seat, which decides in stack[0]; return how many there are."""
    stack, w = afterstates.stack, afterstates.walk[0]
    v = stack[0]
    begin_keys(v, r, w)
    w.tried, w.found, w.cut = 0, 0, 0
    w.long[0] = 0
    if v.to_move == seat:
        _follow_turn(stack, afterstates.records, w, r, seat, limit)
    else:
        _follow_answers(stack, afterstates.records, w, r)
    return w.found


@entry
def afterstates_of(record: Records, rules: RulesRow, afterstates: Afterstates, limit: int) -> int:
    """Entry point for list_afterstates: the record is a view of the seat that decides in it."""
    afterstates.stack[0] = record[0]
    return list_afterstates(afterstates, rules[0], record[0].actor, limit)


# --- playing one turn ------------------------------------------------------------------------------------------------


@kernel
def step_of(walk, k, step):
    """Action number `step` of the turn that leads to afterstate k; END after the last."""
    return np.int64(walk.paths[k, step]) if step < walk.lengths[k] else END


@kernel
def follow(g, r, walk, k):
    """Play the turn that leads to afterstate k, until another seat decides or hidden cards make the next action
    illegal; return the number of actions played."""
    seat = g.actor
    for step in range(walk.lengths[k] + 1):
        action = step_of(walk, k, step)
        if g.mode == OVER or g.actor != seat or not action_set.has(legal_actions(g, r), action):
            return step
        apply(g, r, action)
    return walk.lengths[k] + 1
