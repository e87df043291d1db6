"""Self-play in kernels: games in which a learner decides, and others do on the seats that are not its own.

Every game has a stream of its own for what is drawn in it, so the result depends neither on the order in which games
are played nor on the number of threads.
"""

from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.policy.mlp import Thought, sample_index, softmax, spread_values, think
from casino_env.agents.scripted.choosing import BotWorkspace, favourites, pick
from casino_env.compiler.jit import entry, kernel
from casino_env.engine.action_set import from_row, listed, to_row
from casino_env.engine.reading import side_of
from casino_env.envs.batch import step
from casino_env.knowledge.encode import encode
from casino_env.knowledge.view import make_view
from casino_env.rng import uniform

Array = np.ndarray[Any, Any]

LEARNER = 0  # who decides on a seat; 1.. are the bots, after them the frozen networks


class Seats(NamedTuple):
    """Who sits where in games side by side."""

    control: Array  # [game, seat]: LEARNER or the number of an opponent
    random: Array  # [game, 1]: state of the stream of each game


class Sampling(NamedTuple):
    """How a network's logits become play."""

    temperature: float  # 1: as likely as they say; 0: the best one
    epsilon: float  # share of the decisions in which any legal action will do


class OpponentMix(NamedTuple):
    """Whom the learner meets."""

    shares: Array  # of the games: [0] the learner against itself, then each opponent; adds up to 1
    bots: Array
    pool: Array  # [network, weights]
    sampling: Sampling  # of the networks of the pool


class NetworkView(NamedTuple):
    """What networks see, and the weights of the learner's."""

    layout: Array  # the layout of the observation
    memory: int  # of face-down piles
    theta: Array
    shape: Array
    sampling: Sampling  # of the learner


class Workspace(NamedTuple):
    """Room to work in, for one thread."""

    bot: BotWorkspace
    thought: Thought


# --- who plays -----------------------------------------------------------------------------------------------------


@kernel
def seat_players(games, seats, mix, i):
    """Who plays the next game: the learner alone, or the learner on one side and an opponent on the others."""
    point, opponent = uniform(seats.random[i]), 0
    while opponent < mix.shares.shape[0] - 1 and point >= mix.shares[opponent]:
        point -= mix.shares[opponent]
        opponent += 1
    r = games.rules[0]
    side = np.int64(uniform(seats.random[i]) * r.sides)
    for seat in range(r.players):
        seats.control[i, seat] = LEARNER if side_of(r, seat) == side else opponent


@entry
def seat_all(games, seats, mix):
    for i in range(seats.control.shape[0]):
        seat_players(games, seats, mix, i)


# --- a decision ----------------------------------------------------------------------------------------------------


@kernel
def look_at(games, net, work, i, indices):
    """The view of the seat that decides on boards[0], its features in indices; returns their number."""
    view, seat = work.bot.stack, np.int64(games.actor[i])
    view[0] = games.records[i]
    make_view(games.records[i], games.rules[0], seat, net.memory, view[0])
    return encode(view[0], games.rules[0], net.layout[0], seat, indices)


@kernel
def sample_action(thought, many, sampling, rng):
    """Draws one of the legal actions by its logits; returns which."""
    softmax(thought.logits, many, sampling.temperature, thought.chances)
    if sampling.epsilon > 0.0:
        for k in range(many):
            thought.chances[k] = (1.0 - sampling.epsilon) * thought.chances[k] + sampling.epsilon / many
    return sample_index(thought.chances, many, uniform(rng))


@kernel
def _bot_action(games, seats, bots, net, work, i, number):
    g, r = games.records[i], games.rules[0]
    seat, bot = np.int64(g.actor), bots[number]
    work.bot.stack[0] = g
    if not bot.blind:
        make_view(g, r, seat, net.memory, work.bot.stack[0])
    return pick(favourites(work.bot, r, bot, seat, from_row(games.legal[i])), seats.random[i])


@kernel
def _frozen_action(games, seats, mix, net, work, i, number):
    t = work.thought
    count = look_at(games, net, work, i, t.indices)
    many = listed(games.legal[i], t.actions)
    think(mix.pool[number], net.shape, t.indices, count, t.actions, many, t)
    return t.actions[sample_action(t, many, mix.sampling, seats.random[i])]


@kernel
def _is_open(v, r):
    """At most one place holds cards that the seat has not seen: so it knows them all."""
    places = 1 if v.hidden_stock else 0
    for seat in range(r.players):
        places += 1 if v.hidden_hand[seat] else 0
    return places <= 1


@kernel
def write_down(games, seats, net, work, buffer, i, row, many):
    """Draws an action from the logits in the workspace and writes the decision down. Returns the action."""
    r, t = games.rules[0], work.thought
    seat = np.int64(games.actor[i])
    side = side_of(r, seat)
    chosen = sample_action(t, many, net.sampling, seats.random[i])
    to_row(from_row(games.legal[i]), buffer.legal[row])
    buffer.chosen[row] = chosen
    buffer.log_prob[row] = np.log(t.chances[chosen])
    spread_values(t.values, net.shape, r.sides, side, buffer.values[row])
    buffer.seat[row], buffer.side[row] = seat, side
    buffer.open[row] = _is_open(work.bot.stack[0], r)
    buffer.rewards[row, :] = 0.0
    buffer.done[row] = 0
    return t.actions[chosen]


@kernel
def _decide(games, seats, net, work, buffer, i, row):
    """The learner looks, thinks and draws an action. Returns the action."""
    t, indices = work.thought, buffer.indices[row]
    count = look_at(games, net, work, i, indices)
    buffer.counts[row] = count
    many = listed(games.legal[i], t.actions)
    think(net.theta, net.shape, indices, count, t.actions, many, t)
    return write_down(games, seats, net, work, buffer, i, row, many)


# --- games ---------------------------------------------------------------------------------------------------------


@kernel
def act(games, seats, mix, buffer, i, row, action):
    """An action. Its rewards belong to the row (-1: nobody's), unless its game had ended before."""
    step(games, i, action)
    r = games.rules[0]
    if row >= 0 and not buffer.done[row]:
        for side in range(r.sides):
            buffer.rewards[row, side] += games.rewards[i, side]
        buffer.done[row] = games.done[i]
    if games.done[i]:
        seat_players(games, seats, mix, i)


@kernel
def settle(games, seats, mix, net, work, buffer, i, row):
    """Others decide until the learner is asked in game i. What it earns meanwhile belongs to its row (-1: nobody's)."""
    bots = mix.bots.shape[0]
    while True:
        opponent = seats.control[i, games.actor[i]]
        if opponent == LEARNER or opponent > bots + mix.pool.shape[0]:
            return  # the learner is asked, or a network that no kernel runs
        if opponent <= bots:
            action = _bot_action(games, seats, mix.bots, net, work, i, opponent - 1)
        else:
            action = _frozen_action(games, seats, mix, net, work, i, opponent - 1 - bots)
        act(games, seats, mix, buffer, i, row, action)


@kernel
def end(games, net, work, buffer, i):
    """The values in the workspace are those of the position after the last row of game i."""
    r = games.rules[0]
    spread_values(work.thought.values, net.shape, r.sides, side_of(r, np.int64(games.actor[i])), buffer.last_values[i])


@entry
def play(games, seats, mix, net, work, buffer, lo, hi):
    """Fills the buffer's rows of the games lo to hi."""
    horizon = buffer.counts.shape[0] // games.records.shape[0]
    t = work.thought
    for i in range(lo, hi):
        settle(games, seats, mix, net, work, buffer, i, -1)  # only before the first of all rows is there anything to do
        for row in range(i * horizon, (i + 1) * horizon):
            act(games, seats, mix, buffer, i, row, _decide(games, seats, net, work, buffer, i, row))
            settle(games, seats, mix, net, work, buffer, i, row)
        count = look_at(games, net, work, i, t.indices)
        think(net.theta, net.shape, t.indices, count, t.actions, 0, t)
        end(games, net, work, buffer, i)
