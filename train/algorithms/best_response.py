"""A best response: one side learns against an agent that stays as it is.

What it wins is won without a look at hidden cards, so it is a lower bound of how far that agent can be exploited. From
the agent's own weights it mostly finds more in the same time than from nothing, so both should be tried (exploit.py).

It learns as a policy of its kind is learnt: by PPO against one that judges actions, else by afterstates.
"""

from __future__ import annotations

from casino_env.agents.policy.mlp import value_outputs
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.registry import make_agent
from casino_env.agents.scripted.bots import BOTS
from casino_env.rules import closest
from casino_env.train.algorithms.afterstates import Afterstates
from casino_env.train.algorithms.algorithm import Algorithm, network_shape
from casino_env.train.algorithms.ppo import Ppo
from casino_env.train.config import Config, ConfigError
from casino_env.train.rollouts.selfplay import Sampling


class BestResponse(Algorithm):
    """target.agent of its config is whom it meets in every game; made, it is Ppo or Afterstates."""

    in_torch = True  # where it is Ppo

    @classmethod
    def make(cls, config: Config) -> Algorithm:
        name = config.target.agent
        alone = config.changed(opponents={"bots": {name: 1.0} if name in BOTS else {}})
        if name in BOTS:
            return Afterstates.make(alone)
        target = target_policy(name)
        kind = Ppo if target.weights.shape.judges_actions else Afterstates
        _check_target(config, target, kind)
        network = (target.weights.theta, Sampling(target.play.temperature, 0.0))
        return kind(alone, network)


def _check_target(config: Config, target: Policy, kind: type[Algorithm]) -> None:
    """The response judges as many sides as its game has; a policy of several games judges as many as the largest."""
    rules = config.game.make_rules()
    ours, theirs = network_shape(config, kind), target.weights.shape
    if value_outputs(rules) != theirs.values:
        raise ConfigError(
            f"target.agent: {config.target.agent} judges up to {theirs.values} sides; a best response in {rules.name} "
            f"with {rules.players} players is trained against a policy of games with {rules.sides} alone"
        )
    target.check(rules)
    if ours != theirs:
        raise ConfigError(
            f"network: hidden {list(ours.hidden)} on {ours.features} features; {config.target.agent} has "
            f"{list(theirs.hidden)} on {theirs.features}, and they must agree"
        )


def target_policy(spec: str) -> Policy:
    """The network of a spec like policy:PATH; raises ConfigError for other agents."""
    agent = make_agent(spec) if spec.startswith("policy:") else None
    if not isinstance(agent, Policy):
        raise ConfigError(f"target.agent = {spec!r}: a best response is trained against policy:PATH or a bot"
                          f"{closest(spec, list(BOTS))}; bots: {', '.join(BOTS)}")  # fmt: skip
    return agent
