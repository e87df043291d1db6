"""A seat decides: it looks at the game, a bot or a network says what it likes, and one of that is drawn.

Searches and self-play let seats decide here and nowhere else. What is done with the choice, and what is written down of
it, is theirs. Agents are given views instead of games; they ask the same bots and networks.
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
    """Who decides: the network, or without weights the bot."""

    bot: BotRows  # one record, or none. Beside a network over afterstates: who decides where there are none
    judge: Judge  # the network, and the layout of what it reads
    memory: int  # of face-down piles
    temperature: float  # of logits; of afterstates in points; 0: always the best
    epsilon: float  # of a network over actions: the share of its decisions in which any legal action will do
    tried: int  # of a network over afterstates: positions of a turn that are looked at, at most


class Workspace(NamedTuple):
    """Of one thread, for players whose networks have the same shape."""

    bot: BotWorkspace
    thought: Thought
    judged: Judged


# --- what the seat that decides likes ------------------------------------------------------------------------------


@kernel
def look(g, r, memory, view):
    """What it sees, into the first record of view."""
    view[0] = g
    make_view(g, r, np.int64(g.actor), memory, view[0])


@kernel
def bot_likes(g, r, player, legal, work):
    """The actions between which the bot is indifferent."""
    bot = player.bot[0]
    if not bot.blind:
        look(g, r, player.memory, work.bot.stack)
    return favourites(work.bot, r, bot, np.int64(g.actor), legal)


@kernel
def encode_seat(g, r, player, thought):
    """What it sees, as features that are on."""
    look(g, r, player.memory, thought.view)
    thought.on[0] = encode(thought.view[0], r, player.judge.layout[0], np.int64(g.actor), thought.indices)


@kernel
def think_as(g, r, player, legal, thought):
    """Logits of the legal actions, which are listed, and values; returns how many actions these are."""
    encode_seat(g, r, player, thought)
    return think_of(player.judge, legal, thought)


@kernel
def weigh_actions(player, many, thought):
    """From logits to chances."""
    softmax(thought.logits, many, player.temperature, thought.chances)
    if player.epsilon > 0.0:
        for k in range(many):
            thought.chances[k] = (1.0 - player.epsilon) * thought.chances[k] + player.epsilon / many


@kernel
def judges_turns(player):
    """It is a network over afterstates."""
    return player.judge.theta.shape[0] > 0 and not player.judge.shape[LOGITS]


@kernel
def judge_turns(g, r, player, judged):
    """List and judge the afterstates that can be left; returns how many. Other players have none."""
    if not judges_turns(player):
        return 0
    look(g, r, player.memory, judged.afterstates.stack)
    return judge_afterstates(judged, r, player.judge, np.int64(g.actor), player.tried)


# --- what it chooses -----------------------------------------------------------------------------------------------


@kernel
def draw_action(player, many, thought, rng):
    """One of the listed actions by its logits; returns which."""
    weigh_actions(player, many, thought)
    return sample_index(thought.chances, many, uniform(rng))


@kernel
def choose(g, r, player, legal, work, rng):
    """An action, and which of the listed actions or afterstates of the workspace has been drawn (-1: neither, as a bot
    has chosen). Of a turn it is the first action."""
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
