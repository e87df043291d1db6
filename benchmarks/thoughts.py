"""The kernels of the benchmark of training: each does one part of what a learner does while it plays."""

import numpy as np

from casino_env.agents.deciding import encode_seat, look
from casino_env.agents.policy.judging import judge_afterstates
from casino_env.agents.policy.mlp import think
from casino_env.compiler.jit import entry
from casino_env.engine import action_set
from casino_env.engine.action_set import listed
from casino_env.engine.afterstates import LIMIT, list_afterstates
from casino_env.engine.deal import new_game
from casino_env.engine.legal import legal_actions
from casino_env.engine.state import OVER
from casino_env.engine.turn import apply
from casino_env.knowledge.encode import encode
from casino_env.rng import episode_seed
from casino_env.train.rollouts.by_turns import play_decision
from casino_env.train.rollouts.selfplay import seat_players

# --- learners that judge actions -------------------------------------------------------------------------------------


@entry
def encode_all(games, player, work):
    """What the seats see that decide in games side by side."""
    for i in range(games.records.shape[0]):
        encode_seat(games.records[i], games.rules[0], player, work.thought)


@entry
def think_all(theta, shape, buffer, thought):
    """What the network says of all that a buffer holds."""
    for row in range(buffer.counts.shape[0]):
        many = listed(buffer.legal[row], thought.actions)
        think(theta, shape, buffer.indices[row], buffer.counts[row], thought.actions, many, thought)


# --- learners that judge tables --------------------------------------------------------------------------------------


@entry
def record_decisions(deals, seats, mix, player, work, buffer, positions):
    """Play deals as a collector does, and keep the positions in which somebody decides; returns how many they are."""
    kept, r = 0, deals.rules[0]
    for i in range(deals.records.shape[0]):
        g = deals.records[i]
        new_game(g, r, episode_seed(deals.seeds[i], deals.episodes[i]), 0)
        seat_players(deals, seats, mix, i)
        buffer.used[i] = 0
        while g.mode != OVER and kept < positions.shape[0]:
            legal = legal_actions(g, r)
            if action_set.count(legal) == 1:
                apply(g, r, action_set.nth(legal, 0))
                continue
            positions[kept] = g
            kept += 1
            play_decision(deals, seats, mix, player, legal, work, buffer, i)
    return kept


@entry
def see_all(positions, r, player, views):
    for k in range(positions.shape[0]):
        look(positions[k], r[0], player.memory, views[k : k + 1])


@entry
def list_all(views, r, room):
    """The tables that each seat can leave; returns how many all of them can."""
    records = 0
    for k in range(views.shape[0]):
        room.afterstates.stack[0] = views[k]
        records += list_afterstates(room.afterstates, r[0], np.int64(views[k].actor), LIMIT)
    return records


@entry
def write_all(views, r, player, room):
    """The same, and the features of each table."""
    for k in range(views.shape[0]):
        room.afterstates.stack[0] = views[k]
        seat = np.int64(views[k].actor)
        for table in range(list_afterstates(room.afterstates, r[0], seat, LIMIT)):
            if room.afterstates.records[table].mode != OVER:
                encode(room.afterstates.records[table], r[0], player.judge.layout[0], seat, room.indices[table])


@entry
def judge_all(views, r, player, room):
    """The same, and what the network says of each table."""
    for k in range(views.shape[0]):
        room.afterstates.stack[0] = views[k]
        judge_afterstates(room, r[0], player.judge, np.int64(views[k].actor), LIMIT)
