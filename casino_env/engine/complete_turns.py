"""Complete turns: list all turns from a position, and follow one turn given as a list of actions."""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS, END
from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.compiler.jit import borrow_words, entry, give_back, highest, kernel, lowest, popcount
from casino_env.compiler.types import I16, I64, U64, Elements, I16x2, Sizes, Word
from casino_env.engine import action_set
from casino_env.engine.afterstates import DEPTH, Afterstates, afterstate_key, begin_keys
from casino_env.engine.legal import legal_actions
from casino_env.engine.piles import first_laid
from casino_env.engine.position_keys import START, add_record, key_place, mix, record_key
from casino_env.engine.state import (
    AS_BUILT,
    BUILD_ON_TOP,
    BUNDLE,
    CAPTURING,
    FACE_DOWN,
    IDLE,
    MAXIMAL,
    NEVER,
    OVER,
    RAISED,
    SEATS,
    SET,
    VALUES,
    Records,
    RulesRow,
)
from casino_env.engine.turn import apply

# === Following one turn ===============================================================================================


@kernel
def left_key(v, r, w):
    """Key of the position that a turn leaves, whether it has ended or not: equal for turns from the same start that
    nobody could tell apart, up to equal cards."""
    key = afterstate_key(v, r, w)
    if v.mode == IDLE:
        return key
    return mix(mix(mix(key, v.mode | v.actor << 4 | v.open_value << 8 | (v.winner + 2) << 12), v.picked), v.required)


@kernel
def _next_action(v, r, given):
    """The given action if legal, else the only legal one; -1 if there is neither or the turn would end."""
    legal = legal_actions(v, r)
    action = given
    if not action_set.has(legal, given):
        action = action_set.nth(legal, 0) if action_set.count(legal) == 1 else -1
    return -1 if action == END and v.mode == IDLE else action


@kernel
def follow_given(v, r, w, seat, given, path):
    """Play one turn of a seat on v, the position where it begins. Play the given actions (padded with -1), and forced
    actions between them whether given or not, until another seat decides or neither is left. Then close an open capture
    with END. Write a final END to path but do not apply it. Return (number of actions in path, key of the position they
    leave, whether all given actions were used and no choice is left).

    An answer inside another seat's turn is a single action, and serves as its own key.
    """
    begin_keys(v, r, w)
    if v.to_move != seat:
        path[0] = given[0]
        alone = given[1] < 0 and action_set.has(legal_actions(v, r), given[0])
        return 1, np.uint64(given[0]), alone
    step, count, many = 0, 0, given.shape[0]
    while count < path.shape[0] and v.mode != OVER and v.actor == seat:
        wanted = np.int64(given[step]) if step < many else -1
        action = _next_action(v, r, wanted if wanted >= 0 or v.mode == IDLE else END)
        if action < 0:
            break
        step += action == wanted
        apply(v, r, action)
        path[count] = action
        count += 1
    if count < path.shape[0] and v.mode == IDLE and v.actor == seat and action_set.has(legal_actions(v, r), END):
        path[count] = END
        count += 1
    if step < many and given[step] == END:
        step += 1
    asked = v.actor != seat and v.to_move == seat  # in its own turn: given actions may go on after the answer
    left = step < many and given[step] >= 0 and not asked
    over = v.actor != seat or v.mode == OVER or count == path.shape[0] or (count > 0 and path[count - 1] == END)
    return count, left_key(v, r, w), over and not left


@entry
def follow_turn(
    record: Records, rules: RulesRow, afterstates: Afterstates, given: I16, path: I16
) -> tuple[int, Word, int]:
    """Entry point for follow_given, for the seat that decides in its view. afterstates: workspace; its results stay."""
    v = afterstates.stack[DEPTH]
    afterstates.stack[DEPTH] = record[0]
    count, key, whole = follow_given(v, rules[0], afterstates.walk[0], record[0].actor, given, path)
    return count, key, 1 if whole else 0


# === Listing all turns ================================================================================================

# Where a path ends. WHOLE_TURN sees all cards and branches on the answers of other seats. AS_THE_SEAT_SEES stops where
# another seat decides or an unknown card appears. AT_REST stops when no set or capture is half done.
WHOLE_TURN, AS_THE_SEAT_SEES, AT_REST = 0, 1, 2
LISTED, NO_ROOM, TOO_MANY = 0, 1, 2  # outcomes of a listing

MOST_TURNS = 4_000  # listed for people; a crowded table has far more
# Positions searched within about a second; a tenth on crowded tables with insist_capture, where finding legal actions
# takes ten times as long.
_POSITIONS, _POSITIONS_AT_REST, _POSITIONS_AT_REST_CROWDED = 10_000, 3_000, 100
_CROWDED = 16  # a table with more loose cards is crowded

_WAY = 250  # most actions of a path
_FIRST_SIZE = 1 << 10  # initial places in the set of positions, a power of two
_MIDDLE = 1 << SET | 1 << RAISED | 1 << CAPTURING | 1 << MAXIMAL | 1 << BUNDLE

LISTING = np.dtype(
    [
        ("end", np.int64),  # where paths end: one of the above
        ("unsure", np.int64),  # set of cards whose order in their pile the seat does not know
        ("most", np.int64),  # most positions from one start; -1: the default for about a second
        ("todo", np.int64, (_WAY, action_set.PARTS)),  # by depth: actions not followed yet
        ("path", np.int16, _WAY),  # actions that lead to the current position
        ("found", np.int64),  # number of results
        ("ways", np.int64),  # number of complete paths
        ("positions", np.int64),  # searched from this start
        ("how", np.int64),  # LISTED, NO_ROOM or TOO_MANY
    ],
    align=True,
)


class Turns(NamedTuple):
    """The distinct results of turns, each with the shortest actions that lead there, and the search workspace."""

    stack: Annotated[Records, Sizes(_WAY + 1)]  # positions by depth
    listing: Annotated[Array, Elements(LISTING), Sizes(1)]
    records: Annotated[Records, Sizes("room")]  # the results in the order found
    keys: Annotated[U64, Sizes("room")]  # key of each result
    lengths: Annotated[I64, Sizes("room")]  # number of actions that lead to each
    paths: Annotated[I16x2, Sizes("kept", _WAY)]  # these actions; with 0 rows they are not kept


# --- keys of positions ------------------------------------------------------------------------------------------------


@kernel
def _list_key(g, key, top):
    """Mix the cards of a linked list, and where its sets begin, into a key."""
    while top >= 0:
        key = mix(key, top | (g.starts >> top & 1) << 6)
        top = g.below[top]
    return mix(key, 64)


@kernel
def _sets_key(g, top):
    """Hash the sets of a build, as card sets, whatever their order."""
    total, cards = np.uint64(0), 0
    while top >= 0:
        cards |= 1 << top
        if g.starts >> top & 1 or g.below[top] < 0:
            total += mix(START, cards)
            cards = 0
        top = g.below[top]
    return total


@kernel
def _builds_key(g, r, key):
    ordered = r.stacking == AS_BUILT or r.stacking == BUILD_ON_TOP
    for seat in range(r.players):
        key = mix(key, g.owned[seat])
    for value in range(1, VALUES):
        top = g.build_top[value]
        if top >= 0:
            key = _list_key(g, mix(key, value), top) if ordered else mix(mix(key, value), _sets_key(g, top))
    return key


@kernel
def result_key(g, r):
    """Key of a position between turns: equal for positions that nobody could tell apart."""
    key = mix(
        START,
        g.to_move | g.mode << 4 | g.round << 8 | (g.last_capture + 1) << 16 | (g.stock_top + 1) << 20
        | (g.winner + 2) << 28,
    )  # fmt: skip
    for seat in range(SEATS):
        key = mix(mix(key, g.hands[seat]), g.proven[seat] | g.sweeps[seat] << 16)
        key = mix(key, g.match_score[seat])  # the only difference once a turn has ended a deal and the next is dealt
        if r.stacking == FACE_DOWN:
            key = mix(key, g.piles[seat])
        else:
            top = g.pile_top[seat]
            while top >= 0:
                key = mix(key, top)
                top = g.below[top]
            key = mix(key, 64)
    rest = g.layout
    if r.stacking != AS_BUILT:
        return _builds_key(g, r, mix(key, rest))
    while rest:
        first = first_laid(g, rest)
        rest &= ~(1 << first)
        key = mix(key, first)
    return _builds_key(g, r, mix(key, 64))


@kernel
def _enlarged(table, size):
    """Move a set of keys to a table four times as large."""
    more = borrow_words(4 * size)
    for old in range(size):
        if table[old]:
            more[key_place(more, 4 * size, table[old])] = table[old]
    give_back(table)
    return more


# --- where a path ends ------------------------------------------------------------------------------------------------


@kernel
def _uncovers(before, after, unsure):
    """Whether a pile has lost a card and shows a top that the seat could not predict."""
    for pile in range(SEATS):
        top = after.pile_top[pile]
        if before.piles[pile] & ~after.piles[pile] and top >= 0 and unsure >> top & 1:
            return True
    return False


@kernel
def _same_turn(before, after):
    return before.turns == after.turns and before.deals == after.deals


@kernel
def _has_ended(listing, before, after, depth):
    if listing.end == WHOLE_TURN:
        return not _same_turn(before, after)
    if depth == 0:
        return False
    if listing.end == AT_REST:
        return not _MIDDLE >> after.mode & 1
    return not _same_turn(before, after) or before.actor != after.actor or _uncovers(before, after, listing.unsure)


@kernel
def _end_key(listing, stack, depth, r):
    """Key of the result where a path ends; never 0."""
    before, after = stack[0], stack[depth]
    over = not _same_turn(before, after) or before.actor != after.actor
    key = result_key(after, r) if over and listing.end != AT_REST else record_key(stack, depth)
    return np.int64(key | np.uint64(1))


# --- following all paths ----------------------------------------------------------------------------------------------


@kernel
def _open_actions(turns, r, depth, seen, size):
    """List the actions from here that lead to unseen positions; return how many there are."""
    stack, todo, fresh = turns.stack, turns.listing[0].todo[depth], 0
    legal = legal_actions(stack[depth], r)
    for back in range(action_set.PARTS):
        part = action_set.PARTS - 1 - back
        todo[part], rest = 0, legal[part]
        while rest:
            bit = highest(rest)
            rest &= ~(1 << bit)
            stack[depth + 1] = stack[depth]
            apply(stack[depth + 1], r, part * CARDS + bit)
            if add_record(seen, size, stack, depth + 1):
                todo[part] |= 1 << bit
                fresh += 1
    return fresh


@kernel
def _next_open(todo):
    """Remove the first action from the list and return it; -1 if none is left."""
    for part in range(action_set.PARTS):
        if todo[part]:
            bit = lowest(todo[part])
            todo[part] &= ~(1 << bit)
            return part * CARDS + bit
    return -1


@kernel
def _keep_result(turns, depth, key, known, size):
    """Store a result if it is new or has fewer actions. known: hash table of keys, then their result indices."""
    listing, place = turns.listing[0], key_place(known, size, key)
    k = known[size + place]
    if not known[place]:
        k = listing.found
        if k == turns.records.shape[0]:
            listing.how = NO_ROOM
            return
        known[place], known[size + place], turns.keys[k] = key, k, np.uint64(key)
        listing.found += 1
    elif depth >= turns.lengths[k]:
        return
    turns.records[k] = turns.stack[depth]
    turns.lengths[k] = depth
    if turns.paths.shape[0]:
        for step in range(depth):
            turns.paths[k, step] = listing.path[step]


@kernel
def _list_from(turns, r, known, room):
    """Search all paths from stack[0] depth first, in catalogue order, skipping positions already seen."""
    stack, listing, size, depth = turns.stack, turns.listing[0], _FIRST_SIZE, 0
    seen, action = borrow_words(size), 0
    listing.positions = 0
    while depth >= 0 and listing.how == LISTED:
        if action < 0:
            depth -= 1
        elif _has_ended(listing, stack[0], stack[depth], depth):
            listing.ways += 1
            _keep_result(turns, depth, _end_key(listing, stack, depth, r), known, room)
            depth -= 1
        else:
            if 2 * (listing.positions + ACTIONS) > size:
                seen = _enlarged(seen, size)
                size *= 4
            listing.positions += _open_actions(turns, r, depth, seen, size)
            if listing.positions > listing.most or depth == _WAY - 1:
                listing.how = TOO_MANY
        if depth >= 0:
            action = _next_open(listing.todo[depth])
        if depth >= 0 and action >= 0:
            listing.path[depth] = action
            stack[depth + 1] = stack[depth]
            apply(stack[depth + 1], r, action)
            depth += 1
    give_back(seen)


@kernel
def _most_positions(g, r, end):
    crowded = popcount(g.layout) > _CROWDED
    most = _POSITIONS
    if end == AT_REST:
        most = _POSITIONS_AT_REST_CROWDED if crowded else _POSITIONS_AT_REST
    return most // 10 if crowded and r.insist_capture != NEVER else most


@entry
def list_turns(starts: Records, rules: RulesRow, turns: Turns) -> int:
    """List the results of all turns from the starts, by the settings in `turns.listing`. Return LISTED, NO_ROOM (more
    results than `turns` can hold) or TOO_MANY (too many positions from one start)."""
    listing, room = turns.listing[0], 2
    while room < 2 * turns.records.shape[0]:
        room *= 2
    known = borrow_words(2 * room)
    if listing.most < 0:
        listing.most = _most_positions(starts[0], rules[0], listing.end)
    listing.found, listing.ways, listing.how = 0, 0, LISTED
    for i in range(starts.shape[0]):
        if listing.how == LISTED:
            turns.stack[0] = starts[i]
            _list_from(turns, rules[0], known, room)
    give_back(known)
    return listing.how


@entry
def key_of_result(record: Records, rules: RulesRow) -> Word:
    """The key by which list_turns tells turns of a record apart."""
    return result_key(record[0], rules[0]) | np.uint64(1)
