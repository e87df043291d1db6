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
from casino_env.train.algorithms.base import Algorithm
from casino_env.train.algorithms.ppo import Ppo
from casino_env.train.config import ConfigError
from casino_env.train.games.selfplay import Sampling
from casino_env.train.processes.peers import ALONE, Peers
from casino_env.train.settings import NEVER, Config


def make_response(config: Config, peers: Peers = ALONE) -> Algorithm:
    """target.agent of its config is whom it meets in every game."""
    name = config.target.agent
    target = None if name in BOTS else target_policy(name)
    if target is not None:
        _check(target, config)
    others = {"bots": {name: 1.0}, "frozen": 0.0} if target is None else {"bots": {}, "frozen": 1.0}
    kind = Ppo if target is not None and target.weights.shape.judges_actions else Afterstates
    response = kind(config.changed(opponents=others | {"pool": 1, "every": NEVER}), peers)
    if target is not None:
        _seat(target, response)
    return response


def _check(target: Policy, config: Config) -> None:
    """The response judges as many sides as its game has; a policy of several games judges as many as the largest."""
    rules = config.game.make_rules()
    ours, theirs = value_outputs(rules), target.weights.shape.values
    if ours != theirs:
        raise ConfigError(
            f"target.agent: {config.target.agent} judges up to {theirs} sides; a best response in {rules.name} with "
            f"{rules.players} players is trained against a policy of games with {rules.sides} alone"
        )


def _seat(target: Policy, response: Algorithm) -> None:
    target.check(response.rules)
    ours, theirs, collector = response.shape, target.weights.shape, response.collector()
    if ours != theirs:
        raise ConfigError(
            f"network: hidden {list(ours.hidden)} on {ours.features} features; {response.config.target.agent} has "
            f"{list(theirs.hidden)} on {theirs.features}, and they must agree"
        )
    response.opponents.freeze("0", target.weights.theta)
    response.opponents.sampling = Sampling(target.play.temperature, 0.0)
    collector.seat_all()


def target_policy(spec: str) -> Policy:
    """The network of a spec like policy:PATH; raises ConfigError for other agents."""
    agent = make_agent(spec) if spec.startswith("policy:") else None
    if not isinstance(agent, Policy):
        raise ConfigError(f"target.agent = {spec!r}: a best response is trained against policy:PATH or a bot"
                          f"{closest(spec, list(BOTS))}; bots: {', '.join(BOTS)}")  # fmt: skip
    return agent
