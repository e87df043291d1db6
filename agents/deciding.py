"""Kernels in which a seat decides: make its view, score the choices by a bot or a network, and draw one.

All searches and self-play decide here; they apply and record the choice themselves. Agents get views instead of games,
but use the same bots and networks.
"""

from typing import NamedTuple

import numpy as np

from casino_env.agents.policy.judging import Judge, Judged, draw_afterstate, first_action, judge_afterstates, think_of
from casino_env.agents.policy.mlp import LOGITS, Thought, sample_index, softmax
from casino_env.agents.scripted.bots import BotRows
from casino_env.agents.scripted.choosing import BotWorkspace, favourites, pick
from casino_env.compiler.jit import kernel
from casino_env.engine import action_set
from casino_env.knowledge.encode import encode
from casino_env.knowledge.view import make_view
from casino_env.rng import uniform


class Player(NamedTuple):
    """A player: the network, or without weights the bot."""

    bot: BotRows  # one record, or none; decides where a network over afterstates finds none
    judge: Judge  # the network, and the layout of what it reads
    memory: int  # of face-down piles
    temperature: float  # for logits, or in points for afterstates; 0: always the best
    epsilon: float  # of a network over actions: share of uniformly random decisions
    tried: int  # of a network over afterstates: most positions of a turn visited


class Workspace(NamedTuple):
    """The workspace of one thread, for players whose networks have the same shape."""

    bot: BotWorkspace
    thought: Thought
    judged: Judged


# --- scores of the seat that decides --------------------------------------------------------------------------------


@kernel
def look(g, r, memory, view):
    """Write the view of the seat that decides into view[0]."""
    view[0] = g
    make_view(g, r, np.int64(g.actor), memory, view[0])


@kernel
def bot_likes(g, r, player, legal, work):
    """The actions that the bot likes best, all equally."""
    bot = player.bot[0]
    if not bot.blind:
        look(g, r, player.memory, work.bot.stack)
    return favourites(work.bot, r, bot, np.int64(g.actor), legal)


@kernel
def encode_seat(g, r, player, thought):
    """Encode the view of the seat that decides as a list of features that are on."""
    look(g, r, player.memory, thought.view)
    thought.on[0] = encode(thought.view[0], r, player.judge.layout[0], np.int64(g.actor), thought.indices)


@kernel
def think_as(g, r, player, legal, thought):
    """Run the network: list the legal actions with their logits, and the values; return the number of actions."""
    encode_seat(g, r, player, thought)
    return think_of(player.judge, legal, thought)


@kernel
def weigh_actions(player, many, thought):
    """Turn logits into probabilities."""
    softmax(thought.logits, many, player.temperature, thought.chances)
    if player.epsilon > 0.0:
        for k in range(many):
            thought.chances[k] = (1.0 - player.epsilon) * thought.chances[k] + player.epsilon / many


@kernel
def judges_turns(player):
    """Whether the player is a network over afterstates."""
    return player.judge.theta.shape[0] > 0 and not player.judge.shape[LOGITS]


@kernel
def judge_turns(g, r, player, judged):
    """List and value the afterstates of the turn; return how many, 0 for players without a network over afterstates."""
    if not judges_turns(player):
        return 0
    look(g, r, player.memory, judged.afterstates.stack)
    return judge_afterstates(judged, r, player.judge, np.int64(g.actor), player.tried)


# --- choosing ------------------------------------------------------------------------------------------------------


@kernel
def draw_action(player, many, thought, rng):
    """Draw one of the listed actions by its logits; return its index."""
    weigh_actions(player, many, thought)
    return sample_index(thought.chances, many, uniform(rng))


@kernel
def choose(g, r, player, legal, work, rng):
    """Choose an action; of a turn, its first one. Return it and the index of the action or afterstate drawn from the
    workspace (-1: a bot has chosen)."""
    found = judge_turns(g, r, player, work.judged)
    if found:
        k = draw_afterstate(work.judged, found, player.temperature / player.judge.value_scale, rng)
        return first_action(work.judged, k), k
    if player.judge.theta.shape[0] and player.judge.shape[LOGITS]:
        k = draw_action(player, think_as(g, r, player, legal, work.thought), work.thought, rng)
        return work.thought.actions[k], k
    if player.bot.shape[0] == 0:
        return action_set.nth(legal, 0), -1
    return pick(bot_likes(g, r, player, legal, work), rng), -1
