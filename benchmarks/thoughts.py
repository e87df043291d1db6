"""Kernels for the benchmark of training: each does one part of a learner's work during self-play."""

import numpy as np

from casino_env.agents.deciding import encode_seat, look
from casino_env.agents.policy.judging import judge_afterstates
from casino_env.agents.policy.mlp import think
from casino_env.compiler.jit import kernel
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


@kernel
def encode_all(games, player, work):
    """Encode the observation of the deciding seat in each game."""
    for i in range(games.records.shape[0]):
        encode_seat(games.records[i], games.rules[0], player, work.thought)


@kernel
def think_all(theta, shape, buffer, thought):
    """Run the network's forward pass on all rows of a buffer."""
    for row in range(buffer.counts.shape[0]):
        many = listed(buffer.legal[row], thought.actions)
        think(theta, shape, buffer.indices[row], buffer.counts[row], thought.actions, many, thought)


# --- learners that judge afterstates ---------------------------------------------------------------------------------


@kernel
def record_decisions(deals, seats, mix, player, work, buffer, positions):
    """Play deals as in self-play, and keep the positions with a decision; return their number."""
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


@kernel
def see_all(positions, r, player, views):
    for k in range(positions.shape[0]):
        look(positions[k], r[0], player.memory, views[k : k + 1])


@kernel
def list_all(views, r, room):
    """List the afterstates of each view; return their total number."""
    records = 0
    for k in range(views.shape[0]):
        room.afterstates.stack[0] = views[k]
        records += list_afterstates(room.afterstates, r[0], np.int64(views[k].actor), LIMIT)
    return records


@kernel
def write_all(views, r, player, room):
    """List the afterstates of each view, and encode them."""
    for k in range(views.shape[0]):
        room.afterstates.stack[0] = views[k]
        seat = np.int64(views[k].actor)
        for table in range(list_afterstates(room.afterstates, r[0], seat, LIMIT)):
            if room.afterstates.records[table].mode != OVER:
                encode(room.afterstates.records[table], r[0], player.judge.layout[0], seat, room.features[table])


@kernel
def judge_all(views, r, player, room):
    """List, encode and judge the afterstates of each view."""
    for k in range(views.shape[0]):
        room.afterstates.stack[0] = views[k]
        judge_afterstates(room, r[0], player.judge, np.int64(views[k].actor), LIMIT)
