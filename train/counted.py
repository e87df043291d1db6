"""Turns and play-outs in fixed number, for `casino bench`: nothing here asks the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from casino_env.agents.policy.mlp import Shape, initial
from casino_env.agents.policy.shipped import strongest_policy
from casino_env.agents.registry import make_agent
from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import LIMIT, Afterstates, afterstates_of
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.knowledge.layout import make_layout
from casino_env.observed import Observed, observe
from casino_env.rules import Rules
from casino_env.train.rollouts.by_turns import TurnRollouts
from casino_env.train.rollouts.selfplay import Opponents

_SIMS = 64
_DEALS = 4
_HIDDEN = 128, 64


def judge_turns(rules: Rules, times: int) -> int:
    """The shipped policy decides wherever somebody does in a deal of random play."""
    agent, moments = make_agent(f"policy:{strongest_policy(rules)}"), list(_moments(rules))
    agent.reset(0, np.random.default_rng(0))
    for _ in range(times):
        for moment in moments:
            agent.act(moment)
    return times * len(moments)


def judge_afterstates(rules: Rules) -> Callable[[int], int]:
    """The same without looking ahead, once each time; it says how many tables that a turn can leave were judged."""
    agent, moments = make_agent(f"policy:{strongest_policy(rules)},turns=1,exact=0"), list(_moments(rules))
    agent.reset(0, np.random.default_rng(0))
    record, room = rules_record(rules), allocate(Afterstates)
    many = sum(int(afterstates_of(moment.view, record, room, LIMIT)) for moment in moments)

    def judge(_seed: int) -> int:
        for moment in moments:
            agent.act(moment)
        return many

    return judge


def _moments(rules: Rules) -> Iterator[Observed]:
    game, rng = Game(rules, seed=1), np.random.default_rng(1)
    while not game.over:
        yield observe(game)
        game.apply(int(rng.choice(game.legal())))


def play_out(rules: Rules, times: int) -> int:
    """The strongest begins a deal with so many play-outs."""
    agent = make_agent(f"strongest:sims={_SIMS * times}")
    agent.reset(0, np.random.default_rng(0))
    agent.act(observe(Game(rules, seed=1)))
    return _SIMS * times


def play_to_train(rules: Rules, times: int) -> int:
    """A learner that knows nothing yet plays against itself."""
    layout = make_layout(rules)
    shape = Shape(layout.size, _HIDDEN, 1, 0)
    rollouts = TurnRollouts(
        rules, layout, shape, Opponents({}), deals=_DEALS, td_lambda=0.3, memory="perfect", seed=1, value_scale=2.0
    )
    theta, turns = initial(shape, np.random.default_rng(0)), 0
    for _ in range(times):
        rollouts.play(theta, 1.0)
        turns += int(rollouts.take().used.sum())
    return turns
