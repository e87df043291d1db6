"""The exact solver inside a kernel, for whoever decides in many games: little memory, and a limit of positions.

Nothing is kept from one decision to the next, so that each depends on its position alone.
"""

from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.solver.alpha_beta import Knowledge, Stack, new_knowledge, new_stack
from casino_env.agents.solver.transpositions import NO_MOVE
from casino_env.agents.solver.value import begin, seek
from casino_env.compiler.jit import kernel, popcount
from casino_env.engine import action_set
from casino_env.engine.legal import legal_actions
from casino_env.engine.position_keys import Names, names_of

POSITIONS = 5000  # of one decision: some 10 ms
_LEVELS, _MEGABYTES = 256, 1 / 8


class LastCards(NamedTuple):
    """Room for the search."""

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
def best_action(room, r, v):
    """The best action where all cards are known; -1 if that takes too long to find out."""
    known = room.known
    known.table.keys[:] = 0
    known.table.entries[:] = 0
    known.history[:] = 0
    room.stack.games[0] = v
    room.stack.games[0].match = 0  # the deal is solved, not the match
    begin(room.stack, r)
    if not seek(room.stack, known, room.names, r, POSITIONS):
        return -1
    control = room.stack.control[0]
    if control.best != NO_MOVE:
        return control.best
    return control.promising if control.promising != NO_MOVE else action_set.nth(legal_actions(v, r), 0)
