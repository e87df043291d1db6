"""All tables that a seat can leave behind: every complete turn from a position, each with the actions that lead there.

All of it happens on copies of what the seat sees, and nothing is tried beyond the own turn: END is never applied, since
that draws or deals hidden cards. The turn is handed over by hand instead.

Turns that come to the same table are one, whatever the order of their actions, and so are equal cards. A crowded table
has thousands of turns: the search stops after so many tables (`limit`), shared out evenly among the first actions, and
what it finds first takes most.
"""

from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import BUILD, CAPTURE, CAPTURE_HIGH, CARD, COUNT_OUT, DISCARD, END, NO, YES
from casino_env.engine import choices
from casino_env.engine.deal import reset_turn, take_leftovers
from casino_env.engine.jit import entry, highest, kernel, lowest
from casino_env.engine.keys import Names, chain_key, mix, names_of, table_key
from casino_env.engine.legal import legal_actions
from casino_env.engine.piles import scoring_cards
from casino_env.engine.scoring import settle_deal
from casino_env.engine.state import (
    CAPTURING,
    GAME,
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
)
from casino_env.engine.turn import apply

Array = np.ndarray[Any, Any]

NOBODY = -1
DEPTH = 56  # actions of one turn
MOST = 256  # tables that are kept
LIMIT = 2000  # tables that are tried
_SPARE = 24  # more actions may follow from one
_SLOTS = 4096  # of the set of positions that have been tried: a power of two
_CARDS, _DISCARDS, _CAPTURES, _OTHERS = range(choices.PARTS)
_CAPTURE_BUILDS = 16383 << (BUILD - CAPTURE_HIGH)
_END = 1 << (END - CAPTURE_HIGH)
_COUNT_OUT = 1 << (COUNT_OUT - CAPTURE_HIGH)


class Outcomes(NamedTuple):
    """What was found, and room to find it."""

    names: Names
    boards: Array  # tables on the way through a turn; the first is the position
    todo: Array  # for each of them the actions that have not been tried
    path: Array  # the actions that lead to the last of them
    long: Array  # how many of these lead to each
    piles: Array  # what each pile held at the beginning
    seen: Array  # the set of positions that have been tried
    slots: Array  # where they lie in it
    tally: Array  # one record
    tables: Array  # left behind, after the turn has been handed over
    keys: Array
    paths: Array  # [table, i]: the actions that lead there, without END
    lengths: Array  # how many


TALLY = np.dtype([("tried", np.int64), ("found", np.int64), ("cut", np.int64)])


def new_outcomes(rules: Array, most: int = MOST) -> Outcomes:
    return Outcomes(
        names_of(rules), np.zeros(DEPTH + 1, GAME), np.zeros((DEPTH + 1, choices.PARTS), np.int64),
        np.zeros(DEPTH + 1, np.int16), np.zeros(DEPTH + 1, np.int64), np.zeros(SEATS, np.int64),
        np.zeros(_SLOTS, np.uint64), np.zeros(_SLOTS, np.int64), np.zeros(1, TALLY), np.zeros(most, GAME), np.zeros(most, np.uint64),
        np.zeros((most, DEPTH), np.int16), np.zeros(most, np.int64),
    )  # fmt: skip


# --- what others do in the meantime --------------------------------------------------------------------------------


@kernel
def sorting_choice(v, r):
    """Scoring cards lie deepest, then from low to high."""
    scoring = v.required & scoring_cards(r)
    return CARD + (lowest(scoring) if scoring else lowest(v.required))


@kernel
def usual_answer(v, r, seat):
    """What is not for this seat to think about: a partner asks for nothing and grants what is asked, nobody insists,
    piles are sorted as they usually are. -1 if there is no such question."""
    if v.mode == SORTING:
        return sorting_choice(v, r)
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
def _next_with_cards(v, r):
    """The next seat that has a card; -1 if nobody has."""
    for i in range(1, r.players + 1):
        seat = (v.to_move + i) % r.players
        if v.hands[seat] or v.hidden_hand[seat]:
            return seat
    return -1


@kernel
def hand_over(v, r):
    """The turn is over, but nothing is drawn or dealt: that is for the game to do."""
    following = _next_with_cards(v, r)
    v.turns += 1
    if following < 0 and v.stock_top < 0 and v.hidden_stock == 0:
        take_leftovers(v, r)
        settle_deal(v, r)
        reset_turn(v)
        v.mode = OVER
        return
    v.to_move = following if following >= 0 else (v.to_move + 1) % r.players
    reset_turn(v)


# --- telling tables apart ------------------------------------------------------------------------------------------


@kernel
def _left_key(v, r, room):
    """Equal for tables that nobody could tell apart, equal cards aside."""
    key = table_key(v, r, room.names)
    for pile in range(r.players):
        now, old = v.piles[pile], room.piles[pile]
        if now != old:
            new = now & ~old
            key = mix(key, now ^ old)
            if v.pile_top[pile] >= 0:
                key += chain_key(v, room.names, v.pile_top[pile], new)
        key = mix(key, v.proven[pile] | v.sweeps[pile] << 16 | (v.pile_top[pile] + 1) << 24)
    return mix(key, v.last_capture + 1 | (v.winner + 2) << 8)


@kernel
def _turn_key(v, key):
    """The same for positions inside a turn."""
    key = mix(
        key,
        v.mode | v.actor << 4 | v.acted << 8 | v.played << 9 | v.play_value << 10 | v.debt << 14 | v.unfinished << 18
        | v.joined << 22 | v.stolen << 26 | v.added << 27 | v.merged << 28 | v.no_new_build << 29 | v.must_add << 30
        | (v.last_source + 1) << 31 | (v.laid_now + 1) << 35 | v.take_build << 42 | v.tops_only << 43
        | v.settled << 44,
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
def _is_new(room, key):
    """Puts a position into the set of those that have been tried."""
    key |= np.uint64(1)  # 0 is an empty slot
    slot = np.int64(key >> np.uint64(32)) & _SLOTS - 1
    while room.seen[slot]:
        if room.seen[slot] == key:
            return False
        slot = slot + 1 & _SLOTS - 1
    room.seen[slot] = key
    room.slots[room.tally[0].tried] = slot
    return True


@kernel
def _keep(room, r, depth, key):
    """A table at which the turn may end, if it is a new one."""
    tally = room.tally[0]
    for k in range(tally.found):
        if room.keys[k] == key:
            return
    k = tally.found
    if k == room.tables.shape[0]:
        tally.cut = 1
        return
    room.tables[k] = room.boards[depth]
    hand_over(room.tables[k], r)
    room.keys[k] = key
    room.lengths[k] = room.long[depth]
    for i in range(room.long[depth]):
        room.paths[k, i] = room.path[i]
    tally.found += 1


# --- following all of them -----------------------------------------------------------------------------------------


@kernel
def _arrive(room, r, depth):
    """At a new position of the turn: keep the table if the turn may end, and list what may be done."""
    v, todo = room.boards[depth], room.todo[depth]
    key = _left_key(v, r, room)
    if depth and not _is_new(room, _turn_key(v, key)):
        todo[:] = 0
        return
    todo[0], todo[1], todo[2], todo[3] = legal_actions(v, r)
    if v.mode == IDLE:
        todo[_OTHERS] &= ~_COUNT_OUT
        if todo[_OTHERS] & _END:
            todo[_OTHERS] &= ~_END
            _keep(room, r, depth, key)
    if room.long[depth] > DEPTH - _SPARE:
        todo[:] = 0


@kernel
def _do(room, r, seat, depth, action):
    """An action at the position of this depth, and what usually follows from others, make the next one."""
    room.boards[depth + 1] = room.boards[depth]
    v, long = room.boards[depth + 1], room.long[depth]
    while action >= 0 and long < DEPTH:
        room.path[long] = action
        long += 1
        apply(v, r, action)
        action = usual_answer(v, r, seat)
    room.long[depth + 1] = long


@kernel
def _follow_turn(room, r, seat, limit):
    """Depth first over all that the mover may do."""
    tally, depth, begun = room.tally[0], 0, 0
    _arrive(room, r, 0)
    first = max(1, choices.count(room.todo[0]))
    while depth >= 0:
        action = pop(room.todo[depth], room.boards[depth].mode == CAPTURING)
        if action < 0:
            depth -= 1
            continue
        if depth == 0:
            begun += 1
        _do(room, r, seat, depth, action)
        depth += 1
        _arrive(room, r, depth)
        tally.tried += 1
        if tally.tried >= limit * begun // first:
            tally.cut = 1
            depth = 0
    for k in range(tally.tried):
        room.seen[room.slots[k]] = 0


@kernel
def _play_on(room, r):
    """The mover, asked by another seat, goes on: it takes what it can until its turn may end."""
    v, todo = room.boards[1], room.todo[1]
    for _ in range(DEPTH):
        todo[0], todo[1], todo[2], todo[3] = legal_actions(v, r)
        if v.mode == OVER or (v.mode == IDLE and todo[_OTHERS] & _END):
            return
        action = usual_answer(v, r, NOBODY)
        if action < 0:
            action = pop(todo, v.mode == CAPTURING)
        if action < 0:
            return
        apply(v, r, action)


@kernel
def _follow_answers(room, r):
    """A question inside the turn of another seat: what yes leaves, and what no."""
    legal = legal_actions(room.boards[0], r)
    for n in range(choices.count(legal)):
        action = choices.nth(legal, n)
        room.boards[1] = room.boards[0]
        room.path[0] = action
        room.long[1] = 1
        if room.boards[1].mode != INSIST_ADD or action == YES:  # not to insist ends the turn
            apply(room.boards[1], r, action)
            _play_on(room, r)
        _keep(room, r, 1, np.uint64(action))


@kernel
def list_outcomes(room, r, seat, limit):
    """The tables that the seat, which has to decide in room.boards[0], can leave; returns how many there are."""
    tally, v = room.tally[0], room.boards[0]
    tally.tried, tally.found, tally.cut = 0, 0, 0
    room.long[0] = 0
    for pile in range(r.players):
        room.piles[pile] = v.piles[pile]
    if v.to_move == seat:
        _follow_turn(room, r, seat, limit)
    else:
        _follow_answers(room, r)
    return tally.found


@entry
def outcomes_of(record, rules, room, limit):
    """The same, called by Python, for the seat that decides in a record of its view."""
    room.boards[0] = record[0]
    return list_outcomes(room, rules[0], record[0].actor, limit)
