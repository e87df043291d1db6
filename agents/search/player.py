"""Somebody who plays inside a kernel: a scripted bot or a network. Search asks it what it likes and lets it play on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from agents.policy.agent import Policy
from agents.policy.mlp import Shape, draw, list_actions, softmax, spread_values, think
from agents.scripted.agent import room
from agents.scripted.bots import BOTS, bot_record
from agents.scripted.choosing import choices, pick, uniform
from casino_env.actions import ACTIONS
from casino_env.engine.jit import kernel
from casino_env.engine.reading import side_of
from casino_env.knowledge.observation import write
from casino_env.knowledge.segments import make_layout
from casino_env.knowledge.view import PERFECT, see
from casino_env.rules import Rules, closest

Array = np.ndarray[Any, Any]

_NOBODY = Shape(1, (1,), 1)


class Player(NamedTuple):
    """A record for kernels, with room to work in. Without weights it is the bot."""

    bot: Array
    boards: Array
    todo: Array
    facts: Array
    scores: Array
    theta: Array
    shape: Array
    plan: Array  # the layout of what the network reads
    indices: Array
    actions: Array
    work: Array
    logits: Array
    chances: Array
    values: Array
    unit: float  # points that one unit of them stands for
    liked: Array  # by action, of the position last asked about; only legal ones count


def find_player(name: str) -> str | Policy:
    """A bot's name, or the policy of `policy:PATH`; raises ValueError."""
    kind, _, path = name.partition(":")
    if kind == "policy":
        return Policy(path)
    if name not in BOTS:
        raise ValueError(f"{name!r}{closest(name, list(BOTS))}; it must be policy:PATH or one of {', '.join(BOTS)}")
    return name


def make_player(who: str | Policy, rules: Rules) -> Player:
    layout = make_layout(rules)
    theta, shape, unit = np.zeros(0, np.float32), _NOBODY, 1.0
    if isinstance(who, Policy):
        layout, shape, theta = who.network(rules)
        unit = who.unit
    bot = bot_record(BOTS[who if isinstance(who, str) else "random"], rules)
    boards, todo, facts, scores, _ = room()
    return Player(
        bot, boards, todo, facts, scores, theta, shape.record, layout.record, np.zeros(layout.most, np.int16),
        np.zeros(ACTIONS, np.int64), np.zeros(sum(shape.hidden), np.float32), np.zeros(ACTIONS, np.float32),
        np.zeros(ACTIONS), np.zeros(shape.values, np.float32), unit, np.zeros(ACTIONS),
    )  # fmt: skip


@kernel
def _kept(world, r, player, words):
    """The actions between which the bot is indifferent, looking from the seat that decides."""
    seat, bot = np.int64(world.actor), player.bot[0]
    if not bot.blind:
        player.boards[0] = world
        see(world, r, seat, PERFECT, player.boards[0])
    return choices(player.boards, player.todo, r, player.facts[0], bot, seat, words, player.scores)


@kernel
def _think(world, r, player, many):
    """The network looks from the seat that decides: logits of the many listed actions, and values."""
    seat = np.int64(world.actor)
    player.boards[0] = world
    see(world, r, seat, PERFECT, player.boards[0])
    count = write(player.boards[0], r, player.plan[0], seat, player.indices)
    think(
        player.theta, player.shape, player.indices, count, player.actions, many, player.work, player.logits,
        player.values,
    )  # fmt: skip


@kernel
def _weigh(world, r, player, words):
    """The network's chances of the legal actions, which it lists; returns how many there are."""
    many = list_actions(words, player.actions)
    _think(world, r, player, many)
    softmax(player.logits, many, 1.0, player.chances)
    return many


@kernel
def foresee(world, r, player, result):
    """By side, how many points more than the others the network expects at the end of the deal."""
    _think(world, r, player, 0)
    spread_values(player.values, player.shape, r.sides, side_of(r, np.int64(world.actor)), result)
    for side in range(r.sides):
        result[side] *= player.unit


@kernel
def prefer(world, r, player, words):
    """Fill liked: 1 or 0 by a bot, its chances by a network."""
    if player.theta.shape[0]:
        for k in range(_weigh(world, r, player, words)):
            player.liked[player.actions[k]] = player.chances[k]
        return
    kept = _kept(world, r, player, words)
    for k in range(list_actions(words, player.actions)):
        action = player.actions[k]
        player.liked[action] = 1.0 if kept[action // 52] >> (action % 52) & 1 else 0.0


@kernel
def choose(world, r, player, words, rng):
    """What it plays."""
    if player.theta.shape[0]:
        many = _weigh(world, r, player, words)
        return player.actions[draw(player.chances, many, uniform(rng))]
    return pick(_kept(world, r, player, words), rng)
