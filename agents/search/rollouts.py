"""Rollouts: a bot plays determinizations to the end of the deal; a network plays some decisions, then estimates.

Determinizations are complete games that agree with what a seat knows. Search also asks the policy that plays for
priors, if it searches actions. A network over afterstates plays complete turns: one list of afterstates gives the turn
that it plays, or the result that it expects.
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.deciding import (
    Player,
    Workspace,
    bot_likes,
    choose,
    judge_turns,
    judges_turns,
    think_as,
    weigh_actions,
)
from casino_env.agents.policy.judging import Judge
from casino_env.agents.policy.mlp import LOGITS, Shape, spread_values
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.agents.scripted.bots import BOTS, Bot, bot_record
from casino_env.agents.search.horizon import count_taken, is_undealt, judge_undealt
from casino_env.compiler.jit import kernel
from casino_env.compiler.types import F64, I64, U64, F64x2, Sizes, allocate
from casino_env.engine import action_set
from casino_env.engine.afterstates import LIMIT, follow
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import points_ahead
from casino_env.engine.state import GAME, OVER, Records
from casino_env.engine.turn import decide, play_forced
from casino_env.knowledge.layout import make_layout
from casino_env.knowledge.view import PERFECT
from casino_env.rules import Rules
from casino_env.validate import closest


class RolloutPolicy(NamedTuple):
    """The policy of rollouts, as kernels take it, with its workspace."""

    player: Player
    work: Workspace
    prior: F64  # by action, for the position of the last fill_prior; only legal ones are valid
    mover: Player  # plays the rollouts: the same player, or a bot, which is faster


@kernel
def estimate(g, r, policy, result):
    """Write, by side, how many points more than the others the network expects at the end of the deal. A network over
    afterstates gives the value of the best one."""
    player, judge, judged = policy.player, policy.player.judge, policy.work.judged
    found, values = judge_turns(g, r, player, judged), policy.work.thought.values
    if found:
        values = judged.values[np.argmax(judged.worth[:found])]
    else:
        think_as(g, r, player, action_set.NOTHING, policy.work.thought)
    spread_values(values, judge.shape, r.sides, side_of(r, np.int64(g.actor)), result)
    for side in range(r.sides):
        result[side] *= judge.value_scale


@kernel
def fill_prior(g, r, policy, legal):
    """Fill the prior of the legal actions: the chances of a network over actions; of a bot 1 for actions it would
    choose, else 0."""
    player, thought = policy.player, policy.work.thought
    if player.judge.shape[LOGITS]:
        many = think_as(g, r, player, legal, thought)
        weigh_actions(player, many, thought)
        for k in range(many):
            policy.prior[thought.actions[k]] = thought.chances[k]
    else:
        liked = bot_likes(g, r, player, legal, policy.work)
        for k in range(action_set.listed(legal, thought.actions)):
            policy.prior[thought.actions[k]] = 1.0 if action_set.has(liked, thought.actions[k]) else 0.0


@kernel
def play_on(g, r, mover, work, legal, rng):
    """Play an action, or a complete turn if the mover judges afterstates; return the actions that are legal then."""
    action, k = choose(g, r, mover, legal, work, rng)
    if k >= 0 and judges_turns(mover):
        follow(g, r, work.judged.afterstates.walk[0], k)
        return play_forced(g, r)
    return decide(g, r, action)


# --- playing on ----------------------------------------------------------------------------------------------------

SIDES = GAME["deal_points"].shape[0]  # most sides


class Rollouts(NamedTuple):
    """A batch of games to play out."""

    games: Annotated[Records, Sizes("games")]
    # a random stream for each game, other than the one that drew its hidden cards
    rngs: Annotated[U64, Sizes("games")]
    begun: Annotated[I64, Sizes("games")]  # number of turns at which the play-out begins
    until: Annotated[I64, Sizes("games")]  # number of turns at which it is judged (horizon.py)
    result: Annotated[F64x2, Sizes("games", SIDES)]  # by side, in points more than the mean of the others


@kernel
def play_out(rollouts, r, policy, mover, cut, first, last):
    """Play out the games from first to before last: to the end of the deal, to the horizon, or for `cut` decisions
    (turns, if the mover plans turns). Games that have not ended are judged by the policy, or by what is taken."""
    by_turns = judges_turns(mover)
    for number in range(first, last):
        g, rng, begun = rollouts.games[number], rollouts.rngs[number : number + 1], rollouts.begun[number]
        legal, decided, until = legal_actions(g, r), 0, rollouts.until[number]
        while g.mode != OVER and g.turns < until and action_set.count(legal):
            if (g.turns - begun if by_turns else decided) >= cut:
                break
            legal = play_on(g, r, mover, policy.work, legal, rng)
            decided += 1
        if g.mode == OVER:
            for side in range(r.sides):
                rollouts.result[number, side] = points_ahead(g, r, side)
        elif judges_turns(policy.player) and is_undealt(g, r, until):
            judge_undealt(g, r, policy, rollouts.result[number])
        elif policy.player.judge.theta.shape[0]:
            estimate(g, r, policy, rollouts.result[number])
        else:
            count_taken(g, r, rollouts.result[number])


# --- the policy that plays, by name: a bot, or a trained policy -------------------------------------------------------

_NOBODY = Shape(1, (1,), 1, 0)  # stands for a network where there is none
_TEMPERATURE = 0.2  # points: temperature at which a network over afterstates plays in a search
_TRIED = LIMIT // 4  # positions of a turn that are listed: those that a crowded turn leaves out are seldom the best
_LEAST = {"turns": 3, "width": 4, "exact": 8}  # least look-ahead where nothing is hidden: a search has time for it


def find_rollout_policy(name: str, what: str = "rollout") -> Bot | Policy:
    """Return a bot by its name, or the policy of `policy:PATH`; raise ValueError. what: the setting that names it."""
    kind, _, path = name.partition(":")
    if kind == "policy":
        try:
            weights = Weights.load(path)
        except ValueError as error:
            raise ValueError(f"{what} = {error}") from None
        at_least = {} if weights.shape.judges_actions else _LEAST
        play = {name: max(getattr(weights.play, name), least) for name, least in at_least.items()}
        return Policy(weights, **play, temperature=0.0)
    if name not in BOTS:
        known = f"{closest(name, list(BOTS))}; it must be policy:PATH or one of {', '.join(BOTS)}"
        raise ValueError(f"{what} = {name!r}{known}")
    return BOTS[name]


def sizes_of(who: Bot | Policy, rules: Rules) -> dict[str, int]:
    """Return the sizes of the workspace that a rollout policy needs."""
    shape = who.weights.shape if isinstance(who, Policy) else _NOBODY
    layout = who.layout_for_kernels(rules) if isinstance(who, Policy) else make_layout(rules)
    return {"features": layout.most, **shape.sizes}


def make_rollout_policy(who: Bot | Policy, rules: Rules) -> RolloutPolicy:
    layout, shape, theta, value_scale = make_layout(rules), _NOBODY, np.zeros(0, np.float32), 1.0
    if isinstance(who, Policy):
        layout, shape = who.layout_for_kernels(rules), who.weights.shape
        theta, value_scale = who.weights.theta, who.weights.value_scale
    bot = bot_record(who if isinstance(who, Bot) else BOTS["random"], rules)
    judge = Judge(layout.record, theta, shape.record, value_scale)
    player = Player(bot, judge, PERFECT, 1.0 if shape.judges_actions else _TEMPERATURE, 0.0, _TRIED)
    return RolloutPolicy(player, allocate(Workspace, **sizes_of(who, rules)), np.zeros(ACTIONS), player)


def with_bot(policy: RolloutPolicy, rules: Rules) -> RolloutPolicy:
    """Return the policy with the best bot as mover: it needs a tenth of the time for a turn. The network still judges;
    both policies share the workspace."""
    judge = policy.player.judge._replace(theta=np.zeros(0, np.float32))
    bot = bot_record(BOTS["partner" if rules.partners else "counter"], rules)
    return policy._replace(mover=policy.player._replace(bot=bot, judge=judge))
