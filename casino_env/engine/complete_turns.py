"""Complete turns: all that there are from a position, and the one that some actions make with what is forced."""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS, END
from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.compiler.jit import borrow_words, entry, give_back, highest, kernel, lowest, popcount
from casino_env.compiler.types import I16, I64, U64, Elements, I16x2, Sizes, Word
from casino_env.engine import action_set
from casino_env.engine.afterstates import DEPTH, Afterstates, afterstate_key
from casino_env.engine.legal import legal_actions
from casino_env.engine.piles import first_laid
from casino_env.engine.position_keys import START, add_record, find_equals, key_place, mix, record_key
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
    """Equal for what turns from the same position leave, their end aside, if nobody could tell it apart but for the
    names of equal cards."""
    key = afterstate_key(v, r, w)
    if v.mode == IDLE:
        return key
    return mix(mix(mix(key, v.mode | v.actor << 4 | v.open_value << 8 | (v.winner + 2) << 12), v.picked), v.required)


@kernel
def _next_action(v, r, given):
    """The given action if it is legal; else the only legal one; -1 if there is neither, or the turn would end."""
    legal = legal_actions(v, r)
    action = given
    if not action_set.has(legal, given):
        action = action_set.nth(legal, 0) if action_set.count(legal) == 1 else -1
    return -1 if action == END and v.mode == IDLE else action


@kernel
def follow_given(v, r, w, seat, given, path):
    """Play the turn of a seat on v, which begins it: the given actions (-1 after the last), and the forced ones
    between them whether they are given or not. It goes on until another seat decides, or until nothing of that is
    left; then an open capture is closed. The END of the turn is written down but not played. Returns (how many actions
    are in path, the key of what they leave, whether that is all that was given and nothing is left to choose).

    An answer inside the turn of another seat is one action, and its own key.
    """
    find_equals(r, w.same)
    for pile in range(r.players):
        w.piles[pile] = v.piles[pile]
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
    asked = v.actor != seat and v.to_move == seat  # inside its turn: what it does afterwards may be given, too
    left = step < many and given[step] >= 0 and not asked
    over = v.actor != seat or v.mode == OVER or count == path.shape[0] or (count > 0 and path[count - 1] == END)
    return count, left_key(v, r, w), over and not left


@entry
def follow_turn(
    record: Records, rules: RulesRow, afterstates: Afterstates, given: I16, path: I16
) -> tuple[int, Word, int]:
    """The same for the seat that decides in a record of its view. afterstates: a workspace, of which lists stay."""
    v = afterstates.stack[DEPTH]
    afterstates.stack[DEPTH] = record[0]
    count, key, whole = follow_given(v, rules[0], afterstates.walk[0], record[0].actor, given, path)
    return count, key, 1 if whole else 0


# === Listing all turns ================================================================================================

# Where a way ends. All cards are looked at, so the answers of other seats are branches; a seat stops where another one
# decides or where it sees a card that it did not know; at rest no set or capture is half done.
WHOLE_TURN, AS_THE_SEAT_SEES, AT_REST = 0, 1, 2
LISTED, NO_ROOM, TOO_MANY = 0, 1, 2  # how listing ends

MOST_TURNS = 4_000  # that are listed for people; crowded tables have turns without number
# Positions that are looked at within a second; with crowds of loose cards where captures must take all they can, whose
# legal actions take ten times as long to find, a tenth of these.
_POSITIONS, _POSITIONS_AT_REST, _POSITIONS_AT_REST_CROWDED = 10_000, 3_000, 100
_CROWDED = 16  # loose cards; with more it is

_WAY = 250  # actions
_FIRST_SIZE = 1 << 10  # of the set of positions, a power of two
_MIDDLE = 1 << SET | 1 << RAISED | 1 << CAPTURING | 1 << MAXIMAL | 1 << BUNDLE

LISTING = np.dtype(
    [
        ("end", np.int64),  # where ways end: one of the above
        ("unsure", np.int64),  # cards whose order in their piles the seat does not know
        ("most", np.int64),  # positions that are looked at from one start; -1: as many as are within a second
        ("todo", np.int64, (_WAY, action_set.PARTS)),  # the actions that have not been followed at each position
        ("path", np.int16, _WAY),  # the actions that lead to the last one
        ("found", np.int64),  # results
        ("ways", np.int64),  # that end
        ("positions", np.int64),  # from one start
        ("how", np.int64),  # LISTED, NO_ROOM or TOO_MANY
    ],
    align=True,
)


class Turns(NamedTuple):
    """What turns leave, each with the shortest actions that lead there, and the workspace to find it."""

    stack: Annotated[Records, Sizes(_WAY + 1)]  # positions on the way
    listing: Annotated[Array, Elements(LISTING), Sizes(1)]
    records: Annotated[Records, Sizes("room")]  # the results, in the order in which they are found
    keys: Annotated[U64, Sizes("room")]  # of each
    lengths: Annotated[I64, Sizes("room")]  # actions that lead to each
    paths: Annotated[I16x2, Sizes("kept", _WAY)]  # these actions; without rows they are not kept


# --- telling positions apart ------------------------------------------------------------------------------------------


@kernel
def _list_key(g, key, top):
    """Mixes the cards of a list into a key, and where its sets begin."""
    while top >= 0:
        key = mix(key, top | (g.starts >> top & 1) << 6)
        top = g.below[top]
    return mix(key, 64)


@kernel
def _sets_key(g, top):
    """A word for the sets of a build in any order, as the cards in each."""
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
    """Equal for positions between turns that nobody could tell apart."""
    key = mix(
        START,
        g.to_move | g.mode << 4 | g.round << 8 | (g.last_capture + 1) << 16 | (g.stock_top + 1) << 20
        | (g.winner + 2) << 28,
    )  # fmt: skip
    for seat in range(SEATS):
        key = mix(mix(key, g.hands[seat]), g.proven[seat] | g.sweeps[seat] << 16)
        key = mix(key, g.match_score[seat])  # all that differs where the turn ends a deal and the next one is dealt
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
    """The same set with four times the places."""
    more = borrow_words(4 * size)
    for old in range(size):
        if table[old]:
            more[key_place(more, 4 * size, table[old])] = table[old]
    give_back(table)
    return more


# --- where a way ends -------------------------------------------------------------------------------------------------


@kernel
def _uncovers(before, after, unsure):
    """A pile has given a card, and another one could lie on top of it now."""
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
    """Of where a way ends; not 0."""
    before, after = stack[0], stack[depth]
    over = not _same_turn(before, after) or before.actor != after.actor
    key = result_key(after, r) if over and listing.end != AT_REST else record_key(stack, depth)
    return np.int64(key | np.uint64(1))


# --- following all ways -----------------------------------------------------------------------------------------------


@kernel
def _open_actions(turns, r, depth, seen, size):
    """List the actions that lead from here to positions which have not been met; returns how many these are."""
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
    """Take the first action off the list; -1 if there is none."""
    for part in range(action_set.PARTS):
        if todo[part]:
            bit = lowest(todo[part])
            todo[part] &= ~(1 << bit)
            return part * CARDS + bit
    return -1


@kernel
def _keep_result(turns, depth, key, known, size):
    """A result, if it is new or reached by fewer actions than before. known: keys, then the numbers of results."""
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
    """All ways from stack[0]: depth first, in the order of the catalogue, positions that have been met passed over."""
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
    """The results of all ways from the starts, by the settings in `turns.listing`; returns how it ended: LISTED,
    NO_ROOM (there are more results than `turns` has room for) or TOO_MANY (positions from one start)."""
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
    """As turns are told apart by list_turns."""
    return result_key(record[0], rules[0]) | np.uint64(1)
