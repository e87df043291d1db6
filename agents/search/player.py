"""A player inside a kernel, a bot or a network: search asks it for priors, and lets it play games to the end."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from agents.policy.choice import sample_index, softmax
from agents.policy.mlp import Thought, spread_values, think
from agents.scripted.choosing import Room, favourites, pick
from casino_env.engine import choices
from casino_env.engine.jit import kernel
from casino_env.engine.reading import side_of
from casino_env.engine.rng import uniform
from casino_env.knowledge.observation import write
from casino_env.knowledge.view import PERFECT, see

Array = np.ndarray[Any, Any]


class Player(NamedTuple):
    """A record for kernels, with room to work in. Without weights it is the bot."""

    bot: Array
    room: Room
    theta: Array
    shape: Array
    plan: Array  # the layout of what the network reads
    thought: Thought
    unit: float  # points that one unit of its values stands for
    prior: Array  # how much it likes each action of the position last asked about; only legal ones count


@kernel
def _liked(world, r, player, legal):
    """The actions between which the bot is indifferent, looking from the seat that decides."""
    seat, bot = np.int64(world.actor), player.bot[0]
    if not bot.blind:
        player.room.boards[0] = world
        see(world, r, seat, PERFECT, player.room.boards[0])
    return favourites(player.room, r, bot, seat, legal)


@kernel
def _think(world, r, player, many):
    """The network looks from the seat that decides: logits of the many listed actions, and values."""
    seat, view, thought = np.int64(world.actor), player.room.boards[0], player.thought
    player.room.boards[0] = world
    see(world, r, seat, PERFECT, view)
    count = write(view, r, player.plan[0], seat, thought.indices)
    think(player.theta, player.shape, thought.indices, count, thought.actions, many, thought)


@kernel
def _weigh(world, r, player, legal):
    """The network's chances of the legal actions, which it lists; returns how many there are."""
    thought = player.thought
    many = choices.listed(legal, thought.actions)
    _think(world, r, player, many)
    softmax(thought.logits, many, 1.0, thought.chances)
    return many


@kernel
def foresee(world, r, player, result):
    """By side, how many points more than the others the network expects at the end of the deal."""
    _think(world, r, player, 0)
    spread_values(player.thought.values, player.shape, r.sides, side_of(r, np.int64(world.actor)), result)
    for side in range(r.sides):
        result[side] *= player.unit


@kernel
def prefer(world, r, player, legal):
    """Fill prior: 1 or 0 by a bot, its chances by a network."""
    actions = player.thought.actions
    if player.theta.shape[0]:
        for k in range(_weigh(world, r, player, legal)):
            player.prior[actions[k]] = player.thought.chances[k]
        return
    liked = _liked(world, r, player, legal)
    for k in range(choices.listed(legal, actions)):
        player.prior[actions[k]] = 1.0 if choices.has(liked, actions[k]) else 0.0


@kernel
def choose(world, r, player, legal, rng):
    """What it plays."""
    if player.theta.shape[0]:
        many = _weigh(world, r, player, legal)
        return player.thought.actions[sample_index(player.thought.chances, many, uniform(rng))]
    return pick(_liked(world, r, player, legal), rng)
