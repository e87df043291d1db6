"""Complete turns: the turn that some actions make, with what is forced, and a key of what it leaves."""

import numpy as np

from casino_env.actions import END
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import I16, Word
from casino_env.engine import action_set
from casino_env.engine.afterstates import DEPTH, Afterstates, afterstate_key
from casino_env.engine.legal import legal_actions
from casino_env.engine.position_keys import mix
from casino_env.engine.state import IDLE, OVER, Records, RulesRow
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
    are in path, the key of what they leave).

    An answer inside the turn of another seat is one action, and its own key.
    """
    for pile in range(r.players):
        w.piles[pile] = v.piles[pile]
    if v.to_move != seat:
        path[0] = given[0]
        return 1, np.uint64(given[0])
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
    return count, left_key(v, r, w)


@entry
def follow_turn(record: Records, rules: RulesRow, afterstates: Afterstates, given: I16, path: I16) -> tuple[int, Word]:
    """The same for the seat that decides in a record of its view. afterstates: a workspace, of which lists stay."""
    v = afterstates.stack[DEPTH]
    afterstates.stack[DEPTH] = record[0]
    return follow_given(v, rules[0], afterstates.walk[0], record[0].actor, given, path)
