"""The players of a search by name: a bot, or the network of policy:PATH."""

from __future__ import annotations

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.agent import Policy
from casino_env.agents.policy.files import Weights
from casino_env.agents.policy.lookahead import Ahead
from casino_env.agents.policy.mlp import Shape, new_thought
from casino_env.agents.policy.tables import Judge, new_judged
from casino_env.agents.scripted.bots import BOTS, bot_record
from casino_env.agents.scripted.choosing import new_room
from casino_env.agents.search.player import Player
from casino_env.engine.state import rules_record
from casino_env.knowledge.layout import make_layout
from casino_env.rules import Rules, closest

_NOBODY = Shape(1, (1,), 1, 0)
_WARMTH = 0.2  # points: what a network that judges tables likes, and plays, in a search
_AHEAD = Ahead(turns=3, width=4, exact=8)  # at least, where nothing is hidden: a search has the time for it


def find_player(name: str) -> str | Policy:
    """A bot's name, or the policy of `policy:PATH`; raises ValueError."""
    kind, _, path = name.partition(":")
    if kind == "policy":
        return _at_its_best(Weights.load(path))
    if name not in BOTS:
        raise ValueError(f"{name!r}{closest(name, list(BOTS))}; it must be policy:PATH or one of {', '.join(BOTS)}")
    return name


def _at_its_best(weights: Weights) -> Policy:
    play, least = weights.play, Ahead(1, 1, 0) if weights.shape.choices else _AHEAD
    return Policy(weights, 0.0, *(max(getattr(play, name), getattr(least, name)) for name in Ahead._fields))


def judges_tables(who: str | Policy) -> bool:
    """It plans complete turns."""
    return isinstance(who, Policy) and not who.weights.shape.choices


def make_player(who: str | Policy, rules: Rules) -> Player:
    layout, shape, theta, unit = make_layout(rules), _NOBODY, np.zeros(0, np.float32), 1.0
    if isinstance(who, Policy):
        layout, shape = who.layout_for_kernels(rules), who.weights.shape
        theta, unit = who.weights.theta, who.weights.unit
    return Player(
        bot_record(BOTS[who if isinstance(who, str) else "random"], rules),
        new_room(),
        Judge(layout.record, theta, shape.record, unit),
        new_thought(shape, layout.most),
        new_judged(rules_record(rules), shape, layout.most),
        1.0 if shape.choices else _WARMTH / unit,
        np.zeros(ACTIONS),
    )
