"""The players of a search by name: a bot, or the network of policy:PATH."""

from __future__ import annotations

import numpy as np

from agents.policy.agent import Policy, make_policy
from agents.policy.mlp import Shape, new_thought
from agents.scripted.bots import BOTS, bot_record
from agents.scripted.choosing import new_room
from agents.search.player import Player
from casino_env.actions import ACTIONS
from casino_env.knowledge.segments import make_layout
from casino_env.rules import Rules, closest

_NOBODY = Shape(1, (1,), 1)


def find_player(name: str) -> str | Policy:
    """A bot's name, or the policy of `policy:PATH`; raises ValueError."""
    kind, _, path = name.partition(":")
    if kind == "policy":
        return make_policy(path)
    if name not in BOTS:
        raise ValueError(f"{name!r}{closest(name, list(BOTS))}; it must be policy:PATH or one of {', '.join(BOTS)}")
    return name


def make_player(who: str | Policy, rules: Rules) -> Player:
    layout, shape, theta, unit = make_layout(rules), _NOBODY, np.zeros(0, np.float32), 1.0
    if isinstance(who, Policy):
        layout, shape = who.layout_for_kernels(rules), who.weights.shape
        theta, unit = who.weights.theta, who.weights.unit
    bot = bot_record(BOTS[who if isinstance(who, str) else "random"], rules)
    thought = new_thought(shape, layout.most)
    return Player(bot, new_room(), theta, shape.record, layout.record, thought, unit, np.zeros(ACTIONS))
