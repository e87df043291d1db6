"""Best replies in games small enough to walk every line of play: all decisions, and what a best reply wins.

The responder knows how the other seat plays, but sees only its own view. Deals in which its view is the same, its
*worlds*, go down the tree together. Where it decides, the same action is played in all of them; where the other seat
decides, each world's weight is multiplied by the chance of the action there. Worlds separate once their views differ.
Only the path from the deal to the current node is kept.
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import F64, I64, Elements, I64x2, Sizes
from casino_env.engine import action_set
from casino_env.engine.legal import legal_actions
from casino_env.engine.position_keys import key_place, record_key
from casino_env.engine.scoring import points_ahead
from casino_env.engine.state import OVER, Records, RulesRow
from casino_env.engine.turn import apply, play_forced
from casino_env.knowledge.view import PERFECT, make_view

LEVELS = 128  # most actions of a deal
PLACES = 1 << 23  # slots of the hash set: at least twice the number of views
ROOM = 1 << 16  # most new views in a deal
NO_ROOM, TOO_LONG = -1, -2  # results of a walk that had to stop
_WORST = -1e9


class InfoSets(NamedTuple):
    """The views in which a seat has a choice, each once."""

    keys: Annotated[I64, Sizes(PLACES)]  # a hash set
    first: Annotated[I64, Sizes(PLACES)]  # by slot: index of the view's first chance, one for each legal action
    found: Annotated[I64, Sizes(2)]  # number of views, number of chances
    # the latest views, until the caller takes them
    new: Annotated[I64, Sizes(1)]
    views: Annotated[Records, Sizes(ROOM)]
    legal: Annotated[I64x2, Sizes(ROOM, action_set.PARTS)]
    # the path of the walk
    games: Annotated[Records, Sizes(LEVELS)]
    todo: Annotated[I64x2, Sizes(LEVELS, action_set.PARTS)]  # actions not yet followed
    view: Annotated[Records, Sizes(1)]


@kernel
def _place(g, r, seat, view, keys):
    """Return (the slot of a seat's view in a hash set of keys, its key)."""
    view[0] = g
    make_view(g, r, seat, PERFECT, view[0])
    key = np.int64(record_key(view, 0)) | 1
    return key_place(keys, keys.shape[0], key), key


@kernel
def _note(d, g, r, legal):
    """Add the deciding seat's view unless it is there; return false if there is no room."""
    place, key = _place(g, r, g.actor, d.view, d.keys)
    if d.keys[place]:
        return True
    row = d.new[0]
    if row >= ROOM or 2 * d.found[0] >= PLACES:
        return False
    d.keys[place], d.first[place] = key, d.found[1]
    d.found[0] += 1
    d.found[1] += action_set.count(legal)
    d.views[row] = d.view[0]
    action_set.to_row(legal, d.legal[row])
    d.new[0] = row + 1
    return True


@entry
def find_decisions(deal: Records, rules: RulesRow, decisions: InfoSets) -> int:
    """Walk all lines of a deal; return its histories (choices and ends, not forced actions) or NO_ROOM, TOO_LONG."""
    d, r, level, histories = decisions, rules[0], -1, 0
    action = -1
    while True:
        if level + 1 >= LEVELS:
            return TOO_LONG
        g = d.games[level + 1]
        d.games[level + 1] = deal[0] if level < 0 else d.games[level]
        if action >= 0:
            apply(g, r, action)
        level += 1
        histories += 1
        legal = play_forced(g, r)
        action_set.to_row(legal, d.todo[level])
        if g.mode != OVER and not _note(d, g, r, legal):
            return NO_ROOM
        action = action_set.nth(action_set.from_row(d.todo[level]), 0)
        while action < 0:
            level -= 1
            if level < 0:
                return histories
            action = action_set.nth(action_set.from_row(d.todo[level]), 0)
        d.todo[level, action // CARDS] &= ~(1 << action % CARDS)


# --- the reply -------------------------------------------------------------------------------------------------------

FRAME = np.dtype(
    [
        ("start", np.int64),  # the node's worlds: start to before end
        ("end", np.int64),
        ("base", np.int64),  # the worlds after its current action: base to before top
        ("top", np.int64),
        ("group", np.int64),  # the first of these not yet followed
        ("todo", np.int64, action_set.PARTS),  # actions not yet followed
        ("mine", np.int64),  # 1: the responder decides
        ("sum", np.float64),  # value of the groups after this action
        ("value", np.float64),
    ],
    align=True,
)


class Worlds(NamedTuple):
    """The worlds of every node on the path."""

    games: Annotated[Records, Sizes("worlds")]
    weights: Annotated[F64, Sizes("worlds")]  # chance of each world if the responder plays what leads there
    keys: Annotated[I64, Sizes("worlds")]  # of the responder's views
    first: Annotated[I64, Sizes("worlds")]  # index of the other seat's first chance; -1: it has no choice
    legal: Annotated[I64x2, Sizes("worlds", action_set.PARTS)]
    frames: Annotated[Array, Elements(FRAME), Sizes(LEVELS)]


@kernel
def _ahead(w, r, start, end, seat):
    """Return the weighted points of worlds in which the deal is over."""
    total = 0.0
    for i in range(start, end):
        total += w.weights[i] * points_ahead(w.games[i], r, seat)
    return total


@kernel
def _enter(w, d, r, level, start, end, base, seat):
    """Enter a node with a decision: set up its frame."""
    f = w.frames[level]
    f.start, f.end, f.base, f.top, f.group = start, end, base, base, base
    f.mine = w.games[start].actor == seat
    f.sum, f.value = 0.0, _WORST if f.mine else 0.0
    f.todo[:] = 0
    for i in range(start, end):
        legal = legal_actions(w.games[i], r)
        action_set.to_row(legal, w.legal[i])
        for part in range(action_set.PARTS):
            f.todo[part] |= legal[part]
        w.first[i] = -1
        if not f.mine and action_set.count(legal) > 1:
            place, _ = _place(w.games[i], r, w.games[i].actor, d.view, d.keys)
            w.first[i] = d.first[place]


@kernel
def _swap(w, i, j, spare):
    if i != j:
        spare[0] = w.games[i]
        w.games[i] = w.games[j]
        w.games[j] = spare[0]
        w.weights[i], w.weights[j] = w.weights[j], w.weights[i]
        w.keys[i], w.keys[j] = w.keys[j], w.keys[i]


@kernel
def _follow(w, d, r, f, action, chances, seat):
    """Play an action in the worlds; then group together those that look alike to the responder."""
    f.top, f.group, f.sum = f.base, f.base, 0.0
    for i in range(f.start, f.end):
        legal = action_set.from_row(w.legal[i])
        if not action_set.has(legal, action):
            continue
        chance = 1.0 if w.first[i] < 0 else chances[w.first[i] + action_set.rank(legal, action)]
        if chance > 0.0:
            j = f.top
            w.games[j] = w.games[i]
            w.weights[j] = w.weights[i] * chance
            apply(w.games[j], r, action)
            _, w.keys[j] = _place(w.games[j], r, seat, d.view, d.keys)
            f.top += 1
    done = f.base
    while done < f.top:
        key, next_one = w.keys[done], done + 1
        for i in range(done + 1, f.top):
            if w.keys[i] == key:
                _swap(w, i, next_one, d.view)
                next_one += 1
        done = next_one


@entry
def best_reply(worlds: Worlds, count: int, rules: RulesRow, decisions: InfoSets, chances: F64, seat: int) -> float:
    """Return the value of a seat's best reply, in points times weights, in the first `count` worlds, which look alike
    to the seat; NaN if a deal has too many actions.

    chances: of the legal actions of each view, one view after the other. worlds: room for LEVELS * count is enough.
    """
    w, d, r, level = worlds, decisions, rules[0], 0
    _enter(w, d, r, 0, 0, count, count, seat)
    while True:
        f = w.frames[level]
        if f.group < f.top:
            start = f.group
            while f.group < f.top and w.keys[f.group] == w.keys[start]:
                f.group += 1
            if w.games[start].mode == OVER:
                f.sum += _ahead(w, r, start, f.group, seat)
            else:
                if level + 1 >= LEVELS:
                    return np.nan
                _enter(w, d, r, level + 1, start, f.group, f.top, seat)
                level += 1
            continue
        if f.top > f.base:  # an action has been followed
            f.value = max(f.value, f.sum) if f.mine else f.value + f.sum
        action = action_set.nth(action_set.from_row(f.todo), 0)
        if action >= 0:
            f.todo[action // CARDS] &= ~(1 << action % CARDS)
            _follow(w, d, r, f, action, chances, seat)
        elif level == 0:
            return f.value
        else:
            level -= 1
            w.frames[level].sum += f.value
