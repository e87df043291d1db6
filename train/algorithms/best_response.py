"""A best response: one side learns against a fixed agent.

It sees no hidden cards, so what it wins is a lower bound of how far the agent can be exploited. If it starts with the
agent's own weights it mostly finds more in the same time than from scratch; try both (exploit.py).

It learns by PPO against a policy that judges actions, else by afterstates.
"""

from __future__ import annotations

from casino_env.agents.policy.mlp import value_outputs
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.registry import make_agent
from casino_env.agents.scripted.bots import BOTS
from casino_env.train.algorithms.afterstates import Afterstates
from casino_env.train.algorithms.algorithm import Algorithm, network_shape
from casino_env.train.algorithms.ppo import Ppo
from casino_env.train.config import Config, ConfigError
from casino_env.train.rollouts.selfplay import Sampling
from casino_env.validate import closest


class BestResponse(Algorithm):
    """Makes a Ppo or Afterstates that meets target.agent of its config in every game."""

    in_torch = True  # if it is Ppo

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
    """Raise ConfigError unless both networks fit: a policy of several games may have values for more sides."""
    rules = config.game.make_rules()
    ours, theirs = network_shape(config, kind), target.weights.shape
    if value_outputs(rules) != theirs.values:
        raise ConfigError(
            f"target.agent: {config.target.agent} judges up to {theirs.values} sides; a best response in {rules.name} "
            f"with {rules.players} players needs a policy trained only for games with {rules.sides}"
        )
    target.check(rules)
    if ours != theirs:
        raise ConfigError(
            f"network: hidden {list(ours.hidden)} on {ours.features} features; {config.target.agent} has "
            f"{list(theirs.hidden)} on {theirs.features}, and they must agree"
        )


def target_policy(spec: str) -> Policy:
    """Return the policy of a spec like policy:PATH; raise ConfigError for other agents."""
    agent = make_agent(spec) if spec.startswith("policy:") else None
    if not isinstance(agent, Policy):
        raise ConfigError(f"target.agent = {spec!r}: it must be policy:PATH or a bot"
                          f"{closest(spec, list(BOTS))}; bots: {', '.join(BOTS)}")  # fmt: skip
    return agent
