"""Who plays on in a search, by its name: a bot, or a trained policy, made ready for kernels (rollouts.py)."""

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.deciding import Player, Workspace
from casino_env.agents.policy.judging import Judge
from casino_env.agents.policy.mlp import Shape
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.agents.scripted.bots import BOTS, bot_record
from casino_env.agents.search.rollouts import RolloutPolicy
from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import LIMIT
from casino_env.knowledge.layout import make_layout
from casino_env.knowledge.view import PERFECT
from casino_env.rules import Rules
from casino_env.validate import closest

_NOBODY = Shape(1, (1,), 1, 0)
_TEMPERATURE = 0.2  # points: by which a network over afterstates likes turns, and plays them, in a search
_TRIED = LIMIT // 4  # positions of a turn: what a crowded one leaves out seldom is the best
_LEAST = {"turns": 3, "width": 4, "exact": 8}  # where nothing is hidden: a search has the time for it


def find_rollout_policy(name: str, what: str = "rollout") -> str | Policy:
    """A bot's name, or the policy of `policy:PATH`; raises ValueError. what: the setting that names it."""
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
    return name


def sizes_of(who: str | Policy, rules: Rules) -> dict[str, int]:
    """Of a workspace for those that play on."""
    shape = who.weights.shape if isinstance(who, Policy) else _NOBODY
    layout = who.layout_for_kernels(rules) if isinstance(who, Policy) else make_layout(rules)
    return {"features": layout.most, **shape.sizes}


def make_rollout_policy(who: str | Policy, rules: Rules) -> RolloutPolicy:
    layout, shape, theta, value_scale = make_layout(rules), _NOBODY, np.zeros(0, np.float32), 1.0
    if isinstance(who, Policy):
        layout, shape = who.layout_for_kernels(rules), who.weights.shape
        theta, value_scale = who.weights.theta, who.weights.value_scale
    bot = bot_record(BOTS[who if isinstance(who, str) else "random"], rules)
    judge = Judge(layout.record, theta, shape.record, value_scale)
    player = Player(bot, judge, PERFECT, 1.0 if shape.judges_actions else _TEMPERATURE, 0.0, _TRIED)
    return RolloutPolicy(player, allocate(Workspace, **sizes_of(who, rules)), np.zeros(ACTIONS), player)


def with_bot(policy: RolloutPolicy, rules: Rules) -> RolloutPolicy:
    """The same network judges, but the best bot plays on: a turn takes it a tenth of the time. The workspace is the
    same."""
    judge = policy.player.judge._replace(theta=np.zeros(0, np.float32))
    bot = bot_record(BOTS["partner" if rules.partners else "counter"], rules)
    return policy._replace(mover=policy.player._replace(bot=bot, judge=judge))
