"""Self-play by complete turns, in kernels: the learner judges the tables that a turn can leave and draws one of them.

A row is a table that the learner has left. What it should have been judged as is a lambda-return, for every side: a
mixture of what the next tables of the same seat were judged as, and of how the deal ended. Other seats judge without
knowing what this one holds, so what they think of the tables between says too little of what this one can expect.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.policy.judging import Judge, Judged, draw_afterstate, judge_afterstates
from casino_env.agents.policy.mlp import entropy_of, spread_values
from casino_env.agents.scripted.choosing import BotWorkspace, favourites, pick
from casino_env.compiler.jit import entry, kernel
from casino_env.engine import action_set
from casino_env.engine.afterstates import LIMIT, follow
from casino_env.engine.deal import new_game
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import points_ahead
from casino_env.engine.state import OVER
from casino_env.engine.turn import apply
from casino_env.knowledge.view import make_view
from casino_env.rng import episode_seed
from casino_env.train.games.selfplay import LEARNER, seat_players

Array = np.ndarray[Any, Any]

TURNS = 64  # of a deal; each plays a card of at most 52


class Deals(NamedTuple):
    """Games side by side, each a stream of deals."""

    records: Array
    rules: Array  # one record
    seeds: Array  # of the stream of deals
    episodes: Array  # number of the next one in it


class TurnBuffer(NamedTuple):
    """Tables that the learner has left; those of deal i are the rows i * TURNS and on."""

    indices: Array  # [row, k]: features that are on
    counts: Array  # how many they are
    values: Array  # [row, side]: as it was judged
    targets: Array  # [row, side]
    seat: Array  # that left it
    side: Array  # its side
    used: Array  # [deal]: rows
    entropy: Array  # [deal]: of the choices, added up
    results: Array  # [deal, side]: in units


class Player(NamedTuple):
    """How the learner plays."""

    judge: Judge
    memory: int  # of face-down piles
    temperature: float  # in units
    td_lambda: float


class TurnWork(NamedTuple):
    """Room to work in, for one thread."""

    bot: BotWorkspace
    judged: Judged


def new_turn_buffer(deals: int, features: int, sides: int) -> TurnBuffer:
    rows = deals * TURNS
    return TurnBuffer(
        np.zeros((rows, features), np.int16), np.zeros(rows, np.int64), np.zeros((rows, sides), np.float32),
        np.zeros((rows, sides), np.float32), np.zeros(rows, np.int64), np.zeros(rows, np.int64),
        np.zeros(deals, np.int64), np.zeros(deals), np.zeros((deals, sides), np.float32),
    )  # fmt: skip


# --- one turn ------------------------------------------------------------------------------------------------------


@kernel
def _write_down(room, k, shape, r, seat, buffer, row):
    side = side_of(r, seat)
    buffer.seat[row], buffer.side[row] = seat, side
    spread_values(room.values[k], shape, r.sides, side, buffer.values[row])
    count = room.counts[k]
    buffer.counts[row] = count
    for j in range(count):
        buffer.indices[row, j] = room.indices[k, j]


@kernel
def _bot_action(g, r, bot, player, work, rng):
    seat = np.int64(g.actor)
    work.bot.stack[0] = g
    if not bot.blind:
        make_view(g, r, seat, player.memory, work.bot.stack[0])
    return pick(favourites(work.bot, r, bot, seat, legal_actions(g, r)), rng)


@kernel
def _judge_seat(g, r, player, theta, work):
    """What the seat that decides can leave, judged by these weights; returns how many tables."""
    board = work.judged.afterstates.stack[0]
    work.judged.afterstates.stack[0] = g
    make_view(g, r, np.int64(g.actor), player.memory, board)
    judge = Judge(player.judge.layout, theta, player.judge.shape, player.judge.value_scale)
    return judge_afterstates(work.judged, r, judge, np.int64(g.actor), LIMIT)


# --- deals ---------------------------------------------------------------------------------------------------------


@kernel
def _aim(player, buffer, i, seat, side):
    """The lambda-returns of a deal for a side, by what one seat thought, from its last row back."""
    follows = buffer.results[i, side]
    for row in range(i * TURNS + buffer.used[i] - 1, i * TURNS - 1, -1):
        if buffer.seat[row] == seat:
            buffer.targets[row, side] = follows
            follows = (1.0 - player.td_lambda) * buffer.values[row, side] + player.td_lambda * follows


@kernel
def decide(deals, seats, mix, player, work, buffer, i):
    """Somebody decides in deal i: a bot an action, a network a turn. Returns whether a row was filled."""
    g, r = deals.records[i], deals.rules[0]
    seat, rng = np.int64(g.actor), seats.random[i]
    who, bots = seats.control[i, seat], mix.bots.shape[0]
    if LEARNER < who <= bots:
        apply(g, r, _bot_action(g, r, mix.bots[who - 1], player, work, rng))
        return False
    theta = player.judge.theta if who == LEARNER else mix.pool[who - 1 - bots]
    room = work.judged
    found = _judge_seat(g, r, player, theta, work)
    if found == 0:
        apply(g, r, action_set.nth(legal_actions(g, r), 0))
        return False
    warmth = player.temperature if who == LEARNER else mix.sampling.temperature / player.judge.value_scale
    k = draw_afterstate(room, found, warmth, rng)
    mine = who == LEARNER and seat == g.to_move and room.counts[k] > 0
    if mine:
        row = i * TURNS + buffer.used[i]
        _write_down(room, k, player.judge.shape, r, seat, buffer, row)
        buffer.entropy[i] += entropy_of(room.chances, found)
    if follow(g, r, room.afterstates.walk[0], k) == 0:
        apply(g, r, action_set.nth(legal_actions(g, r), 0))
    return mine


@kernel
def _play_deal(deals, seats, mix, player, work, buffer, i):
    g, r = deals.records[i], deals.rules[0]
    new_game(g, r, episode_seed(deals.seeds[i], deals.episodes[i]), 0)
    deals.episodes[i] += 1
    seat_players(deals, seats, mix, i)
    buffer.used[i] = 0
    buffer.entropy[i] = 0.0
    written = False
    while g.mode != OVER:
        legal, turn = legal_actions(g, r), g.turns
        if action_set.count(legal) == 1:
            apply(g, r, action_set.nth(legal, 0))
        else:
            written = decide(deals, seats, mix, player, work, buffer, i) or written
        if written and (g.turns != turn or g.mode == OVER):  # the row is that of the last plan of the turn
            buffer.used[i] += 1
            written = False
    for side in range(r.sides):
        buffer.results[i, side] = points_ahead(g, r, side) / player.judge.value_scale
    for seat in range(r.players):
        for side in range(r.sides):
            _aim(player, buffer, i, seat, side)


@entry
def play_turns(deals, seats, mix, player, work, buffer, lo, hi):
    """A deal in each of the games lo to hi."""
    for i in range(lo, hi):
        _play_deal(deals, seats, mix, player, work, buffer, i)
