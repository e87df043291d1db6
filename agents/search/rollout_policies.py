"""The guide and the rollout policy of a search by their names: a bot, or the network of policy:PATH."""

from __future__ import annotations

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.judging import Judge, new_judged
from casino_env.agents.policy.lookahead import PlaySettings
from casino_env.agents.policy.mlp import Shape, new_thought
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.agents.scripted.bots import BOTS, bot_record
from casino_env.agents.scripted.choosing import new_bot_workspace
from casino_env.agents.search.rollouts import RolloutPolicy
from casino_env.engine.state import rules_record
from casino_env.knowledge.layout import make_layout
from casino_env.rules import Rules
from casino_env.validate import closest

_NOBODY = Shape(1, (1,), 1, 0)
_TEMPERATURE = 0.2  # points: by which a network over afterstates likes turns, and plays them, in a search
_LEAST = PlaySettings(turns=3, width=4, exact=8)  # where nothing is hidden: a search has the time for it


def find_rollout_policy(name: str) -> str | Policy:
    """A bot's name, or the policy of `policy:PATH`; raises ValueError."""
    kind, _, path = name.partition(":")
    if kind == "policy":
        return _at_its_best(Weights.load(path))
    if name not in BOTS:
        raise ValueError(f"{name!r}{closest(name, list(BOTS))}; it must be policy:PATH or one of {', '.join(BOTS)}")
    return name


def _at_its_best(weights: Weights) -> Policy:
    play = weights.play._replace(temperature=0.0)
    return Policy(weights, *(play if weights.shape.judges_actions else map(max, play, _LEAST)))


def plans_turns(who: str | Policy) -> bool:
    """It is a network over afterstates."""
    return isinstance(who, Policy) and not who.weights.shape.judges_actions


def make_rollout_policy(who: str | Policy, rules: Rules) -> RolloutPolicy:
    layout, shape, theta, value_scale = make_layout(rules), _NOBODY, np.zeros(0, np.float32), 1.0
    if isinstance(who, Policy):
        layout, shape = who.layout_for_kernels(rules), who.weights.shape
        theta, value_scale = who.weights.theta, who.weights.value_scale
    return RolloutPolicy(
        bot_record(BOTS[who if isinstance(who, str) else "random"], rules),
        new_bot_workspace(),
        Judge(layout.record, theta, shape.record, value_scale),
        new_thought(shape, layout.most),
        new_judged(rules_record(rules), shape, layout.most),
        1.0 if shape.judges_actions else _TEMPERATURE / value_scale,
        np.zeros(ACTIONS),
    )
