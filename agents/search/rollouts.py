"""Rollouts: determinizations (complete games that agree with what a seat knows) are played on, by a bot to the end of
the deal, by a network until it estimates how the deal will end.

The policy that plays is a record for kernels: search asks it for priors as well. A network over afterstates plans
complete turns: one list of what can be left says what it likes, what it plays until the turn is over, and what it
expects.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from casino_env.agents.policy.judging import Judge, Judged, draw_afterstate, first_action, judge_afterstates
from casino_env.agents.policy.mlp import LOGITS, Thought, sample_index, softmax, spread_values, think
from casino_env.agents.scripted.choosing import BotWorkspace, favourites, pick
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel
from casino_env.engine import action_set
from casino_env.engine.afterstates import LIMIT, follow
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import points_ahead
from casino_env.engine.state import GAME, OVER
from casino_env.engine.turn import decide, play_forced
from casino_env.knowledge.encode import encode
from casino_env.knowledge.view import PERFECT, make_view
from casino_env.rng import uniform

_TRIED = LIMIT // 4  # positions of a turn: what a crowded one leaves out seldom is the best


class RolloutPolicy(NamedTuple):
    """A record for kernels, with its workspace. Without weights it is the bot."""

    bot: Array  # of a network over afterstates the one that plays at random: it decides where there are none
    work: BotWorkspace
    judge: Judge  # the network, and the layout of what it reads
    thought: Thought
    judged: Judged
    temperature: float  # of its chances: of logits, or of afterstates in units of the value
    prior: Array  # of each action of the position last asked about; only legal ones count


# --- bots ------------------------------------------------------------------------------------------------------------


@kernel
def _bot_favourites(g, r, policy, legal):
    """The actions between which the bot is indifferent, looking from the seat that decides."""
    seat, bot = np.int64(g.actor), policy.bot[0]
    if not bot.blind:
        policy.work.stack[0] = g
        make_view(g, r, seat, PERFECT, policy.work.stack[0])
    return favourites(policy.work, r, bot, seat, legal)


# --- networks over actions -------------------------------------------------------------------------------------


@kernel
def _forward(g, r, policy, many):
    """The network looks from the seat that decides: logits of the many listed actions, and values."""
    seat, view, thought = np.int64(g.actor), policy.work.stack[0], policy.thought
    policy.work.stack[0] = g
    make_view(g, r, seat, PERFECT, view)
    count = encode(view, r, policy.judge.layout[0], seat, thought.indices)
    think(policy.judge.theta, policy.judge.shape, thought.indices, count, thought.actions, many, thought)


@kernel
def _action_chances(g, r, policy, legal):
    """The network's chances of the legal actions, which it lists; returns how many there are."""
    thought = policy.thought
    many = action_set.listed(legal, thought.actions)
    _forward(g, r, policy, many)
    softmax(thought.logits, many, policy.temperature, thought.chances)
    return many


# --- networks over afterstates --------------------------------------------------------------------------------------


@kernel
def plans_turns(policy):
    """It is a network over afterstates."""
    return policy.judge.theta.shape[0] > 0 and not policy.judge.shape[LOGITS]


@kernel
def _judge_turns(g, r, policy):
    """List and judge the afterstates of the seat that decides, as it sees the game; returns how many. Other policies
    have none."""
    if not plans_turns(policy):
        return 0
    seat, view = np.int64(g.actor), policy.judged.afterstates.stack[0]
    policy.judged.afterstates.stack[0] = g
    make_view(g, r, seat, PERFECT, view)
    return judge_afterstates(policy.judged, r, policy.judge, seat, _TRIED)


# --- any policy -----------------------------------------------------------------------------------------------------


@kernel
def estimate(g, r, policy, result):
    """By side, how many points more than the others the network expects at the end of the deal: what the best
    afterstate is worth, if it judges those."""
    seat, found, values = np.int64(g.actor), _judge_turns(g, r, policy), policy.thought.values
    if found:
        values = policy.judged.values[np.argmax(policy.judged.worth[:found])]
    else:
        _forward(g, r, policy, 0)
    spread_values(values, policy.judge.shape, r.sides, side_of(r, seat), result)
    for side in range(r.sides):
        result[side] *= policy.judge.value_scale


@kernel
def fill_prior(g, r, policy, legal):
    """The prior: 1 or 0 by a bot, its chances by a network."""
    actions, judged, found = policy.thought.actions, policy.judged, _judge_turns(g, r, policy)
    if found:
        # the chances of afterstates, as those of the actions with which their turns begin
        softmax(judged.worth, found, policy.temperature, judged.chances)
        policy.prior[:] = 0.0
        for k in range(found):
            policy.prior[first_action(judged, k)] += judged.chances[k]
    elif policy.judge.shape[LOGITS]:
        for k in range(_action_chances(g, r, policy, legal)):
            policy.prior[actions[k]] = policy.thought.chances[k]
    else:
        liked = _bot_favourites(g, r, policy, legal)
        for k in range(action_set.listed(legal, actions)):
            policy.prior[actions[k]] = 1.0 if action_set.has(liked, actions[k]) else 0.0


@kernel
def play_on(g, r, policy, legal, rng):
    """It decides: an action, or a complete turn if it judges afterstates. Returns what is legal then."""
    found = _judge_turns(g, r, policy)
    if found:
        k = draw_afterstate(policy.judged, found, policy.temperature, rng)
        follow(g, r, policy.judged.afterstates.walk[0], k)
        return play_forced(g, r)
    if policy.judge.shape[LOGITS]:
        many = _action_chances(g, r, policy, legal)
        return decide(g, r, policy.thought.actions[sample_index(policy.thought.chances, many, uniform(rng))])
    return decide(g, r, pick(_bot_favourites(g, r, policy, legal), rng))


# --- playing on ----------------------------------------------------------------------------------------------------

SIDES = GAME["deal_points"].shape[0]  # at most


class Rollouts(NamedTuple):
    """A batch of games that are played on."""

    games: Array
    rngs: Array  # each has a stream of its own, which is not that by which its hidden cards were drawn
    begun: Array  # turns that are over when others begin to play on
    result: Array  # by side, in points more than the mean of the others


def new_rollouts(batch: int) -> Rollouts:
    return Rollouts(
        np.zeros(batch, GAME), np.zeros(batch, np.uint64), np.zeros(batch, np.int64), np.zeros((batch, SIDES))
    )


@entry
def roll_out(rollouts, rules, policy, cut, first, last):
    """The games from first to before last, to the end of the deal or until the policy has decided cut times, or has
    had so many turns if it plans turns."""
    r, by_turns = rules[0], plans_turns(policy)
    for number in range(first, last):
        g, rng, begun = rollouts.games[number], rollouts.rngs[number : number + 1], rollouts.begun[number]
        legal, decided = legal_actions(g, r), 0
        while g.mode != OVER and action_set.count(legal) and (g.turns - begun if by_turns else decided) < cut:
            legal = play_on(g, r, policy, legal, rng)
            decided += 1
        if g.mode == OVER or not policy.judge.theta.shape[0]:
            for side in range(r.sides):
                rollouts.result[number, side] = points_ahead(g, r, side)
        else:
            estimate(g, r, policy, rollouts.result[number])


def roll_out_all(
    rollouts: Rollouts, rules: Array, policies: list[RolloutPolicy], cut: int, count: int, pool: ThreadPoolExecutor
) -> None:
    """Each policy, in a thread of its own, plays on its part of the games."""
    edges = [count * k // len(policies) for k in range(len(policies) + 1)]
    if len(policies) == 1:
        roll_out(rollouts, rules, policies[0], cut, 0, count)
        return
    parts = zip(policies, edges[:-1], edges[1:], strict=True)
    for job in [pool.submit(roll_out, rollouts, rules, who, cut, lo, hi) for who, lo, hi in parts]:
        job.result()
