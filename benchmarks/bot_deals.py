"""Whole deals of a scripted bot inside one kernel."""

import numpy as np

from casino_env.agents.scripted.choosing import favourites, pick
from casino_env.compiler.jit import entry
from casino_env.engine.deal import new_game
from casino_env.engine.state import OVER
from casino_env.engine.turn import decide, play_forced
from casino_env.knowledge.view import PERFECT, make_view


@entry
def play_deals(games, rules, bots, room, rng, seed, deals):
    """Some deals with one bot in all seats. Returns the number of decisions."""
    g, r, w = games[0], rules[0], bots[0]
    decisions = 0
    for deal in range(deals):
        new_game(g, r, seed + deal, 0)
        legal = play_forced(g, r)
        while g.mode != OVER:
            seat = np.int64(g.actor)
            if not w.blind:
                room.stack[0] = g
                make_view(g, r, seat, PERFECT, room.stack[0])
            legal = decide(g, r, pick(favourites(room, r, w, seat, legal), rng))
            decisions += 1
    return decisions
