"""Fixed amounts of work for `casino bench`: judging turns, play-outs and self-play, independent of the clock."""

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

_SIMS = 256
_DEALS = 32
_HIDDEN = 128, 64


def judge_turns(rules: Rules, times: int) -> int:
    """Let the shipped policy choose at every decision of a deal played at random; return the number of choices."""
    agent, moments = make_agent(f"policy:{strongest_policy(rules)}"), list(_moments(rules))
    agent.reset(0, np.random.default_rng(0))
    for _ in range(times):
        for moment in moments:
            agent.act(moment)
    return times * len(moments)


def judge_afterstates(rules: Rules) -> Callable[[int], int]:
    """Like judge_turns without lookahead, as a function for one pass; it returns the number of afterstates judged."""
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
    """Let `strongest` choose the first action of a deal with so many play-outs; return their number."""
    agent = make_agent(f"strongest:sims={_SIMS * times}")
    agent.reset(0, np.random.default_rng(0))
    agent.act(observe(Game(rules, seed=1)))
    return _SIMS * times


def play_to_train(rules: Rules, times: int) -> int:
    """Play self-play games with an untrained network; return the number of turns."""
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
