"""A player inside a kernel, a bot or a network: search asks it for priors, and lets it play games to the end.

A network that judges tables plans complete turns: one list of what can be left says what it likes, what it plays until
the turn is over, and what it expects.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.policy.choice import sample_index, softmax
from casino_env.agents.policy.mlp import CHOICES, Thought, spread_values, think
from casino_env.agents.policy.tables import Judge, Judged, draw_table, judge_tables
from casino_env.agents.scripted.choosing import Room, favourites, pick
from casino_env.compiler.jit import kernel
from casino_env.engine import action_set
from casino_env.engine.afterstates import LIMIT, follow, step_of
from casino_env.engine.reading import side_of
from casino_env.engine.turn import decide, play_forced
from casino_env.knowledge.encode import encode
from casino_env.knowledge.view import PERFECT, make_view
from casino_env.rng import uniform

Array = np.ndarray[Any, Any]

_TRIED = LIMIT // 4  # tables of a turn: what a crowded one leaves out seldom is the best


class Player(NamedTuple):
    """A record for kernels, with room to work in. Without weights it is the bot."""

    bot: Array  # of a network that judges tables the one that plays at random: it decides where there are none
    room: Room
    judge: Judge  # the network, and the layout of what it reads
    thought: Thought
    judged: Judged
    temperature: float  # of its chances: of logits, or of tables in units
    prior: Array  # how much it likes each action of the position last asked about; only legal ones count


# --- bots ------------------------------------------------------------------------------------------------------------


@kernel
def _liked(world, r, player, legal):
    """The actions between which the bot is indifferent, looking from the seat that decides."""
    seat, bot = np.int64(world.actor), player.bot[0]
    if not bot.blind:
        player.room.boards[0] = world
        make_view(world, r, seat, PERFECT, player.room.boards[0])
    return favourites(player.room, r, bot, seat, legal)


# --- networks that judge actions -------------------------------------------------------------------------------------


@kernel
def _think(world, r, player, many):
    """The network looks from the seat that decides: logits of the many listed actions, and values."""
    seat, view, thought = np.int64(world.actor), player.room.boards[0], player.thought
    player.room.boards[0] = world
    make_view(world, r, seat, PERFECT, view)
    count = encode(view, r, player.judge.layout[0], seat, thought.indices)
    think(player.judge.theta, player.judge.shape, thought.indices, count, thought.actions, many, thought)


@kernel
def _weigh(world, r, player, legal):
    """The network's chances of the legal actions, which it lists; returns how many there are."""
    thought = player.thought
    many = action_set.listed(legal, thought.actions)
    _think(world, r, player, many)
    softmax(thought.logits, many, player.temperature, thought.chances)
    return many


# --- networks that judge tables --------------------------------------------------------------------------------------


@kernel
def plans_turns(player):
    """It is a network that judges tables."""
    return player.judge.theta.shape[0] > 0 and not player.judge.shape[CHOICES]


@kernel
def _plan(world, r, player):
    """List and judge the tables that the seat that decides can leave, as it sees the world; returns how many. Other
    players have none."""
    if not plans_turns(player):
        return 0
    seat, view = np.int64(world.actor), player.judged.outcomes.boards[0]
    player.judged.outcomes.boards[0] = world
    make_view(world, r, seat, PERFECT, view)
    return judge_tables(player.judged, r, player.judge, seat, _TRIED)


@kernel
def _first_actions(player, found):
    """The chances of tables, as those of the actions with which their turns begin."""
    judged = player.judged
    softmax(judged.worth, found, player.temperature, judged.chances)
    player.prior[:] = 0.0
    for k in range(found):
        player.prior[step_of(judged.outcomes.walk[0], k, 0)] += judged.chances[k]


# --- all of them -----------------------------------------------------------------------------------------------------


@kernel
def foresee(world, r, player, result):
    """By side, how many points more than the others the network expects at the end of the deal: of tables, what the
    best that can be left is worth."""
    seat, found, values = np.int64(world.actor), _plan(world, r, player), player.thought.values
    if found:
        values = player.judged.values[np.argmax(player.judged.worth[:found])]
    else:
        _think(world, r, player, 0)
    spread_values(values, player.judge.shape, r.sides, side_of(r, seat), result)
    for side in range(r.sides):
        result[side] *= player.judge.unit


@kernel
def prefer(world, r, player, legal):
    """Fill prior: 1 or 0 by a bot, its chances by a network."""
    actions, found = player.thought.actions, _plan(world, r, player)
    if found:
        _first_actions(player, found)
    elif player.judge.shape[CHOICES]:
        for k in range(_weigh(world, r, player, legal)):
            player.prior[actions[k]] = player.thought.chances[k]
    else:
        liked = _liked(world, r, player, legal)
        for k in range(action_set.listed(legal, actions)):
            player.prior[actions[k]] = 1.0 if action_set.has(liked, actions[k]) else 0.0


@kernel
def play_on(world, r, player, legal, rng):
    """It decides: an action, or a complete turn if it judges tables. Returns what is legal then."""
    found = _plan(world, r, player)
    if found:
        k = draw_table(player.judged, found, player.temperature, rng)
        follow(world, r, player.judged.outcomes.walk[0], k)
        return play_forced(world, r)
    if player.judge.shape[CHOICES]:
        many = _weigh(world, r, player, legal)
        return decide(world, r, player.thought.actions[sample_index(player.thought.chances, many, uniform(rng))])
    return decide(world, r, pick(_liked(world, r, player, legal), rng))
